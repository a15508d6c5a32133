import * as Plot from '@observablehq/plot';
import { largestOf, smallestOf } from '../../text/long-lists.ts';
import { shortenNames } from '../shorten.ts';
import { drawing, outlined } from './drawing.ts';
import { ink } from './theme.ts';

export interface SpreadPoint {
  readonly config: string;
  readonly task: string;
  /** Saved of its own tokens, in %. */
  readonly percent: number;
  readonly isOutlier: boolean;
  readonly href: string;
}

export interface SpreadRow {
  readonly config: string;
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Cells of one config that are drawn one by one; of more, only the outliers are. */
const MOST_POINTS = 150;

/** How a config's savings spread over the tasks: a dot a cell, the middle half as a bar, outliers named. */
export function spreadChart(
  points: readonly SpreadPoint[],
  rows: readonly SpreadRow[],
  width: number,
): string {
  const isNarrow = width < 500;
  const configs = rows.map(({ config }) => config);
  const names = shortenNames(configs, isNarrow ? 40 : 24);
  const nameOf = new Map(configs.map((config, index) => [config, names[index] ?? config]));
  const counts = new Map<string, number>();
  for (const { config } of points) counts.set(config, (counts.get(config) ?? 0) + 1);
  const drawn = points.filter(
    ({ config, isOutlier }) => isOutlier || (counts.get(config) ?? 0) <= MOST_POINTS,
  );
  const titleOf = ({ task, config, percent }: SpreadPoint) =>
    `${task} under ${config}: ${percent.toFixed(1)} % saved`;
  return drawing({
    label: 'Share of tokens saved of each task, one line of dots a config; outliers are named.',
    width,
    legend: [
      { label: 'one cell', colour: ink('s-1'), shape: 'dot' },
      { label: 'outlier', colour: ink('s-2'), shape: 'dot' },
      { label: 'middle half', colour: ink('faint'), shape: 'square' },
      { label: 'median', colour: ink('ink'), shape: 'line' },
    ],
    plot: {
      height: rows.length * (isNarrow ? 54 : 38) + 46,
      marginTop: 6,
      marginLeft: isNarrow ? 12 : 204,
      marginRight: 16,
      marginBottom: 40,
      x: { label: 'saved, % of the cell’s own tokens →', nice: true, ticks: width / 90 },
      y: { label: null, domain: configs, axis: null },
      marks: [
        Plot.gridX({ ticks: width / 90, stroke: ink('faint'), strokeOpacity: 1 }),
        Plot.barX(rows, {
          x1: 'low',
          x2: 'high',
          y: 'config',
          fill: ink('faint'),
          insetTop: isNarrow ? 24 : 12,
          insetBottom: isNarrow ? 12 : 12,
        }),
        Plot.tickX(rows, {
          x: 'median',
          y: 'config',
          stroke: ink('ink'),
          strokeWidth: 2,
          insetTop: isNarrow ? 20 : 8,
          insetBottom: isNarrow ? 8 : 8,
        }),
        Plot.dot(drawn, {
          x: 'percent',
          y: 'config',
          r: 4,
          fill: ({ isOutlier }: SpreadPoint) => ink(isOutlier ? 's-2' : 's-1'),
          fillOpacity: 0.75,
          dy: isNarrow ? 6 : 0,
          href: 'href',
          title: titleOf,
          ariaLabel: titleOf,
        }),
        ...outlierNames(named(drawn, rows), isNarrow),
        Plot.text(configs, {
          y: (config: string) => config,
          text: (config: string) => nameOf.get(config) ?? config,
          frameAnchor: 'left',
          textAnchor: isNarrow ? 'start' : 'end',
          dx: isNarrow ? 0 : -8,
          dy: isNarrow ? -16 : 0,
          fill: ink('ink'),
        }),
      ],
    },
  });
}

/** Names under their dots, those near an end of the axis towards its middle. */
function outlierNames(points: readonly SpreadPoint[], isNarrow: boolean): Plot.Markish[] {
  const percents = points.map(({ percent }) => percent);
  const [low, high] = [smallestOf(percents, 0), largestOf(percents)];
  const share = ({ percent }: SpreadPoint) => (high === low ? 0 : (percent - low) / (high - low));
  const anchors = [
    ['start', points.filter((point) => share(point) < 0.2)],
    ['middle', points.filter((point) => share(point) >= 0.2 && share(point) <= 0.8)],
    ['end', points.filter((point) => share(point) > 0.8)],
  ] as const;
  return anchors.map(([textAnchor, own]) =>
    Plot.text(own, {
      x: 'percent',
      y: 'config',
      text: ({ task }: SpreadPoint) => (task.length > 26 ? `${task.slice(0, 25)}…` : task),
      dx: textAnchor === 'start' ? -4 : textAnchor === 'end' ? 4 : 0,
      dy: isNarrow ? 20 : 14,
      textAnchor,
      fontSize: 10.5,
      ...outlined,
      fill: ink('soft'),
    }),
  );
}

/** Of each config the outliers with room for a name: the farthest below and above its median. */
function named(points: readonly SpreadPoint[], rows: readonly SpreadRow[]): SpreadPoint[] {
  const medians = new Map(rows.map(({ config, median }) => [config, median]));
  const byConfig = new Map<string, SpreadPoint[]>();
  for (const point of points) {
    if (!point.isOutlier) continue;
    byConfig.set(point.config, [...(byConfig.get(point.config) ?? []), point]);
  }
  return [...byConfig].flatMap(([config, ofConfig]) => {
    const sorted = ofConfig.toSorted((a, b) => a.percent - b.percent);
    const [low, high] = [sorted[0], sorted.at(-1)];
    if (low === undefined || high === undefined) return [];
    if (high.percent - low.percent > 25) return [low, high];
    const median = medians.get(config) ?? 0;
    return median - low.percent >= high.percent - median ? [low] : [high];
  });
}
