import { type CellResult, isFinished } from '../../../rows/result.ts';
import { type BarPart, stackedBars } from '../../charts/stacked-bars.ts';
import { oneDecimal, thousands, UNMEASURED } from '../../numbers.ts';
import { controlledBy, withControlsBeside } from '../../results/controls.ts';
import type { ConfigTotals } from '../../totals.ts';
import { configName } from '../config-name.ts';
import { type Condition, rowsHref, rowsLink } from '../links.ts';
import { element } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import {
  behind,
  bulletList,
  chartOf,
  figure,
  notMeasured,
  paragraph,
  type Section,
} from '../section.ts';
import { type TableColumn, table } from '../table.ts';

type Figure = (row: CellResult) => number | undefined;

/** Input tokens of a config's cells by tier; undefined where no cell has the tier. */
interface Line {
  readonly name: string;
  readonly total: ConfigTotals;
  /** Cells with tiers, and all finished ones. */
  readonly measured: number;
  readonly cells: number;
  readonly fresh: number | undefined;
  readonly read: number | undefined;
  readonly write: number | undefined;
}

const PARTS = ['fresh', 'cache write', 'cache read'];

/** What the requests cost, by the provider's tiers: a rewrite that saves tokens can break its cache. */
export function tiersSection(input: ReportInput): Section {
  const head = { id: 'cost', title: 'Cost by tier', short: 'Cost' };
  const lines = linesOf(input);
  if (lines.every(({ measured }) => measured === 0)) {
    const body = notMeasured(
      'No cell has tokens by tier (fresh, cache read, cache write) or a price of its requests. ',
      modelCosts(input),
    );
    return { ...head, body, charts: [] };
  }
  const parts = lines.flatMap(({ name, total, fresh, read, write }) =>
    [fresh, write, read].map(
      (value, index): BarPart => ({
        bar: name,
        part: PARTS[index] ?? '',
        value: value ?? 0,
        href: rowsHref([['config', '=', total.config]]),
      }),
    ),
  );
  const chart = chartOf('tiers', (width) =>
    stackedBars(parts, {
      label: 'Input tokens of each config by tier of price.',
      axis: 'input tokens →',
      width,
      parts: PARTS,
    }),
  );
  const bases = [...new Set(input.rows.flatMap(({ priceBasis }) => priceBasis ?? []))];
  return {
    ...head,
    charts: [chart],
    body: element(
      'div',
      {},
      figure(
        chart,
        'Input tokens of all requests, system prompt and tools included, by what the provider charges for them: reading the prompt cache costs a fraction of fresh tokens, and a rewrite gives up what was cached behind it.',
        undefined,
      ),
      dearer(input),
      table({
        caption: 'Cost of each config',
        columns: columnsOf(lines),
        rows: lines,
        rowClass: ({ total }) => (controlledBy(total.config) === undefined ? undefined : 'control'),
      }),
      bases.length === 0
        ? undefined
        : behind(`Where the prices are from (${bases.length})`, bulletList(bases.slice(0, 40))),
    ),
  };
}

/** Sums of dollars differ in their last digits by the order of adding. */
const NOTHING = 1e-9;

/** Configs that save tokens and cost money. */
function dearer({ totals }: ReportInput) {
  const found = totals.filter(({ gross, cost }) => gross > 0 && (cost.usdNet ?? 0) < -NOTHING);
  if (found.length === 0) return undefined;
  return paragraph(
    element('strong', { class: 'bad' }, 'Saves tokens and costs more: '),
    found
      .slice(0, 8)
      .map(({ config }, index) => [
        index === 0 ? '' : ', ',
        rowsLink([['config', '=', config]], config),
      ]),
    found.length > 8 ? ` and ${found.length - 8} more` : '',
    '.',
  );
}

function modelCosts({ totals }: ReportInput): string {
  return totals.some(({ modelUsd }) => (modelUsd ?? 0) > 0)
    ? 'What is known is the price of the components’ own model calls: the column model USD above.'
    : '';
}

function linesOf({ rows, totals, baseline }: ReportInput): Line[] {
  const finished = rows.filter(isFinished);
  return withControlsBeside(totals).map((total) => {
    const own = finished.filter((row) => row.config === total.config);
    const priced = own.filter((row) => row.freshAfter !== undefined);
    const sum = (figureOf: Figure) => {
      const values = priced.flatMap((row) => figureOf(row) ?? []);
      return values.length === 0 ? undefined : values.reduce((all, value) => all + value, 0);
    };
    return {
      name: total.config === baseline ? `${total.config} (as recorded)` : total.config,
      total,
      measured: priced.length,
      cells: own.length,
      fresh: sum((row) => row.freshAfter),
      read: sum((row) => row.cacheReadAfter),
      write: sum((row) => row.cacheWriteAfter),
    };
  });
}

function columnsOf(lines: readonly Line[]): TableColumn<Line>[] {
  const isPartial = lines.some(({ measured, cells }) => measured < cells);
  const columns: (TableColumn<Line> | undefined)[] = [
    {
      header: 'config',
      align: 'left',
      cell: ({ total }) => configName(total.config),
      sort: ({ name }) => name,
    },
    isPartial
      ? {
          header: 'cells with tiers',
          cell: ({ measured, cells }) => `${measured}/${cells}`,
          sort: ({ measured }) => measured,
        }
      : undefined,
    counted('fresh', ({ fresh }) => fresh, thousands),
    counted('cache write', ({ write }) => write, thousands),
    counted('cache read', ({ read }) => read, thousands),
    counted('read %', ({ total }) => total.cost.cacheReadPercentAfter, oneDecimal),
    counted(
      'cache lost',
      ({ total }) => total.cost.cacheBust,
      thousands,
      [['cache_bust_tokens', '>', 0]],
      'Tokens that were kept, and were fresh or written again where the recording had read them from the cache.',
    ),
    counted('requests USD', ({ total }) => total.cost.usdAfter, dollars),
    counted('model USD', ({ total }) => total.cost.usdModel, dollars, [['model_calls', '>', 0]]),
    counted('net saved USD', ({ total }) => total.cost.usdNet, dollars),
    counted(
      'pays from request',
      ({ total }) => total.cost.breakEvenRequest,
      thousands,
      [],
      'The request, from 1, from which on a cell is ahead of its recording: the median.',
    ),
  ];
  return columns.flatMap((column) => column ?? []);
}

function counted(
  header: string,
  value: (line: Line) => number | undefined,
  spell: (value: number) => string,
  conditions: readonly Condition[] = [],
  about?: string,
): TableColumn<Line> {
  return {
    header,
    ...(about === undefined ? {} : { about }),
    cell: (line) => {
      const found = value(line);
      if (found === undefined) return UNMEASURED;
      return rowsLink([['config', '=', line.total.config], ...conditions], spell(found));
    },
    sort: value,
  };
}

function dollars(usd: number): string {
  const text = Math.abs(usd).toFixed(Math.abs(usd) < 100 ? 4 : 2);
  return usd < 0 ? `−${text}` : text;
}
