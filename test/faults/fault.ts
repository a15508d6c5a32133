import * as fc from 'fast-check';
import type { BoundComponent } from '../../src/compaction/bound.ts';
import type { DialectName } from '../../src/transcript/message.ts';
import type { PropertyName } from '../support/contract/breach.ts';
import type { Pipeline } from '../support/contract/replay.ts';
import type { ReuseRule } from '../support/contract/reuse.ts';
import type { Subject } from '../support/contract/subjects.ts';
import type { NaiveSettings } from './naive.ts';

/** A small variant of a component or of the pipeline that is wrong, and what has to notice it. */
export interface Fault {
  readonly name: string;
  readonly dialect: DialectName;
  readonly subject: Subject;
  readonly pipeline?: Pipeline;
  /** The property that fails; for `valid` through this rule of the oracle. */
  readonly property: PropertyName;
  readonly rule?: string;
}

const keep: fc.Arbitrary<NaiveSettings> = fc.record({ keep: fc.nat(4) });

function naiveSubject(name: string, bind: (settings: NaiveSettings) => BoundComponent): Subject {
  return {
    name,
    settings: keep,
    bind: (settings) =>
      bind(
        'keep' in settings && typeof settings.keep === 'number'
          ? { keep: settings.keep }
          : { keep: 0 },
      ),
    reuse: noPromise,
  };
}

const noPromise: ReuseRule = () => {};

/** A fault that makes requests unsendable by this rule. */
export function ruleFault(
  rule: string,
  dialect: DialectName,
  name: string,
  bind: (settings: NaiveSettings) => BoundComponent,
): Fault {
  return { name, dialect, rule, property: 'valid', subject: naiveSubject(name, bind) };
}
