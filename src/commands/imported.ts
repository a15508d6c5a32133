import { resolve } from 'node:path';
import { HarnessError, nearestName } from '../errors.ts';
import { type Comparison, compareAll } from '../report/comparison.ts';
import { joinedSavings, joinLive, type LiveJoin } from '../report/live-join.ts';
import { type PublishedTable, parsePublished } from '../report/published.ts';
import type { CellResult } from '../rows/result.ts';
import { wholeText } from '../text/whole-file.ts';
import type { ComparisonOptions } from './comparison-options.ts';
import { BASELINE } from './defaults.ts';

/** A table of live rewards, read and compared. */
export interface Imported {
  readonly table: PublishedTable;
  /** Where an offline run was laid beside it. */
  readonly join: LiveJoin | undefined;
  readonly comparison: Comparison;
}

/** Rejects with `input.missing`, `input.size`, with what `parsePublished` throws, or `usage` for an unknown baseline. */
export async function importRewardsFrom(
  file: string,
  options: ComparisonOptions & { readonly configs?: readonly string[] },
  rows: readonly CellResult[] | undefined,
  cwd: string,
): Promise<Imported> {
  const text = await wholeText(resolve(cwd, file), { what: 'the rewards', shown: file });
  const table = parsePublished(text, file, options.columns);
  const baseline = configNamed(options.baseline ?? BASELINE, table, '--baseline');
  const { configs = [] } = options;
  const compared = configs.map((name) => configNamed(name, table, '--config'));
  const join = rows === undefined ? undefined : joinLive(table, rows, baseline);
  if (join?.joined === 0) {
    const message =
      'no row has a task, trial and config of the run; leave --run out to compare the table by itself';
    throw new HarnessError('input.schema', message, { at: { file } });
  }
  const comparison = compareAll({
    baseline,
    configs: compared.length > 0 ? compared : table.configs,
    rewardKind: 'live',
    outcomes: table.rows,
    cells: joinedSavings(table, join),
    margin: options.margin,
    missing: options.missing,
  });
  return { table, join, comparison };
}

function configNamed(name: string, { configs }: PublishedTable, option: string): string {
  if (configs.includes(name)) return name;
  const nearest = nearestName(name, configs);
  const hint = nearest === undefined ? '.' : `; did you mean '${nearest}'?`;
  const some = configs.slice(0, 20).join(', ');
  const message = `${option}: the table has no config '${name}'${hint} It has: ${some}`;
  throw new HarnessError('usage', message);
}
