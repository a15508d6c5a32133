import type { Child, Markup } from './markup.ts';
import { element } from './markup.ts';

/** One condition on the rows of a report: a column, how it is compared, and with what. */
export type Condition = readonly [
  column: string,
  compare: '=' | '>' | '<' | '~',
  value: string | number,
];

/** A condition as a link has it: `fired>0`. */
export function conditionText(condition: Condition): string {
  return condition.join('');
}

/** Where the page shows the rows that meet all conditions; the script of the page reads it. */
export function rowsHref(conditions: readonly Condition[]): string {
  const parts = conditions.map((condition) => encoded(conditionText(condition)));
  return `#rows?${parts.join('&')}`;
}

/** Where the page opens a cell, by its place among the rows, at one of its requests. */
export function cellHref(row: number, request?: number): string {
  return `#cell?${row}${request === undefined ? '' : `&${request}`}`;
}

/** A text that links to its rows. */
export function rowsLink(conditions: readonly Condition[], ...children: Child[]): Markup {
  return element('a', { href: rowsHref(conditions) }, ...children);
}

/** Also of a text with half a surrogate pair, which `encodeURIComponent` refuses. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
