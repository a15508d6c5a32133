import * as Plot from '@observablehq/plot';
import { largestOf, smallestOf } from '../../text/long-lists.ts';
import { drawing } from './drawing.ts';
import { ink } from './theme.ts';

export interface HeatCell {
  readonly x: string;
  readonly y: string;
  readonly value: number;
  readonly href: string;
}

export interface HeatMapOptions {
  readonly label: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly xs: readonly string[];
  readonly ys: readonly string[];
  readonly width: number;
  spell(value: number): string;
}

/** From little to much: one hue, readable in black and white. */
const STEPS = ['#e8f1fa', '#c3dcf0', '#8fbfe3', '#559dd0', '#2878b5', '#0e5490'];

/** A map of two settings: each field the figure of the configs that have these two values. */
export function heatMap(
  cells: readonly HeatCell[],
  { label, xLabel, yLabel, xs, ys, width, spell }: HeatMapOptions,
): string {
  const values = cells.map(({ value }) => value);
  const [low, high] = [smallestOf(values), largestOf(values)];
  const stepOf = ({ value }: HeatCell) =>
    high === low ? 2 : Math.min(5, Math.floor(((value - low) / (high - low)) * STEPS.length));
  const titleOf = (cell: HeatCell) =>
    `${xLabel} ${cell.x}, ${yLabel} ${cell.y}: ${spell(cell.value)}`;
  const longest = Math.max(...ys.map((name) => name.length));
  return drawing({
    label,
    width,
    plot: {
      height: ys.length * 40 + 64,
      marginTop: 24,
      marginLeft: Math.min(150, 14 + longest * 7),
      marginRight: 8,
      marginBottom: 40,
      x: { label: `${xLabel} →`, domain: [...xs], type: 'band', padding: 0.04, tickSize: 0 },
      y: {
        label: `↓ ${yLabel}`,
        // Lying: a standing one is cut where there are few rows.
        labelAnchor: 'top',
        domain: [...ys],
        type: 'band',
        padding: 0.04,
        tickSize: 0,
      },
      marks: [
        Plot.cell(cells, {
          x: 'x',
          y: 'y',
          fill: (cell: HeatCell) => STEPS[stepOf(cell)] ?? '#ffffff',
          stroke: ink('surface'),
          rx: 3,
          href: 'href',
          title: titleOf,
          ariaLabel: titleOf,
        }),
        Plot.text(cells, {
          x: 'x',
          y: 'y',
          text: (cell: HeatCell) => spell(cell.value),
          fill: (cell: HeatCell) => (stepOf(cell) > 3 ? '#ffffff' : '#10202e'),
        }),
      ],
    },
  });
}
