import fc from 'fast-check';
import { DOMParser } from 'linkedom';
import { describe, expect, test } from 'vitest';
import { compact, compactTicks } from '../../../src/report/charts/compact.ts';
import { evidenceChart } from '../../../src/report/charts/evidence-chart.ts';
import { heatMap } from '../../../src/report/charts/heat-map.ts';
import { sessionChart } from '../../../src/report/charts/session-chart.ts';
import { spreadChart } from '../../../src/report/charts/spread-chart.ts';
import { stackedBars } from '../../../src/report/charts/stacked-bars.ts';
import { palette, withLightColours } from '../../../src/report/charts/theme.ts';

const name = '<script>"&\'</script>';
const href = '#rows?config%3Dx';

/** One chart of each kind with a name in it. */
function charts(config: string, width: number): Record<string, string> {
  const point = { config, saved: 10, kept: 90, isControl: false, onFrontier: true, href };
  const spread = { config, task: config, percent: 20, isOutlier: true, href };
  return {
    evidence: evidenceChart(
      [point, { ...point, saved: 20, kept: 70 }, { ...point, isControl: true, onFrontier: false }],
      width,
    ),
    session: sessionChart(
      { before: [1, 5, 9], after: [{ config, tokens: [1, 3, 2], href }] },
      [config],
      width,
    ),
    bars: stackedBars(
      [
        { bar: config, part: config, value: 5, href },
        { bar: 'other', part: 'b', value: -3, href },
      ],
      { label: config, axis: 'tokens', width, parts: [config, 'b'] },
    ),
    spread: spreadChart([spread], [{ config, low: 10, median: 20, high: 30 }], width),
    heat: heatMap([{ x: config, y: 'b', value: 3, href }], {
      label: config,
      xLabel: config,
      yLabel: 'y',
      xs: [config],
      ys: ['b'],
      width,
      spell: String,
    }),
  };
}

describe.each(Object.keys(charts('a', 700)))('the %s chart', (kind) => {
  const draw = (config: string, width = 700) => charts(config, width)[kind] ?? '';

  test('is the same each time, and other on a narrow page', () => {
    expect(draw('a')).toBe(draw('a'));
    expect(draw('a', 340)).not.toBe(draw('a'));
    expect(draw('a', 340)).toContain('viewBox="0 0 340 ');
  });

  test('holds any name as text, no style, no script, and links into the page alone', () => {
    for (const text of [name, 'a\u202eb', 'javascript:alert(1)']) {
      const svg = draw(text);
      expect(svg).not.toMatch(/<(?:script|style|foreignObject|image|use)|\sstyle=|\son\w+=|xlink/);
      for (const [, link] of svg.matchAll(/href="([^"]*)"/g)) expect(link).toMatch(/^#/);
    }
  });

  test('is well-formed XML that names itself', () => {
    const document = new DOMParser().parseFromString(draw(name), 'image/svg+xml');
    const svg = document.querySelector('svg');
    expect(svg?.getAttribute('aria-label')).not.toBe('');
    // The parser is a lenient one.
    expect(draw(name)).not.toMatch(/&(?!#\d+;)|="[^"]*</);
    expect(draw(name).match(/<text/g)?.length).toBeGreaterThan(3);
    expect(draw(name)).not.toContain('NaN');
  });

  test('every mark that links says what it is', () => {
    const svg = draw('a');
    expect(svg).toContain('<a ');
    for (const [, inner] of svg.matchAll(/<a [^>]*>(.*?)<\/a>/g)) {
      expect(inner).toMatch(/aria-label="[^"]+"/);
      expect(inner).toContain('<title>');
    }
  });

  test('has plain colours as a file', () => {
    const file = withLightColours(draw('a'));
    expect(file).not.toMatch(/var\(|currentColor/);
  });
});

test('colours stand out from the ground in both themes', () => {
  const luminance = (colour: string) => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a: string, b: string) => {
    const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  for (const theme of Object.values(palette)) {
    for (const [ink, colour] of Object.entries(theme)) {
      if (ink === 'surface' || ink === 'faint') continue;
      const least = ink === 'ink' || ink === 'soft' ? 4.5 : ink.startsWith('s-') ? 2.4 : 2.4;
      expect(contrast(colour, theme.surface), ink).toBeGreaterThan(least);
    }
  }
});

test('figures are short, and keep their size', () => {
  expect([0, 950, 12_500, 250_000, 1_234_567, -4_200].map(compact)).toEqual([
    '0',
    '950',
    '12.5k',
    '250k',
    '1.2M',
    '−4.2k',
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1e9 }), (value) => {
      const [, digits = '', unit = ''] = /^([\d.]+)([kM]?)$/.exec(compact(value)) ?? [];
      const size = Number(digits) * { '': 1, k: 1e3, M: 1e6 }[unit as '' | 'k' | 'M'];
      expect(Math.abs(size - value) / value).toBeLessThan(0.06);
    }),
  );
});

describe('ticks', () => {
  test('that stand beside each other have different names', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -1e7, max: 1e7, noNaN: true }),
        fc.integer({ min: 10, max: 1_000_000 }),
        (start, range) => {
          const spell = compactTicks(start, start + range, 8);
          // Those that an axis has: multiples of 1, 2 or 5 times a power of ten.
          const raw = range / 8;
          const step = 10 ** Math.floor(Math.log10(raw));
          const first = Math.ceil(start / step) * step;
          const names = Array.from({ length: 8 }, (_, index) => spell(first + index * step));
          expect(new Set(names).size).toBe(8);
        },
      ),
    );
  });

  test('are short', () => {
    expect([3_680_000, 3_700_000].map(compactTicks(3_673_000, 3_857_000, 9))).toEqual([
      '3.68M',
      '3.7M',
    ]);
    expect([0, 10_000, 100_000].map(compactTicks(0, 110_000, 9))).toEqual(['0', '10k', '100k']);
  });
});

test('a bar with parts on both sides of its axis says what is left', () => {
  const parts = [
    { bar: 'a', part: 'x', value: 5000, href },
    { bar: 'a', part: 'y', value: -2000, href },
    { bar: 'b', part: 'x', value: 700, href },
  ];
  const svg = stackedBars(parts, { label: 'l', axis: 'tokens', width: 700, parts: ['x', 'y'] });
  expect(svg).toContain('>3k net<');
  expect(svg).toContain('>700<');
});

test('a heat map of few rows names its axis whole', () => {
  const svg = heatMap([{ x: '1', y: '0', value: 3, href }], {
    label: 'l',
    xLabel: 'summarize.keep_last',
    yLabel: 'summarize.resummarize_tokens',
    xs: ['1'],
    ys: ['0'],
    width: 450,
    spell: String,
  });
  const [group = ''] = /<g[^>]*>(?:(?!<g).)*↓ summarize\.resummarize_tokens/.exec(svg) ?? [];
  expect(group).not.toBe('');
  expect(group).not.toContain('rotate');
});
