import * as fc from 'fast-check';
import type { BoundComponent } from '../../../src/compaction/bound.ts';
import { type CatalogEntry, catalog } from '../../../src/compaction/catalog.ts';
import { keepsDropped, keepsNothing, keepsOutputs, keepsSummary, type ReuseRule } from './reuse.ts';

/** What the contract suite runs: a component with random settings, and what it says about reuse. */
export interface Subject {
  readonly name: string;
  readonly settings: fc.Arbitrary<object>;
  readonly bind: (settings: object) => BoundComponent;
  readonly reuse: ReuseRule;
  /** Least share of runs in which it has to change a request, where it is not the suite's own. */
  readonly leastFired?: number;
  /** A run also checks one other dialect, each in its turn, and not all: for a component that takes long. */
  readonly oneTranslation?: true;
}

/** What the suite has to know of a component beside its catalog entry. */
interface Knowledge {
  readonly settings: fc.Arbitrary<object>;
  readonly reuse: ReuseRule;
  readonly leastFired?: number;
  readonly oneTranslation?: true;
}

const markerMode = fc.constantFrom('full', 'full', 'full', 'summary', 'off');
const trigger = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record({
      min_request_tokens: fc.constantFrom(0, 100, 500),
      min_messages: fc.nat(8),
    }),
  },
);

const control = fc.record({
  budget: fc.constant({ match: 'another-config' }),
  marker_mode: markerMode,
  seed: fc.nat(3),
});

const knowledge: ReadonlyMap<string, Knowledge> = new Map<string, Knowledge>([
  [
    'summarize',
    {
      settings: fc.record({
        summary_level: fc.constantFrom('concise', 'regular', 'highly_detailed'),
        keep_last: fc.nat(6),
        min_tokens: fc.constantFrom(0, 50, 300),
        include_tool_calls: fc.boolean(),
        resummarize_tokens: fc.constantFrom(0, 100, 600, 6000),
        start_from_message: fc.constantFrom(0, 3, 6),
        marker_mode: markerMode,
        trigger,
      }),
      reuse: keepsSummary,
    },
  ],
  [
    'extract',
    {
      settings: fc.record({
        // Outputs without noise or JSON have nothing for `deterministic`; a session starts a thread.
        strategy: fc.constantFrom('deterministic', ...Array(15).fill('code'), 'rlm'),
        language: fc.constantFrom('javascript', 'starlark'),
        min_tokens: fc.constantFrom(0, 30, 100),
        granularity: fc.constantFrom('line', 'char'),
        min_keep_ratio: fc.constantFrom(0, 0.05, 0.5),
        keep_identifiers: fc.constantFrom(0, 5, 60),
        repair: fc.boolean(),
        marker_mode: markerMode,
        trigger,
      }),
      reuse: keepsOutputs,
      oneTranslation: true,
    },
  ],
  [
    'mask',
    {
      settings: fc.record({
        keep_recent: fc.nat(3),
        min_tokens: fc.constantFrom(0, 30, 100),
        keep_head_chars: fc.constantFrom(0, 1, 17, 96),
        marker_mode: markerMode,
        trigger,
      }),
      reuse: keepsOutputs,
    },
  ],
  [
    'dedup',
    {
      settings: fc.record({
        min_tokens: fc.constantFrom(0, 30, 100),
        marker_mode: markerMode,
        trigger,
      }),
      reuse: keepsOutputs,
    },
  ],
  [
    'collapse',
    {
      settings: fc.record({
        max_tokens: fc.constantFrom(1, 20, 80, 200),
        head_lines: fc.nat(8),
        tail_lines: fc.nat(8),
        marker_mode: markerMode,
        trigger,
      }),
      reuse: keepsOutputs,
    },
  ],
  [
    'external',
    {
      settings: fc.record({
        // What is asked is the suite's own (`external.ts`); tests of the component run real programs.
        url: fc.constantFrom('http://compactor.test/', 'http://compactor.test/{provider}'),
        timeout: fc.constantFrom(1, 30),
        trigger,
      }),
      reuse: keepsNothing,
    },
  ],
  ['recency', { settings: control, reuse: keepsNothing }],
  ['random_drop', { settings: control, reuse: keepsDropped }],
  ['noop', { settings: control, reuse: keepsNothing, leastFired: 0 }],
]);

/** The subject of a catalog entry; an entry that the suite does not know is an error, never left out. */
export function subjectOf(entry: CatalogEntry): Subject {
  const known = knowledge.get(entry.name);
  if (known === undefined) {
    throw new Error(
      `the contract suite has no settings for "${entry.name}"; add them to test/support/contract/subjects.ts`,
    );
  }
  const bind = (settings: object) => {
    const result = entry.bind(entry.name, settings);
    if (!result.ok) throw result.error;
    return result.bound;
  };
  return { name: entry.name, ...known, bind };
}

/** Every component of the catalog. */
export function catalogSubjects(): readonly Subject[] {
  return [...catalog.values()].map(subjectOf);
}
