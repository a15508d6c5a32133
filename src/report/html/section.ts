import { type Child, element, joined, type Markup, trusted } from './markup.ts';

/** A drawing of the report, for the page and as a file. */
export interface Chart {
  /** Of its file. */
  readonly name: string;
  /** Text of an SVG element, for wide pages and for files. */
  readonly wide: string;
  /** The same for a telephone; absent where one serves both. */
  readonly narrow?: string;
}

/** One part of the report. */
export interface Section {
  readonly id: string;
  readonly title: string;
  /** Short form of the title for the navigation. */
  readonly short: string;
  readonly body: Markup;
  readonly charts: readonly Chart[];
}

/** Widths in pixels that charts are drawn for. */
const WIDE = 1000;
export const NARROW = 340;

/** Draws a chart for both widths. */
export function chartOf(name: string, draw: (width: number) => string): Chart {
  return { name, wide: draw(WIDE), narrow: draw(NARROW) };
}

/** A chart with what it says, and behind it the table of its figures. */
export function figure(chart: Chart, caption: Child, table: Markup | undefined): Markup {
  const drawn =
    chart.narrow === undefined
      ? element('div', { class: 'chart' }, trusted(chart.wide))
      : joined(
          element('div', { class: 'chart wide' }, trusted(chart.wide)),
          element('div', { class: 'chart narrow' }, trusted(chart.narrow)),
        );
  return element(
    'figure',
    {},
    drawn,
    element('figcaption', {}, caption),
    table === undefined ? undefined : behind('The figures as a table', table),
  );
}

/** What is folded away behind a line of text. */
export function behind(summary: string, ...children: Child[]): Markup {
  return element('details', { class: 'behind' }, element('summary', {}, summary), ...children);
}

export function paragraph(...children: Child[]): Markup {
  return element('p', {}, ...children);
}

/** What stands in the place of a section's figures where nothing was measured. */
export function notMeasured(...children: Child[]): Markup {
  return element(
    'p',
    { class: 'unmeasured' },
    element('strong', {}, 'Not measured.'),
    ' ',
    ...children,
  );
}

export function bulletList(items: readonly Child[]): Markup | undefined {
  if (items.length === 0) return undefined;
  return element(
    'ul',
    {},
    items.map((item) => element('li', {}, item)),
  );
}
