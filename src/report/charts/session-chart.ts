import * as Plot from '@observablehq/plot';
import { largestOf } from '../../text/long-lists.ts';
import { shortenNames } from '../shorten.ts';
import { compact } from './compact.ts';
import { drawing } from './drawing.ts';
import { ink, seriesInk } from './theme.ts';

/** Tokens of each request of one session. */
export interface SessionSeries {
  readonly before: readonly number[];
  readonly after: readonly {
    readonly config: string;
    readonly tokens: readonly number[];
    readonly href: string;
  }[];
}

const DASHES = ['', '7 3', '2 3', '9 3 2 3', '4 4'];

/** Tokens per request along a session: as recorded a surface, under each config a line. */
export function sessionChart(
  { before, after }: SessionSeries,
  configs: readonly string[],
  width: number,
): string {
  const points = (tokens: readonly number[]) =>
    tokens.map((value, index) => ({ request: index, tokens: value }));
  const lines = after.map(({ config, tokens, href }) => {
    const index = Math.max(0, configs.indexOf(config));
    const dash = DASHES[index % DASHES.length];
    return Plot.line(points(tokens), {
      x: 'request',
      y: 'tokens',
      z: null,
      stroke: seriesInk(index),
      strokeWidth: 2,
      ...(dash === '' || dash === undefined ? {} : { strokeDasharray: dash }),
      href: () => href,
      title: () => config,
      ariaLabel: () => `${config}, tokens per request: open the cell`,
    });
  });
  const names = shortenNames(configs, 30);
  return drawing({
    label: 'Tokens of each request along the session, as recorded and under each config.',
    width,
    legend: [
      { label: 'as recorded', colour: ink('faint'), shape: 'square' },
      ...after.map(({ config }) => {
        const index = Math.max(0, configs.indexOf(config));
        return {
          label: names[index] ?? config,
          colour: seriesInk(index),
          shape: DASHES[index % DASHES.length] === '' ? ('line' as const) : ('dashed' as const),
        };
      }),
    ],
    plot: {
      height: 210,
      marginTop: 20,
      marginLeft: 48,
      marginRight: 12,
      marginBottom: 38,
      x: { label: 'request →', ticks: Math.min(before.length, width / 60), tickFormat: 'd' },
      y: { label: '↑ tokens', ticks: 4, tickFormat: compact, domain: [0, largestOf(before, 1)] },
      marks: [
        Plot.gridY({ ticks: 4, stroke: ink('faint'), strokeOpacity: 1 }),
        Plot.areaY(points(before), {
          x: 'request',
          y: 'tokens',
          fill: ink('faint'),
          fillOpacity: 0.65,
        }),
        Plot.lineY(points(before), {
          x: 'request',
          y: 'tokens',
          stroke: ink('muted'),
          strokeWidth: 1,
        }),
        ...lines,
      ],
    },
  });
}
