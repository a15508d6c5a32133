import * as Plot from '@observablehq/plot';
import { largestOf, pushAll, smallestOf } from '../../text/long-lists.ts';
import { shortenNames } from '../shorten.ts';
import { compactTicks } from './compact.ts';
import { drawing, type LegendEntry, labelWidth, outlined } from './drawing.ts';
import { ink } from './theme.ts';

/** One config in the plane of what it saves and what it keeps. */
export interface EvidencePoint {
  readonly config: string;
  /** Net saved, in tokens. */
  readonly saved: number;
  /** Evidence kept, in %. */
  readonly kept: number;
  readonly isControl: boolean;
  /** No other config that is no control saves as much and keeps as much. */
  readonly onFrontier: boolean;
  readonly href: string;
}

const HEIGHT = 380;
const MARGIN = { top: 22, right: 22, bottom: 44, left: 52 };
const MOST_LABELS = 24;
/** Of more points only those on the frontier are named. */
const MANY = 30;

/** Savings against evidence kept: each config a point, controls as open diamonds, the frontier as a line. */
export function evidenceChart(points: readonly EvidencePoint[], width: number): string {
  const frontier = points
    .filter(({ onFrontier }) => onFrontier)
    .toSorted((a, b) => a.saved - b.saved);
  const others = points.filter(({ onFrontier, isControl }) => !onFrontier && !isControl);
  const controls = points.filter(({ isControl }) => isControl);
  const x = padded(points.map(({ saved }) => saved));
  const y = padded(
    points.map(({ kept }) => kept),
    [0, 100],
  );
  const legend: LegendEntry[] = [
    { label: 'config on the frontier', colour: ink('s-1'), shape: 'dot' },
    ...(others.length === 0
      ? []
      : [{ label: 'other config', colour: ink('s-1'), shape: 'ring' } as const]),
    ...(controls.length === 0
      ? []
      : [{ label: 'control of equal budget', colour: ink('s-2'), shape: 'diamond' } as const]),
  ];
  const common = {
    x: 'saved',
    y: 'kept',
    href: 'href',
    ariaLabel: (point: EvidencePoint) => titleOf(point),
    title: (point: EvidencePoint) => titleOf(point),
  } as const;
  return drawing({
    label:
      'Evidence kept in percent against net tokens saved, one point a config; the best are joined by a line.',
    width,
    legend,
    plot: {
      height: HEIGHT,
      marginTop: MARGIN.top,
      marginRight: MARGIN.right,
      marginBottom: MARGIN.bottom,
      marginLeft: MARGIN.left,
      x: {
        label: 'net saved, tokens →',
        domain: x,
        tickFormat: compactTicks(x[0], x[1], width / 110),
        ticks: width / 110,
      },
      y: { label: '↑ evidence kept, %', domain: y, ticks: 6 },
      marks: [
        Plot.gridY({ ticks: 6, stroke: ink('faint'), strokeOpacity: 1 }),
        Plot.line(frontier, {
          x: 'saved',
          y: 'kept',
          stroke: ink('s-1'),
          strokeWidth: 1.5,
          strokeDasharray: '5 4',
        }),
        Plot.dot(controls, {
          ...common,
          symbol: 'diamond',
          r: 4.5,
          stroke: ink('s-2'),
          strokeWidth: 1.8,
        }),
        Plot.dot(others, {
          ...common,
          r: 5,
          stroke: ink('s-1'),
          strokeWidth: 2,
          fill: ink('surface'),
        }),
        Plot.dot(frontier, { ...common, r: 5.5, fill: ink('s-1') }),
        ...labelsOf([...frontier, ...(points.length > MANY ? [] : others)], points, {
          width,
          x,
          y,
        }),
      ],
    },
  });
}

function titleOf({ config, saved, kept }: EvidencePoint): string {
  return `${config}: ${Math.round(saved).toLocaleString('en-US')} tokens saved net, ${kept.toFixed(1)} % of the evidence kept`;
}

