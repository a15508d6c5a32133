/** Colours of charts, told apart by lightness as well as by hue, so that no kind of colour blindness joins them. */
export const palette = {
  light: {
    's-1': '#0b62a8',
    's-2': '#c2600a',
    's-3': '#0f8a6a',
    's-4': '#8d3b86',
    's-5': '#5aa9dc',
    's-6': '#b3a125',
    's-7': '#7a4a22',
    's-8': '#7b8794',
    muted: '#8a94a0',
    faint: '#d5dae0',
    ink: '#1c2128',
    soft: '#57606a',
    surface: '#ffffff',
  },
  dark: {
    's-1': '#63b0f5',
    's-2': '#f0954a',
    's-3': '#3fc79d',
    's-4': '#d58fd0',
    's-5': '#a9d6f5',
    's-6': '#e0d05e',
    's-7': '#c79a72',
    's-8': '#8b96a3',
    muted: '#8b96a3',
    faint: '#333b45',
    ink: '#e6eaef',
    soft: '#a4aeb9',
    surface: '#14181d',
  },
} as const;

export type Ink = keyof (typeof palette)['light'];

/** A colour of the page's theme. */
export function ink(name: Ink): string {
  return `var(--${name})`;
}

const SERIES: readonly Ink[] = ['s-1', 's-2', 's-3', 's-4', 's-5', 's-6', 's-7', 's-8'];

/** How many series have a colour of their own. */
export const SERIES_COUNT = SERIES.length;

/** Colour of the n-th series; they repeat after `SERIES_COUNT`. */
export function seriesInk(index: number): string {
  return ink(SERIES[index % SERIES.length] ?? 's-1');
}

/** The declarations of one theme, for a style sheet. */
export function inkDeclarations(theme: keyof typeof palette): string {
  return Object.entries(palette[theme])
    .map(([name, value]) => `--${name}:${value};`)
    .join('');
}

/** A drawing for programs that know no variables: the light theme's colours in their place. */
export function withLightColours(svg: string): string {
  const colours: Readonly<Record<string, string>> = palette.light;
  return svg
    .replace(/var\(--([a-z0-9-]+)\)/g, (whole, name: string) => colours[name] ?? whole)
    .replaceAll('currentColor', palette.light.ink);
}
