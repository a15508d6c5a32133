import type { Comparison, ConfigFigures } from '../comparison.ts';
import { bounds, points, pValue, ratio, signed, twoDecimals } from '../figures-text.ts';
import { type MarkdownColumn, markdownName, markdownTable } from '../markdown.ts';
import { thousands, UNMEASURED } from '../numbers.ts';
import type { Fidelity } from '../run-figures.ts';
import { controlledBy, withControlsBeside } from './controls.ts';

type Column = MarkdownColumn<ConfigFigures>;

/** Name of a config in a table; a control stands indented behind the config that it matches. */
const name: Column = {
  header: 'config',
  align: 'left',
  cell: ({ config }) => `${controlledBy(config) === undefined ? '' : '↳ '}${markdownName(config)}`,
};

/** Rewards: resolved, difference with its bound, verdict. Nothing where no reward is known. */
export function rewardTable({ configs, rewardKind }: Comparison): string[] {
  if (configs.every(({ rate }) => rate === undefined)) return [];
  const grounded = rewardKind === 'grounded';
  const columns: Column[] = [
    name,
    { header: 'resolved', cell: ({ rate }) => ratio(rate?.resolved ?? 0, rate?.outcomes ?? 0) },
    { header: 'difference', cell: ({ reward }) => points(reward?.verdict.difference) },
    { header: '[L, U] points', cell: ({ reward }) => bounds(reward?.verdict.interval) },
    { header: 'verdict', align: 'left', cell: verdictCell },
    {
      header: 'p',
      cell: ({ reward }) => (reward === undefined ? UNMEASURED : pValue(reward.test.p)),
    },
    {
      header: "Holm's p",
      cell: ({ reward }) => (reward === undefined ? UNMEASURED : pValue(reward.adjustedP)),
    },
  ];
  if (grounded) {
    columns.push({
      header: 'solved cells that fired',
      cell: ({ solvedFired }) => (solvedFired === undefined ? UNMEASURED : thousands(solvedFired)),
    });
  }
  return markdownTable(columns, withControlsBeside(configs));
}

function verdictCell({ reward }: ConfigFigures): string {
  return reward === undefined ? UNMEASURED : `**${reward.verdict.word}**`;
}

/** Savings, what was sent, and what that cost in evidence and model tokens. */
export function tokenTable(
  { configs }: Comparison,
  fidelity: ReadonlyMap<string, Fidelity>,
): string[] {
  const counted = configs.filter(({ savings }) => savings.counted > 0);
  const figures: (Column | undefined)[] = [
    name,
    tokens('gross', counted, ({ savings }) => savings.gross),
    tokens('unique', counted, ({ savings }) => savings.unique),
    tokens('net', counted, ({ savings }) => savings.net),
    { header: 'pooled %', cell: ({ savings }) => twoDecimals(savings.pooledPercent) },
    { header: 'mean %', cell: ({ savings }) => twoDecimals(savings.meanPercent) },
    { header: 'median %', cell: ({ savings }) => twoDecimals(savings.medianPercent) },
    { header: 'sent against baseline', cell: sentCell },
    { header: 'fired cells', cell: firedCell },
  ];
  const columns = figures.flatMap((column) => column ?? []);
  if (fidelity.size > 0) {
    columns.push(
      {
        header: 'evidence kept %',
        cell: ({ config }) => {
          const { kept = 0, total = 0 } = fidelity.get(config) ?? {};
          return total === 0 ? UNMEASURED : ((100 * kept) / total).toFixed(1);
        },
      },
      {
        header: 'model tokens',
        cell: ({ config }) => thousands(fidelity.get(config)?.modelTokens ?? 0),
      },
    );
  }
  return markdownTable(columns, withControlsBeside(counted));
}

/** A column of token counts; none where no config has the figure. */
function tokens(
  header: string,
  configs: readonly ConfigFigures[],
  value: (figures: ConfigFigures) => number | undefined,
): Column | undefined {
  if (configs.every((figures) => value(figures) === undefined)) return undefined;
  const cell = (figures: ConfigFigures) => {
    const tokenCount = value(figures);
    return tokenCount === undefined ? UNMEASURED : thousands(tokenCount);
  };
  return { header, cell };
}

function sentCell({ savings }: ConfigFigures): string {
  const { percent } = savings.sent;
  if (percent === undefined) return UNMEASURED;
  return `${signed(percent, 1)} %${savings.signsDisagree ? ' ⚠ signs disagree' : ''}`;
}

function firedCell({ savings }: ConfigFigures): string {
  const { firedCells, counted, firedShare } = savings;
  if (firedShare === undefined) return UNMEASURED;
  return `${firedCells}/${counted} (${(100 * firedShare).toFixed(0)} %)`;
}

/** What stands beside the verdict and never decides. */
export function testTable({ configs }: Comparison): string[] {
  if (configs.every(({ reward }) => reward === undefined)) return [];
  const columns: Column[] = [
    name,
    { header: 'mean reward %', cell: ({ rate }) => percentCell(rate?.rate) },
    {
      header: 'Wilson %',
      cell: ({ rate }) =>
        rate?.interval === undefined
          ? UNMEASURED
          : `[${percentCell(rate.interval.low)}, ${percentCell(rate.interval.high)}]`,
    },
    { header: 'bootstrap points', cell: ({ reward }) => bounds(reward?.bootstrap) },
    {
      header: 'detectable points',
      cell: ({ reward }) => points(reward?.detectable).replace('+', ''),
    },
    {
      header: 'pairs that differ',
      cell: ({ reward }) => ratio(reward?.flips.discordant ?? 0, reward?.flips.pairs ?? 0),
    },
    {
      header: 'flips excluded above %',
      cell: ({ reward }) =>
        reward === undefined || reward.flips.upper === 1
          ? UNMEASURED
          : percentCell(reward.flips.upper),
    },
    {
      header: 'one task less, points',
      cell: ({ reward }) => bounds(reward?.leaveOneOut?.difference),
    },
  ];
  return markdownTable(columns, withControlsBeside(configs));
}

function percentCell(share: number | undefined): string {
  return share === undefined ? UNMEASURED : (100 * share).toFixed(1);
}
