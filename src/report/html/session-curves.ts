import type { CellResult } from '../../rows/result.ts';
import { controlledBy } from '../results/controls.ts';
import type { ConfigTotals } from '../totals.ts';

/** Tokens of each request of one recording, as recorded and under some configs. */
export interface SessionCurve {
  readonly task: string;
  readonly trial: string;
  readonly lineage: string;
  readonly before: readonly number[];
  readonly after: readonly {
    readonly config: string;
    /** Place of the cell among the rows. */
    readonly row: number;
    readonly tokens: readonly number[];
  }[];
}

const MOST_SESSIONS = 4;
const MOST_CONFIGS = 5;
const FEWEST_REQUESTS = 4;

/** Which cells the curves are of: the largest recordings, under the configs that save most, of equal ones the first. */
export interface CurveChoice {
  readonly recordings: ReadonlySet<string>;
  readonly configs: readonly string[];
}

/** What tells one recording from the others. */
export function recordingKey({
  task,
  trial,
  lineage,
  transcriptHash,
}: Pick<CellResult, 'task' | 'trial' | 'lineage' | 'transcriptHash'>): string {
  return JSON.stringify([task, trial, lineage, transcriptHash]);
}

/** Chooses from rows alone, so that a replay keeps no other curve. */
export function curveChoice(
  rows: readonly CellResult[],
  totals: readonly ConfigTotals[],
): CurveChoice {
  const sizes = new Map<string, number>();
  for (const row of rows) {
    if ((row.requests ?? 0) < FEWEST_REQUESTS) continue;
    sizes.set(recordingKey(row), row.tokensBefore ?? 0);
  }
  const recordings = [...sizes]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, MOST_SESSIONS)
    .map(([key]) => key);
  const seen = new Set<string>();
  const configs = totals
    .filter(({ config, fired }) => fired > 0 && controlledBy(config) === undefined)
    .toSorted((a, b) => Number(b.frontier) - Number(a.frontier) || b.net - a.net)
    // Settings without an effect would draw one line over the other.
    .filter(({ gross, net, fired }) => {
      const figures = `${gross} ${net} ${fired}`;
      if (seen.has(figures)) return false;
      seen.add(figures);
      return true;
    })
    .slice(0, MOST_CONFIGS)
    .map(({ config }) => config);
  return { recordings: new Set(recordings), configs };
}
