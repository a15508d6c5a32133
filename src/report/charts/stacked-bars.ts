import * as Plot from '@observablehq/plot';
import { controlledBy } from '../results/controls.ts';
import { shortenNames } from '../shorten.ts';
import { compact } from './compact.ts';
import { drawing } from './drawing.ts';
import { ink, SERIES_COUNT, seriesInk } from './theme.ts';

export interface BarPart {
  readonly bar: string;
  readonly part: string;
  /** Below 0: to the left of the axis. */
  readonly value: number;
  readonly href: string;
}

export interface StackedBarsOptions {
  readonly label: string;
  /** Of the axis, e.g. `tokens →`. */
  readonly axis: string;
  readonly width: number;
  /** Order of the parts and of their colours. */
  readonly parts: readonly string[];
}

const OTHER = 'other';

/** Horizontal bars, one a config, whose parts lie end to end; parts beyond the colours are joined. */
export function stackedBars(
  values: readonly BarPart[],
  { label, axis, width, parts }: StackedBarsOptions,
): string {
  const own = parts.length > SERIES_COUNT ? parts.slice(0, SERIES_COUNT - 1) : parts;
  const shown = own.length < parts.length ? [...own, OTHER] : own;
  const bars = [...new Set(values.map(({ bar }) => bar))];
  const isNarrow = width < 500;
  const names = shortenNames(bars, isNarrow ? 40 : 24);
  const nameOf = new Map(
    bars.map((bar, index) => {
      const control = controlledBy(bar) === undefined ? undefined : bar.replace(/@.*$/s, '');
      return [bar, control === undefined ? (names[index] ?? bar) : `↳ ${control}`];
    }),
  );
  const drawn = shown.flatMap((part) =>
    bars.flatMap((bar) => {
      const here = values.filter(
        (value) => value.bar === bar && (own.includes(value.part) ? value.part : OTHER) === part,
      );
      const value = here.reduce((sum, one) => sum + one.value, 0);
      return value === 0 ? [] : [{ bar, part, value, href: here[0]?.href ?? '#' }];
    }),
  );
  const sum = (own: readonly { readonly value: number }[]) =>
    own.reduce((all, { value }) => all + value, 0);
  const end = (bar: string) => sum(drawn.filter((one) => one.bar === bar && one.value > 0));
  const totalOf = (bar: string) => {
    const own = drawn.filter((one) => one.bar === bar);
    return `${compact(sum(own))}${own.some(({ value }) => value < 0) ? ' net' : ''}`;
  };
  const colours = new Map(shown.map((part, index) => [part, seriesInk(index)]));
  const titleOf = ({ bar, part, value }: (typeof drawn)[number]) =>
    `${bar}, ${part}: ${compact(value)}`;
  return drawing({
    label,
    width,
    legend: shown.map((part) => ({
      label: part.length > 40 ? `${part.slice(0, 39)}…` : part,
      colour: colours.get(part) ?? ink('muted'),
    })),
    plot: {
      height: bars.length * (isNarrow ? 44 : 30) + 48,
      marginTop: 6,
      // On a narrow page names stand over their bars.
      marginLeft: isNarrow ? 8 : 204,
      marginRight: 74,
      marginBottom: 40,
      x: { label: axis, tickFormat: compact, ticks: width / 110, nice: false },
      y: { label: null, domain: bars, axis: null, padding: isNarrow ? 0.5 : 0.28 },
      marks: [
        Plot.gridX({ ticks: width / 110, stroke: ink('faint'), strokeOpacity: 1 }),
        Plot.barX(drawn, {
          x: 'value',
          y: 'bar',
          z: 'part',
          order: [...shown],
          fill: (one: { part: string }) => colours.get(one.part) ?? ink('muted'),
          insetRight: 0.6,
          href: 'href',
          title: titleOf,
          ariaLabel: titleOf,
        }),
        Plot.ruleX([0], { stroke: ink('muted') }),
        Plot.text(bars, {
          y: (bar: string) => bar,
          text: (bar: string) => nameOf.get(bar) ?? bar,
          frameAnchor: 'left',
          textAnchor: isNarrow ? 'start' : 'end',
          dx: isNarrow ? 0 : -8,
          dy: isNarrow ? -18 : 0,
          fill: ink('ink'),
        }),
        Plot.text(bars, {
          x: end,
          y: (bar: string) => bar,
          text: totalOf,
          textAnchor: 'start',
          dx: 6,
          fill: ink('soft'),
        }),
      ],
    },
  });
}
