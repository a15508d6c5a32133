import {
  elements,
  members,
  rootSpan,
  type Span,
  skipSpace,
  valueEnd,
} from '../../wire/json-spans.ts';
import { headOf, tailOf } from '../text-cut.ts';
import { kindOf } from './containment.ts';

const DEEPEST = 4;
const MOST_KEYS = 24;
/** Items of a list that are looked at for its shape. */
const SAMPLED_ITEMS = 20;

/** Size and shape of an output in a few lines: what a model is told of one that it cannot see whole. */
export function outlineOf(text: string): string {
  const kind = kindOf(text);
  const size = `${text.length} characters, ${lineCount(text)} lines`;
  switch (kind) {
    case 'json':
      return `JSON, ${size}\nshape: ${shapeOf(text, rootSpan(text), 0)}`;
    case 'ndjson': {
      const start = skipSpace(text, 0);
      const first = { start, end: valueEnd(text, start) };
      return `NDJSON (one JSON value a line), ${size}\nshape of the first: ${shapeOf(text, first, 0)}`;
    }
    case 'text':
      return `text, ${size}`;
  }
}

function lineCount(text: string): number {
  let count = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function shapeOf(text: string, span: Span, depth: number): string {
  const first = text[span.start] ?? '';
  if (first === '"') return 'string';
  if (first === 't' || first === 'f') return 'boolean';
  if (first === 'n') return 'null';
  if (first === '[') {
    const items = elements(text, span);
    if (items.length === 0) return 'empty list';
    if (depth >= DEEPEST) return `list of ${items.length}`;
    const shapes = new Set(
      items.slice(0, SAMPLED_ITEMS).map((item) => shapeOf(text, item, depth + 1)),
    );
    return `list of ${items.length}: ${[...shapes].slice(0, 3).join(' | ')}`;
  }
  if (first === '{') {
    const entries = members(text, span);
    if (depth >= DEEPEST) return `object of ${entries.length} keys`;
    const keys = entries
      .slice(0, MOST_KEYS)
      .map(({ key, value }) => `${headOf(key, 60)}: ${shapeOf(text, value, depth + 1)}`);
    const more = entries.length > MOST_KEYS ? [`… ${entries.length - MOST_KEYS} more`] : [];
    return `{${[...keys, ...more].join(', ')}}`;
  }
  return 'number';
}

/** A text of which the middle is not shown: its place, and what stands there. */
interface Gap {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** The beginning and the end of a text that is too long to be shown, cut at lines where these are short. */
export function sampleOf(text: string, headCharacters: number, tailCharacters: number): string {
  const gap = gapOf(text, headCharacters, tailCharacters);
  return gap === undefined ? text : text.slice(0, gap.start) + gap.by + text.slice(gap.end);
}

/** What `sampleOf` leaves out; undefined where the text is shown whole. */
export function gapOf(
  text: string,
  headCharacters: number,
  tailCharacters: number,
): Gap | undefined {
  if (text.length <= headCharacters + tailCharacters) return undefined;
  const head = headOf(text, headCharacters);
  const tail = tailOf(text, tailCharacters);
  const headCut = head.lastIndexOf('\n');
  const tailCut = tail.indexOf('\n');
  const start = headCut > headCharacters / 2 ? headCut : head.length;
  const isCut = tailCut >= 0 && tailCut < tailCharacters / 2;
  const end = text.length - tail.length + (isCut ? tailCut + 1 : 0);
  return { start, end, by: `\n[… ${end - start} characters are not shown …]\n` };
}
