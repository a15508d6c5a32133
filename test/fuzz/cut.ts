import { isObject } from '../../src/wire/json-object.ts';
import { isJson } from './json-tree.ts';

/** How long a seed may be, so that a run takes milliseconds. */
const MOST_BYTES = 24_000;
const MOST_LINES = 40;
/** Entries of a list and characters of a text that stay: texts are cut before lists. */
const STEPS = [
  [60, 300],
  [60, 60],
  [30, 60],
  [12, 60],
  [5, 40],
  [2, 40],
] as const;

/** JSON text of a value with long lists and texts cut, until it is short. */
export function cutJson(value: unknown, most = MOST_BYTES): string {
  let text = '';
  for (const [items, longest] of STEPS) {
    text = JSON.stringify(cut(value, items, longest));
    if (text.length <= most) break;
  }
  return text;
}

/** Two stretches of a JSONL text: its beginning, and its first line with its end. */
export function cutLines(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const stretches = [lines.slice(0, MOST_LINES)];
  if (lines.length > MOST_LINES)
    stretches.push([...lines.slice(0, 1), ...lines.slice(-MOST_LINES)]);
  return stretches.map((stretch) => {
    const most = Math.floor(MOST_BYTES / stretch.length) * 2;
    let left = MOST_BYTES * 2;
    const short = stretch.flatMap((line) => {
      const cutLine = isJson(line) ? cutJson(JSON.parse(line), most) : line.slice(0, most);
      left -= cutLine.length;
      return left < 0 ? [] : [`${cutLine}\n`];
    });
    return short.join('');
  });
}

function cut(value: unknown, items: number, longest: number): unknown {
  if (typeof value === 'string') return cutText(value, items, longest);
  if (Array.isArray(value)) return value.slice(0, items).map((item) => cut(item, items, longest));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, 80)
      .map(([key, inner]) => [key, cut(inner, items, longest)]),
  );
}

/** A text that holds JSON still does. */
function cutText(text: string, items: number, longest: number): string {
  if (text.length <= longest) return text;
  if (/^[[{]/.test(text) && isJson(text)) {
    return JSON.stringify(cut(JSON.parse(text), items, longest));
  }
  return text.slice(0, longest);
}
