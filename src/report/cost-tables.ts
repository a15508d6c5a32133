import { oneDecimal, thousands, UNMEASURED } from './numbers.ts';
import { shortenNames } from './shorten.ts';
import type { TableColumn } from './table.ts';
import type { ConfigTotals } from './totals.ts';

/** Columns of the table "Cost", names left out. */
export function costColumns(totals: readonly ConfigTotals[]): TableColumn[] {
  const usd = (name: string, value: (total: ConfigTotals) => number | undefined) =>
    right(['USD', name], dollarColumn(totals.map(value)));
  return [
    usd('before', ({ cost }) => cost.usdBefore),
    usd('after', ({ cost }) => cost.usdAfter),
    usd('model', ({ cost }) => cost.usdModel),
    usd('net', ({ cost }) => cost.usdNet),
    right(
      ['cached', '%'],
      totals.map(({ cost }) => oneDecimal(cost.cacheReadPercentBefore)),
    ),
    right(
      ['after', '%'],
      totals.map(({ cost }) => oneDecimal(cost.cacheReadPercentAfter)),
    ),
    right(['cache', 'bust'], countColumn(totals.map(({ cost }) => cost.cacheBust))),
    right(
      ['even', 'at'],
      totals.map(({ cost }) => integer(cost.breakEvenRequest)),
    ),
  ];
}

/** Says by name which configs save tokens and cost more dollars; one line each, none over `width`. */
export function dearerLines(totals: readonly ConfigTotals[], width: number): string[] {
  const dearer = totals.flatMap(({ config, gross, before, cost: { usdNet, usdBefore } }) => {
    if (gross <= 0 || usdNet === undefined || usdNet >= -NOTHING) return [];
    const saved = `${oneDecimal(before === 0 ? undefined : (100 * gross) / before)} % fewer tokens`;
    const share = usdBefore === undefined || usdBefore === 0 ? undefined : -usdNet / usdBefore;
    const more = share === undefined ? '' : ` (+${oneDecimal(100 * share)} %)`;
    const says = `: ${saved}, yet ${dollars(-usdNet)} USD dearer${more}`;
    return [{ config, says }];
  });
  const room = width - 2 - Math.max(0, ...dearer.map(({ says }) => says.length));
  const names = shortenNames(
    dearer.map(({ config }) => config),
    room,
  );
  return dearer.map(({ says }, index) => `! ${names[index] ?? ''}${says}`);
}

export const costNotes: readonly string[] = [
  'USD            price of the requests, output, system prompt and tools included;',
  '               net: before − after − model; – where a price is not known',
  'cached, after  input tokens read from the prompt cache, before and after',
  'cache bust     tokens that stayed but were written or sent fresh again, where',
  '               the recording had them from the cache',
  'even at        request from which all spent stays below the recording (median)',
];

/** Sums of dollars differ in their last digits by the order of adding. */
const NOTHING = 1e-9;

/** As many decimals for all as the largest leaves room for, so that they can be compared. */
function dollarColumn(values: readonly (number | undefined)[]): string[] {
  const largest = Math.max(0, ...values.map((value) => Math.abs(value ?? 0)));
  const decimals = largest < 100 ? 4 : largest < 10_000 ? 2 : 0;
  return values.map((value) => (value === undefined ? UNMEASURED : fixed(value, decimals)));
}

function dollars(usd: number): string {
  return fixed(usd, usd < 100 ? 4 : 2);
}

/** Without the sign of a zero. */
function fixed(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  return /^-0(?:\.0*)?$/.test(text) ? text.slice(1) : text;
}

function countColumn(values: readonly (number | undefined)[]): string[] {
  const largest = Math.max(0, ...values.map((value) => value ?? 0));
  const [unit, scale] =
    largest < 1e6
      ? (['', 1] as const)
      : largest < 1e9
        ? (['k', 1e3] as const)
        : (['M', 1e6] as const);
  return values.map((value) =>
    value === undefined ? UNMEASURED : `${thousands(value / scale)}${unit}`,
  );
}

function integer(value: number | undefined): string {
  return value === undefined ? UNMEASURED : thousands(value);
}

function right(header: readonly string[], cells: readonly string[]): TableColumn {
  return { header, cells, align: 'right' };
}
