import type { CellResult } from '../../rows/result.ts';
import type { Comparison } from '../comparison.ts';
import type { ConfigTotals } from '../totals.ts';
import type { ConfigSources } from './savings-sources.ts';
import type { SessionCurve } from './session-curves.ts';

/** What a report says of one of its runs. Texts are fit to be shown. */
export interface ReportRun {
  /** Path of the CSV, as the user would write it. */
  readonly file: string;
  readonly status: string;
  readonly started: string;
  /** Whom components asked. */
  readonly model: string;
  readonly tokenizer: string;
  readonly expand: string;
  readonly guard: boolean;
  readonly patterns: readonly string[];
  readonly harness: string;
  /** Revision with `+` where files had changed; undefined where it is not known. */
  readonly revision: string | undefined;
}

/** A config as its run's manifest has it. Texts are fit to be shown. */
export interface ReportConfig {
  readonly name: string;
  readonly about: string;
  /** Name of the document that it was made from. */
  readonly source: string;
  /** The whole document as YAML, without secrets. */
  readonly text: string;
}

/** Before and after of some cells as a block of data for the page. */
export interface DetailBlock {
  /** Places of its cells among the rows. */
  readonly rows: readonly number[];
  readonly json: string;
}

/** What only a replay shows. Texts are fit to be shown. */
export interface Replayed {
  /** Cells that were replayed for it. */
  readonly cells: number;
  readonly curves: readonly SessionCurve[];
  /** By config. */
  readonly sources: ReadonlyMap<string, ConfigSources>;
  readonly details: readonly DetailBlock[];
  /** Sentences on what was left out, and why. */
  readonly notes: readonly string[];
}

/** Everything that a report is made from; the same gives the same report. Names in it are fit to be shown. */
export interface ReportInput {
  readonly title: string;
  readonly baseline: string;
  readonly runs: readonly ReportRun[];
  readonly configs: readonly ReportConfig[];
  readonly rows: readonly CellResult[];
  readonly comparison: Comparison;
  readonly totals: readonly ConfigTotals[];
  readonly replayed: Replayed;
}

/** Sentences on runs that do not have all of their cells. */
export function unfinished(runs: readonly ReportRun[]): string[] {
  return runs
    .filter(({ status }) => status === 'interrupted' || status === 'running')
    .map(({ file, status }) =>
      status === 'running'
        ? `${file} is not finished: it runs, or was killed. What is here are the cells so far.`
        : `${file} was interrupted: what is here are the cells until then.`,
    );
}
