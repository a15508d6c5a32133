import { type CellResult, isFinished } from '../../rows/result.ts';
import { type CostTotals, costTotalsOf } from '../cost-totals.ts';
import { pValue, ratio } from '../figures-text.ts';
import { type MarkdownColumn, markdownName, markdownTable, markdownText } from '../markdown.ts';
import { oneDecimal, thousands, UNMEASURED } from '../numbers.ts';
import { compareMeasure, type MeasureComparison } from '../statistics/measures.ts';
import { controlledBy, withControlsBeside } from './controls.ts';

interface CostRow {
  readonly config: string;
  /** Cells whose every call has a price, and all finished ones. */
  readonly priced: number;
  readonly cells: number;
  /** Tokens saved in the priced cells. */
  readonly saved: number;
  /** Of the priced cells. */
  readonly cost: CostTotals;
  /** What a task costs all in all, config minus baseline, in USD. */
  readonly spent: MeasureComparison;
}

/** Sums of dollars differ in their last digits by the order of adding. */
const NOTHING = 1e-9;

/** Price bases that are written out; the others are in the rows. */
const MOST_BASES = 12;

/** What each config costs after the prompt cache and with the component's own calls; nothing where no cell is priced. */
export function costSection(
  rows: readonly CellResult[],
  configs: readonly string[],
  baseline: string,
): string[] {
  const finished = rows.filter(isFinished);
  const lines = configs.map((config) => rowOf(finished, config, baseline));
  if (lines.every(({ priced }) => priced === 0)) return [];
  const bases = [...new Set(finished.flatMap(({ priceBasis }) => priceBasis ?? []))];
  return [
    ...markdownTable(columns(baseline), withControlsBeside(lines)),
    '',
    'USD of all requests, output, system prompt and tools included, by the provider’s own cache rules: *net* is before − after − what the component’s own model calls cost. *USD a task* is what a task costs with the component, minus the same of the baseline, with the 95 % t-interval. *Cache bust* is tokens that stayed but were written or sent fresh again where the recording had them from the cache. *Even at* is the request from which all spent stays below the recording (median).',
    '',
    ...verdicts(lines, baseline).map((line) => `- ${line}`),
    '',
    ...basisLines(bases),
  ];
}

function rowOf(finished: readonly CellResult[], config: string, baseline: string): CostRow {
  const own = finished.filter((row) => row.config === config);
  const priced = own.filter(({ usdNet }) => usdNet !== undefined);
  return {
    config,
    priced: priced.length,
    cells: own.length,
    saved: priced.reduce(
      (sum, { tokensBefore = 0, tokensAfter = 0 }) => sum + tokensBefore - tokensAfter,
      0,
    ),
    cost: costTotalsOf(priced),
    spent: compareMeasure(finished, spentOf, { baseline, config }),
  };
}

function spentOf({ usdBefore, usdNet }: CellResult): number | undefined {
  return usdBefore === undefined || usdNet === undefined ? undefined : usdBefore - usdNet;
}

function columns(baseline: string): MarkdownColumn<CostRow>[] {
  const isBaseline = ({ config }: CostRow) => config === baseline;
  return [
    {
      header: 'config',
      align: 'left',
      cell: ({ config }) =>
        `${controlledBy(config) === undefined ? '' : '↳ '}${markdownName(config)}`,
    },
    { header: 'cells priced', cell: ({ priced, cells }) => ratio(priced, cells) },
    { header: 'USD before', cell: ({ cost }) => usd(cost.usdBefore) },
    { header: 'USD after', cell: ({ cost }) => usd(cost.usdAfter) },
    { header: 'USD of the component', cell: ({ cost }) => usd(cost.usdModel) },
    { header: 'USD net', cell: ({ cost }) => signedUsd(cost.usdNet) },
    { header: 'net %', cell: ({ cost }) => netPercent(cost) },
    {
      header: 'USD a task',
      cell: (row) => (isBaseline(row) ? UNMEASURED : difference(row.spent)),
    },
    { header: 'p', cell: (row) => (isBaseline(row) ? UNMEASURED : pValue(row.spent.test.p)) },
    {
      header: 'from cache %, before',
      cell: ({ cost }) => oneDecimal(cost.cacheReadPercentBefore),
    },
    { header: 'after', cell: ({ cost }) => oneDecimal(cost.cacheReadPercentAfter) },
    { header: 'cache bust', cell: ({ cost }) => whole(cost.cacheBust) },
    { header: 'even at', cell: ({ cost }) => whole(cost.breakEvenRequest) },
  ];
}

/** Which config is cheapest, and which save tokens and cost money. */
function verdicts(lines: readonly CostRow[], baseline: string): string[] {
  const held = lines.filter(
    ({ config, priced }) => config !== baseline && controlledBy(config) === undefined && priced > 0,
  );
  const [best] = held.toSorted((a, b) => (b.cost.usdNet ?? 0) - (a.cost.usdNet ?? 0));
  if (best === undefined) return [];
  const found: string[] = [];
  const net = best.cost.usdNet ?? 0;
  // Sums over different cells are no order.
  if (new Set(held.map(({ priced }) => priced)).size > 1) {
    found.push(
      'The configs have prices of different cells, so their sums are no order; compare USD a task.',
    );
  } else if (net > NOTHING) {
    found.push(
      `${markdownName(best.config)} is the cheapest: ${usd(net)} USD less than the recording (${netPercent(best.cost)} %)${best.spent.direction === 'lower' ? '' : ', which over these tasks is not clear of 0'}.`,
    );
  } else {
    found.push('**No config costs less than the recording.**');
  }
  for (const { config, saved, cost } of held) {
    if (saved <= 0 || (cost.usdNet ?? 0) >= -NOTHING) continue;
    found.push(
      `${markdownName(config)} saves ${thousands(saved)} tokens **and costs ${usd(-(cost.usdNet ?? 0))} USD more** than the recording.`,
    );
  }
  return found;
}

function basisLines(bases: readonly string[]): string[] {
  if (bases.length === 0) return [];
  const shown = bases.slice(0, MOST_BASES).map((basis) => `- ${markdownText(basis)}`);
  const more = bases.length - shown.length;
  return [
    'Where the prices are from:',
    '',
    ...shown,
    ...(more > 0 ? [`- and ${more} more, in the column \`price_basis\``] : []),
  ];
}

function netPercent({ usdNet, usdBefore }: CostTotals): string {
  if (usdNet === undefined || usdBefore === undefined || usdBefore === 0) return UNMEASURED;
  return typeset(((100 * usdNet) / usdBefore).toFixed(1));
}

function difference({ difference: value, interval }: MeasureComparison): string {
  if (value === undefined) return UNMEASURED;
  const bound =
    interval === undefined ? '' : ` [${signedUsd(interval.low)}, ${signedUsd(interval.high)}]`;
  return `${signedUsd(value)}${bound}`;
}

/** Four decimals: what a single task costs is a few cents. */
function usd(value: number | undefined): string {
  return value === undefined ? UNMEASURED : typeset(value.toFixed(4));
}

function signedUsd(value: number | undefined): string {
  const text = usd(value);
  return value === undefined || value <= 0 || Number(text) === 0 ? text : `+${text}`;
}

/** With the sign of a minus, and none of a zero. */
function typeset(text: string): string {
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

function whole(value: number | undefined): string {
  return value === undefined ? UNMEASURED : thousands(value);
}
