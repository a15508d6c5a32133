import { resolve } from 'node:path';
import { pointsOf } from '../report/caveats.ts';
import type { Comparison, ConfigFigures } from '../report/comparison.ts';
import { comparisonLines } from '../report/comparison-page.ts';
import { visible, wrapped } from '../report/figures-text.ts';
import type { LiveJoin } from '../report/live-join.ts';
import { thousands } from '../report/numbers.ts';
import { paintFor } from '../report/paint.ts';
import { readRows } from '../rows/csv.ts';
import { pushAll } from '../text/long-lists.ts';
import type { ComparisonOptions } from './comparison-options.ts';
import type { Environment, ExitCode } from './environment.ts';
import { type Imported, importRewardsFrom } from './imported.ts';
import { jsonOutput } from './json-output.ts';

export interface ImportRewardsOptions extends ComparisonOptions {
  readonly file: string;
  /** CSV of an offline run to join with. */
  readonly run: string | undefined;
  /** Configs to compare with the baseline; empty: all. */
  readonly configs: readonly string[];
  readonly json: boolean;
}

/**
 * `import-rewards`: compares the rewards of live runs, `task, config, reward`, as paired data, alone or beside
 * an offline run of the same tasks, and prints the page.
 */
export async function importRewards(
  options: ImportRewardsOptions,
  { cwd, stdout, variables }: Environment,
): Promise<ExitCode> {
  const { file, run, json } = options;
  const rows = run === undefined ? undefined : await readRows(resolve(cwd, run));
  const imported = await importRewardsFrom(file, options, rows, cwd);
  if (json) {
    stdout.write(`${jsonOutput(comparisonJson(file, imported))}\n`);
    return 0;
  }
  const paint = paintFor(stdout.isTerminal, variables);
  const lines = [
    ...openingLines(file, imported),
    '',
    ...comparisonLines(imported.comparison, paint),
  ];
  stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function openingLines(file: string, { table, join, comparison }: Imported): string[] {
  const { configs, baseline, margin, missing } = comparison;
  const lines = [
    `${visible(file)}: ${thousands(table.rows.length)} outcomes of live runs, ${thousands(comparison.tasks)} tasks, ${configs.length} configs`,
    `held against ${visible(baseline)}; margin ${pointsOf(margin)}; a missing outcome is ${missing === 'loss' ? 'a loss' : 'left out'}`,
  ];
  if (table.withoutReward > 0) {
    lines.push(`${thousands(table.withoutReward)} rows have no reward: they count as missing`);
  }
  if (table.impliedTrials > 0) {
    lines.push(
      `${thousands(table.impliedTrials)} rows repeat a task and config: they are read as further trials`,
    );
  }
  if (join !== undefined) pushAll(lines, joinLines(join));
  return lines.flatMap((line) => wrapped(line, 80, '  '));
}

/** What the join found, and how the grounded reward of the replay bore out. */
function joinLines({ joined, alone, cellsAlone, agreement }: LiveJoin): string[] {
  const { both, groundedOnly, liveOnly, neither } = agreement;
  const compared = both + groundedOnly + liveOnly + neither;
  const lines = [
    `joined with the run: ${thousands(joined)} rows; without a cell: ${thousands(alone)}; cells without a row: ${thousands(cellsAlone)}`,
  ];
  if (compared === 0) return lines;
  return [
    ...lines,
    `grounded against live reward, ${thousands(compared)} cells: both solved ${both}, only grounded ${groundedOnly}, only live ${liveOnly}, neither ${neither}`,
  ];
}

/** Shares are of 1, tokens are tokens; a figure that is not known is null. */
function comparisonJson(file: string, { table, join, comparison }: Imported) {
  const { baseline, margin, missing, tasks, noiseFloor } = comparison;
  return {
    file,
    baseline,
    margin,
    missing,
    outcomes: table.rows.length,
    without_reward: table.withoutReward,
    implied_trials: table.impliedTrials,
    tasks,
    noise_floor: noiseFloor ?? null,
    join:
      join === undefined
        ? null
        : {
            joined: join.joined,
            rows_alone: join.alone,
            cells_alone: join.cellsAlone,
            grounded_against_live: join.agreement,
          },
    configs: comparison.configs.map(configJson),
  };
}

function configJson({ config, rate, reward, savings }: ConfigFigures) {
  const { sent } = savings;
  return {
    config,
    outcomes: rate?.outcomes ?? null,
    resolved: rate?.resolved ?? null,
    rate: rate?.rate ?? null,
    rate_interval: rate?.interval ?? null,
    reward: reward === undefined ? null : rewardJson(reward),
    savings: {
      cells: savings.cells,
      counted: savings.counted,
      gross: savings.gross ?? null,
      unique: savings.unique ?? null,
      net: savings.net ?? null,
      pooled_pct: savings.pooledPercent ?? null,
      mean_pct: savings.meanPercent ?? null,
      median_pct: savings.medianPercent ?? null,
      fired_cells: savings.firedCells,
      sent_in_both: sent.tasks,
      sent_baseline: sent.baseline,
      sent: sent.config,
      sent_change_pct: sent.percent ?? null,
      signs_disagree: savings.signsDisagree,
      disagreeing: sent.disagreeing,
    },
  };
}

function rewardJson(reward: NonNullable<Comparison['configs'][number]['reward']>) {
  const { verdict, test, adjustedP, bootstrap, detectable, flips, leaveOneOut, pairing } = reward;
  return {
    verdict: verdict.word,
    difference: verdict.difference ?? null,
    low: verdict.interval.low,
    high: verdict.interval.high,
    pairs: pairing.pairs.length,
    test,
    holm_p: adjustedP,
    bootstrap: bootstrap ?? null,
    detectable,
    flips,
    leave_one_out: leaveOneOut ?? null,
    missing: pairing.missing,
    unequal_trials: pairing.unequalTrials,
  };
}