/** The range of the values with room around them; of one value some room all the same. */
function padded(
  values: readonly number[],
  limits: readonly [number, number] = [-Infinity, Infinity],
): [number, number] {
  const [low, high] = [smallestOf(values), largestOf(values)];
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  // Past the limit only what a dot on it takes.
  const over = high === low ? 0 : room / 2;
  return [Math.max(limits[0], low - room), Math.min(limits[1] + over, high + room)];
}

interface Frame {
  readonly width: number;
  readonly x: readonly [number, number];
  readonly y: readonly [number, number];
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Names beside their points, where they cover no other point and no other name; the rest is in the table. */
function labelsOf(
  named: readonly EvidencePoint[],
  points: readonly EvidencePoint[],
  { width, x, y }: Frame,
): Plot.Markish[] {
  const inner = width - MARGIN.left - MARGIN.right;
  const tall = HEIGHT - MARGIN.top - MARGIN.bottom;
  const at = ({ saved, kept }: EvidencePoint) => ({
    left: MARGIN.left + ((saved - x[0]) / (x[1] - x[0])) * inner,
    top: MARGIN.top + (1 - (kept - y[0]) / (y[1] - y[0])) * tall,
  });
  const taken: Box[] = points.map((point) => {
    const { left, top } = at(point);
    return { left: left - 6, right: left + 6, top: top - 6, bottom: top + 6 };
  });
  pushAll(taken, alongLine(named.filter(({ onFrontier }) => onFrontier).map(at)));
  const names = shortenNames(
    named.map(({ config }) => config),
    width < 500 ? 20 : 34,
  );
  const marks: Plot.Markish[] = [];
  for (const [index, point] of named.slice(0, MOST_LABELS).entries()) {
    const name = names[index] ?? '';
    const { left, top } = at(point);
    const wide = labelWidth(name) + 4;
    const places = [
      { dx: 10, dy: 0, anchor: 'start' },
      { dx: -10, dy: 0, anchor: 'end' },
      { dx: 0, dy: -14, anchor: 'middle' },
      { dx: 0, dy: 15, anchor: 'middle' },
      { dx: 8, dy: -13, anchor: 'start' },
      { dx: -8, dy: -13, anchor: 'end' },
      { dx: 8, dy: 14, anchor: 'start' },
      { dx: -8, dy: 14, anchor: 'end' },
    ] as const;
    for (const { dx, dy, anchor } of places) {
      const start = left + dx - (anchor === 'start' ? 0 : anchor === 'end' ? wide : wide / 2);
      const box = { left: start, right: start + wide, top: top + dy - 8, bottom: top + dy + 8 };
      const fits = box.left > MARGIN.left + 4 && box.right < width && box.top > 0;
      if (!fits || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      marks.push(
        Plot.text([point], {
          x: 'saved',
          y: 'kept',
          text: () => name,
          dx,
          dy,
          textAnchor: anchor,
          ...outlined,
        }),
      );
      break;
    }
  }
  return marks;
}

/** Boxes on the line through some places, so that names keep off it. */
function alongLine(places: readonly { readonly left: number; readonly top: number }[]): Box[] {
  const boxes: Box[] = [];
  for (const [index, from] of places.entries()) {
    const to = places[index + 1];
    if (to === undefined) break;
    const steps = Math.ceil(Math.hypot(to.left - from.left, to.top - from.top) / 8);
    for (let step = 1; step < steps; step++) {
      const left = from.left + ((to.left - from.left) * step) / steps;
      const top = from.top + ((to.top - from.top) * step) / steps;
      boxes.push({ left: left - 1, right: left + 1, top: top - 1, bottom: top + 1 });
    }
  }
  return boxes;
}

function overlap(one: Box, other: Box): boolean {
  return (
    one.left < other.right &&
    other.left < one.right &&
    one.top < other.bottom &&
    other.top < one.bottom
  );
}
