import * as fc from 'fast-check';
import type { DialectName } from '../../../src/transcript/message.ts';
import { ContractBreach } from './breach.ts';
import { type Case, type CaseOptions, cases, checkCase, describeCase } from './check-case.ts';
import { guardOnlyOf } from './guard-only.ts';
import type { Subject } from './subjects.ts';

export interface SuiteOptions extends CaseOptions {
  readonly runs: number;
  readonly seed: number;
  readonly dialect: DialectName;
  /** Runs again one counterexample of a suite with this seed. */
  readonly path?: string;
  /** Least share of runs in which the component has to change a request; 0.3 by default. */
  readonly leastFired?: number;
  /** Cases that are tried to shrink a counterexample; 3,000 by default. A number, since time is other under load. */
  readonly shrinkTries?: number;
  /** Whether some sessions are damaged ones; by default they are. */
  readonly damaged?: boolean;
}

export interface SuiteFailure {
  readonly property: string;
  readonly rules: readonly string[];
  readonly message: string;
  /** The shrunk counterexample, as text and as what made it. */
  readonly counterexample: string;
  readonly shrunk: Case | undefined;
  readonly shrinks: number;
  readonly path: string | undefined;
}

export interface SuiteResult {
  readonly component: string;
  readonly dialect: DialectName;
  readonly seed: number;
  readonly runs: number;
  /** Valid sessions among the runs, and in how many of these the component fired. */
  readonly valid: number;
  readonly fired: number;
  /** How often each rule that is the guard's would have been broken without it. */
  readonly guarded: Readonly<Record<string, number>>;
  readonly failure: SuiteFailure | undefined;
}

/** The contract of one component in one dialect, over `runs` random sessions, settings and models. */
export async function contractSuite(subject: Subject, options: SuiteOptions): Promise<SuiteResult> {
  const {
    dialect,
    runs,
    seed,
    leastFired = subject.leastFired ?? 0.3,
    shrinkTries = 3000,
  } = options;
  const caseOptions = { ...options, guardOnly: options.guardOnly ?? guardOnlyOf(subject.name) };
  let valid = 0;
  let fired = 0;
  const guarded: Record<string, number> = {};
  // Shrinking ends when what it tries passes, so behind the last try everything does.
  let tries = Number.POSITIVE_INFINITY;
  const details = await fc.check(
    fc.asyncProperty(cases(subject, dialect, options.damaged), async (one) => {
      if (tries-- <= 0) return;
      const seen = await checkCase(subject, one, caseOptions).catch((error: unknown) => {
        tries = Math.min(tries, shrinkTries);
        throw error;
      });
      for (const rule of seen.guarded) guarded[rule] = (guarded[rule] ?? 0) + 1;
      if (!seen.valid) return;
      valid++;
      if (seen.fired) fired++;
    }),
    { numRuns: runs, seed, ...(options.path === undefined ? {} : { path: options.path }) },
  );
  const counts = {
    component: subject.name,
    dialect,
    seed,
    runs: details.numRuns,
    valid,
    fired,
    guarded,
  };
  if (details.failed) {
    const error: unknown = details.errorInstance;
    const [shrunk] = details.counterexample ?? [];
    const failure = {
      property: error instanceof ContractBreach ? error.property : 'error',
      rules: error instanceof ContractBreach ? error.rules : [],
      message:
        error instanceof Error
          ? error instanceof ContractBreach
            ? error.message
            : (error.stack ?? error.message)
          : String(error),
      counterexample: shrunk === undefined ? '' : describeCase(subject, shrunk),
      shrunk,
      shrinks: details.numShrinks,
      path: details.counterexamplePath ?? undefined,
    };
    return { ...counts, failure };
  }
  const meetsSubject = options.path !== undefined || fired >= leastFired * valid;
  if (meetsSubject) return { ...counts, failure: undefined };
  const message = `fired: ${fired} of ${valid} runs, expected ${Math.ceil(leastFired * valid)} at least; the properties hardly meet the component`;
  const failure = {
    property: 'fired',
    rules: [],
    message,
    counterexample: '',
    shrunk: undefined,
    shrinks: 0,
    path: undefined,
  };
  return { ...counts, failure };
}
