/**
 * The proof that a reduced tool output says nothing that the original did not: JSON keeps its shape with
 * keys and items dropped, text keeps whole lines in order. Linear in original and candidate.
 */
import { skipSpace } from '../../wire/json-spans.ts';
import { provePair } from './contained-json.ts';
import { splitLines } from './lines.ts';
import { isValidJson } from './valid-json.ts';

/** What text containment may drop: whole `line`s, or `char`s inside them as well. */
export type Granularity = 'line' | 'char';

const SPACE: ReadonlySet<number> = new Set([9, 10, 13, 32]);

export type ContentKind = 'json' | 'ndjson' | 'text';

export type Containment =
  | { readonly contained: true; readonly kind: ContentKind }
  | {
      readonly contained: false;
      readonly kind: ContentKind;
      /** First place of the candidate that is not contained: a JSON path or `line N`. */
      readonly at: string;
      readonly message: string;
    };

/**
 * Whether `candidate` is contained in `original`.
 *
 * JSON: objects may lose members and arrays items; what is left keeps its order and its values. Strings
 * are compared as text, numbers as written (`1`, `1.0` and `1e0` differ), duplicate keys one by one.
 * NDJSON: the same, value by value. Text: every line is a line of the original, in order; under `char`,
 * a line of the original with characters deleted.
 */
export function contains(
  original: string,
  candidate: string,
  granularity: Granularity = 'line',
): Containment {
  const kind = kindOf(original);
  if (kind === 'text') return containsText(original, candidate, granularity);
  if (kindOf(candidate) === 'text' && trimJson(candidate) !== '') {
    const found = trimJson(candidate).slice(0, 40);
    const message = `the original is ${kind}, the candidate is not: ${JSON.stringify(found)}`;
    // A single value is legal NDJSON, but says so only together with its original.
    if (kind === 'json' || !isValidJson(candidate))
      return { contained: false, kind, at: '$', message };
  }
  const failure = provePair(original, candidate, kind === 'ndjson');
  if (failure === undefined) return { contained: true, kind };
  return { contained: false, kind, at: failure.at, message: failure.message };
}

/** What a tool output is, by its content alone. A list of bare numbers or words is text. */
export function kindOf(text: string): ContentKind {
  const trimmed = trimJson(text);
  if (!isContainer(trimmed)) return 'text';
  if (isValidJson(trimmed)) return 'json';
  let values = 0;
  for (const line of trimmed.split('\n')) {
    const value = trimJson(line);
    if (value === '') continue;
    if (!isContainer(value) || !isValidJson(value)) return 'text';
    values++;
  }
  return values >= 2 ? 'ndjson' : 'text';
}

/** Without the white space that JSON knows: what else `trim` takes away would stay unproved at the ends. */
function trimJson(text: string): string {
  let end = text.length;
  while (end > 0 && SPACE.has(text.charCodeAt(end - 1))) end--;
  return text.slice(Math.min(end, skipSpace(text, 0)), end);
}

function isContainer(text: string): boolean {
  const [first, last] = [text[0], text.at(-1)];
  return (first === '{' || first === '[') && (last === '}' || last === ']');
}

function containsText(original: string, candidate: string, granularity: Granularity): Containment {
  const lines = splitLines(original);
  const fits = granularity === 'line' ? sameLine : isSubsequence;
  let at = 0;
  for (const [index, line] of splitLines(candidate).entries()) {
    for (;;) {
      const from = lines[at];
      if (from === undefined) {
        const found = JSON.stringify(line.text.slice(0, 80));
        const message = `line ${index + 1} of the result is not among the lines that are left of the original: ${found}`;
        return { contained: false, kind: 'text', at: `line ${index + 1}`, message };
      }
      at++;
      // The result may stop before a line's end, but may not end a line that the original does not end.
      if (fits(line.text, from.text) && (line.end === from.end || line.end === '')) break;
    }
  }
  return { contained: true, kind: 'text' };
}

function sameLine(line: string, from: string): boolean {
  return line === from;
}

/** Whether `line` is `from` with whole code points deleted: half an emoji is not contained in it. */
function isSubsequence(line: string, from: string): boolean {
  let at = 0;
  for (const point of from) {
    if (at === line.length) return true;
    if (line.startsWith(point, at) && !splitsPair(line, at, point)) at += point.length;
  }
  return at === line.length;
}

function splitsPair(line: string, at: number, point: string): boolean {
  return point.length === 1 && line.codePointAt(at) !== point.codePointAt(0);
}
