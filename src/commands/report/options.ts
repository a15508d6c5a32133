import { HarnessError } from '../../errors.ts';
import { type ComparisonOptions, comparisonOptions } from '../comparison-options.ts';

export interface ReportOptions extends Pick<ComparisonOptions, 'baseline' | 'margin'> {
  /** CSV files of runs; empty: the newest. */
  readonly runs: readonly string[];
  /** File of the report; undefined: beside the first run. */
  readonly out: string | undefined;
  /** Folder for the charts by themselves. */
  readonly svg: string | undefined;
  /** File of the Markdown summary; `-`: standard output. */
  readonly markdown: string | undefined;
  /** File of the rows as Parquet; that of the requests is written beside it. */
  readonly parquet: string | undefined;
  /** Whether secrets of common kinds are replaced. */
  readonly redact: boolean;
  readonly json: boolean;
}

/** Checks what the command line gave. Throws HarnessError `usage` for a wrong value. */
export function reportOptions(
  runs: readonly string[],
  parsed: Readonly<Record<string, unknown>>,
): ReportOptions {
  const { baseline, margin } = comparisonOptions(parsed);
  const one = (name: string) => {
    const value = parsed[name];
    if (value === undefined || typeof value === 'string') return value;
    throw new HarnessError('usage', `--${name} was given more than once: give it once`);
  };
  const markdown = one('markdown');
  const json = parsed.json === true;
  if (json && markdown === '-') {
    const message = '--json and --markdown - both write to standard output: give --markdown a file';
    throw new HarnessError('usage', message);
  }
  return {
    runs,
    baseline,
    margin,
    out: one('out'),
    svg: one('svg'),
    markdown,
    parquet: one('parquet'),
    redact: parsed.redact !== false,
    json,
  };
}
