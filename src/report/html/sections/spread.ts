import { type CellResult, isFinished } from '../../../rows/result.ts';
import { pushAll } from '../../../text/long-lists.ts';
import { type SpreadPoint, type SpreadRow, spreadChart } from '../../charts/spread-chart.ts';
import { oneDecimal } from '../../numbers.ts';
import { controlledBy } from '../../results/controls.ts';
import { sampleQuantile } from '../../statistics/quantiles.ts';
import { cellHref, rowsHref, rowsLink } from '../links.ts';
import { element } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import { chartOf, figure, notMeasured, type Section } from '../section.ts';
import { table } from '../table.ts';

const MOST_CONFIGS = 20;
/** Tukey's fences: this many times the middle half beyond its ends. */
const FENCE = 1.5;

/** How savings spread over tasks, and which tasks lie far from the others. */
export function spreadSection({ rows, totals, baseline }: ReportInput): Section {
  const head = { id: 'spread', title: 'Distribution over tasks', short: 'Tasks' };
  const all = totals
    .filter(({ config, fired }) => config !== baseline && fired > 0)
    .map(({ config }) => config);
  const own = all.filter((config) => controlledBy(config) === undefined);
  const configs = (own.length > 0 ? own : all).slice(0, MOST_CONFIGS);
  const points: SpreadPoint[] = [];
  const lines: (SpreadRow & {
    readonly outliers: readonly SpreadPoint[];
    readonly cells: number;
  })[] = [];
  for (const config of configs) {
    const cells = cellsOf(rows, config);
    const values = cells.map(({ percent }) => percent).sort((a, b) => a - b);
    const quartile = (share: number) => sampleQuantile(values, share) ?? 0;
    const [low, median, high] = [quartile(0.25), quartile(0.5), quartile(0.75)];
    const room = FENCE * (high - low);
    const ofConfig = cells.map(
      ({ row, place, percent }): SpreadPoint => ({
        config,
        task: row.task,
        percent,
        isOutlier: percent < low - room || percent > high + room,
        href: cellHref(place),
      }),
    );
    pushAll(points, ofConfig);
    const outliers = ofConfig
      .filter(({ isOutlier }) => isOutlier)
      .toSorted((a, b) => a.percent - b.percent);
    lines.push({ config, low, median, high, outliers, cells: cells.length });
  }
  if (points.length === 0) {
    return { ...head, body: notMeasured('No config rewrote a request.'), charts: [] };
  }
  const chart = chartOf('spread', (width) => spreadChart(points, lines, width));
  const figures = table({
    caption: 'Distribution of savings of each config',
    columns: [
      {
        header: 'config',
        align: 'left',
        cell: ({ config }) => rowsLink([['config', '=', config]], config),
        sort: ({ config }) => config,
      },
      { header: 'cells', cell: ({ cells }) => String(cells) },
      { header: 'lower quartile %', cell: ({ low }) => oneDecimal(low), sort: ({ low }) => low },
      {
        header: 'median %',
        cell: ({ median }) => oneDecimal(median),
        sort: ({ median }) => median,
      },
      {
        header: 'upper quartile %',
        cell: ({ high }) => oneDecimal(high),
        sort: ({ high }) => high,
      },
      {
        header: 'outliers',
        align: 'left',
        cell: ({ outliers }) =>
          outliers.length === 0
            ? 'none'
            : outliers
                .slice(0, 8)
                .map(({ task, percent, href }, index) => [
                  index === 0 ? '' : ', ',
                  element('a', { href }, `${task} (${oneDecimal(percent)} %)`),
                ]),
        sort: ({ outliers }) => outliers.length,
      },
    ],
    rows: lines,
    href: ({ config }) => rowsHref([['config', '=', config]]),
  });
  const more =
    all.length > configs.length
      ? ` Controls${own.length > MOST_CONFIGS ? ' and further configs' : ''} are not drawn.`
      : '';
  const caption = `Each dot is a cell and opens it. Outliers lie more than one and a half times the middle half beyond its ends (Tukey's fences).${more}`;
  return { ...head, charts: [chart], body: element('div', {}, figure(chart, caption, figures)) };
}

function cellsOf(rows: readonly CellResult[], config: string) {
  return rows.flatMap((row, place) =>
    row.config === config && isFinished(row) && row.percentSaved !== undefined
      ? [{ row, place, percent: row.percentSaved }]
      : [],
  );
}
