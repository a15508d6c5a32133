import type { Column, ColumnValue } from './columns.ts';
import type { Counts } from './result.ts';

/**
 * How a value stands in a cell of the CSV. Reversible, one row is one line, and no spreadsheet runs a
 * text as a formula:
 * - a text that begins with `=`, `+`, `-`, `@`, tab, CR or `'` is prefixed with `'`; numbers are not;
 * - backslash, line ends and other control characters, those of the text direction too, are escaped as
 *   in JSON.
 */
export function writeCell(value: ColumnValue): string {
  if (value === undefined) return '';
  if (typeof value === 'number') return Object.is(value, -0) ? '0' : String(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'string') return writeText(value);
  return writeText(writeCounts(value));
}

/** The value of a cell, or undefined when the text is none of the column's type. Empty: not measured. */
export function readCell(
  text: string,
  type: Column['type'],
): { readonly ok: true; readonly value: ColumnValue } | { readonly ok: false } {
  if (text === '' && type !== 'counts') return { ok: true, value: undefined };
  switch (type) {
    case 'text':
      return { ok: true, value: readText(text) };
    case 'number': {
      const value = Number(text);
      return text.trim() === text && Number.isFinite(value) ? { ok: true, value } : { ok: false };
    }
    case 'boolean':
      return text === 'True' || text === 'False'
        ? { ok: true, value: text === 'True' }
        : { ok: false };
    case 'counts':
      return readCounts(readText(text));
  }
}

const ESCAPED = /[\\\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\p{Cs}/gu;
const SHORT: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

function writeText(text: string): string {
  const escaped = text.replace(
    ESCAPED,
    (character) =>
      SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return /^[=+\-@\t\r']/.test(text) ? `'${escaped}` : escaped;
}

function readText(cell: string): string {
  const escaped = cell.startsWith("'") ? cell.slice(1) : cell;
  return escaped.replace(/\\(?:u([0-9a-f]{4})|(.))/g, (whole, code: string, short: string) => {
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (short === 'n') return '\n';
    if (short === 'r') return '\r';
    if (short === 't') return '\t';
    return short === '\\' ? '\\' : whole;
  });
}

/** `name:count` joined by `;`, sorted by name. */
function writeCounts(counts: Counts): string {
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, count]) => `${name}:${count}`)
    .join(';');
}

function readCounts(text: string): ReturnType<typeof readCell> {
  const counts = new Map<string, number>();
  if (text === '') return { ok: true, value: undefined };
  for (const pair of text.split(';')) {
    // A gate's own name may hold a colon; the count stands after the last one.
    const colon = pair.lastIndexOf(':');
    const count = Number(pair.slice(colon + 1));
    if (colon <= 0 || !Number.isInteger(count)) return { ok: false };
    counts.set(pair.slice(0, colon), count);
  }
  return { ok: true, value: counts };
}
