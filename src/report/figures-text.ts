import { UNMEASURED } from './numbers.ts';
import type { Interval } from './statistics/interval.ts';

/** How figures of a comparison are spelled, on a terminal and in a page. */

/** A share as signed percentage points: `0.021` → `+2.1`. */
export function points(share: number | undefined): string {
  return share === undefined ? UNMEASURED : signed(100 * share, 1);
}

/** A percentage with its sign, or nothing before 0: `−61.0`. */
export function signed(value: number | undefined, decimals: number): string {
  if (value === undefined) return UNMEASURED;
  const text = Math.abs(value).toFixed(decimals);
  if (Number(text) === 0) return text;
  return `${value < 0 ? '−' : '+'}${text}`;
}

/** `[−30.0, +30.0]`, in points. */
export function bounds(interval: Interval | undefined): string {
  return interval === undefined
    ? UNMEASURED
    : `[${points(interval.low)}, ${points(interval.high)}]`;
}

export function twoDecimals(value: number | undefined): string {
  return value === undefined ? UNMEASURED : value.toFixed(2);
}

/** A p-value: `.049`, `<.001`, `1`. */
export function pValue(p: number): string {
  if (p >= 0.9995) return '1';
  return p < 0.001 ? '<.001' : p.toFixed(3).slice(1);
}

/** `6/10`. */
export function ratio(part: number, whole: number): string {
  return whole === 0 ? UNMEASURED : `${part}/${whole}`;
}

/** A name as one line that no terminal runs: controls and text that turns its direction are replaced. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** Lines of at most `width` characters, a longer word cut; those after the first are indented. */
export function wrapped(text: string, width: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  const start = () => (lines.length === 0 ? '' : indent);
  for (const word of text.split(' ')) {
    const begun = line === '' ? `${start()}${word}` : `${line} ${word}`;
    if (begun.length <= width) {
      line = begun;
      continue;
    }
    if (line !== '') lines.push(line);
    line = `${start()}${word}`;
    while (line.length > width) {
      lines.push(line.slice(0, width));
      line = `${indent}${line.slice(width)}`;
    }
  }
  return line === '' ? lines : [...lines, line];
}

/** A few names, and how many more there are. */
export function someNames(
  names: readonly string[],
  spell: (name: string) => string,
  most = 5,
): string {
  const shown = names.slice(0, most).map(spell).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
