import { isObject } from './json-object.ts';
import { elements, member, type Span, slice } from './json-spans.ts';

/** What dialects share in reading unchecked parts and in rewriting one part of many. */

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The string under `key` of the object at `span`; empty where there is none. */
export function stringAt(text: string, span: Span, key: string): string {
  const value = member(text, span, key);
  return value === undefined ? '' : stringOf(JSON.parse(slice(text, value)));
}

/** Arguments as the text of a JSON object; what is none is kept under a key, so that nothing is lost. */
export function objectText(text: string): string {
  try {
    if (isObject(JSON.parse(text))) return text;
  } catch {
    // Not JSON: kept as text below.
  }
  return text.trim() === '' ? '{}' : JSON.stringify({ input: text });
}

/** How a wire spells the text parts of a tool result. */
export interface TextParts {
  /** Whether the part is text to the model, so that a new text takes its place. */
  isText(part: Span): boolean;
  /** The string to replace in such a part; undefined where the part as a whole has to go. */
  textSpan(part: Span): Span | undefined;
  /** A part that says `text`. */
  write(text: string): string;
}

/**
 * `raw` with the text of the array at `list` replaced: the first text part takes `text`, the other text
 * parts go with the space before them, and what is not text stays with its bytes.
 */
export function replaceText(raw: string, list: Span, text: string, parts: TextParts): string {
  const spans = elements(raw, list);
  const first = spans.find(parts.isText);
  const written: string[] = [];
  let end = list.start + 1;
  if (first === undefined) written.push(parts.write(text));
  for (const span of spans) {
    const gap = raw.slice(end, span.start);
    end = span.end;
    if (span !== first && parts.isText(span)) continue;
    // The gap behind the bracket has no comma, and gets one where a new part stands in front.
    written.push(written.length === 0 || gap.includes(',') ? gap : `,${gap}`);
    written.push(span === first ? firstText(raw, span, text, parts) : slice(raw, span));
  }
  return `${raw.slice(0, list.start + 1)}${written.join('')}${raw.slice(end)}`;
}

function firstText(raw: string, part: Span, text: string, parts: TextParts): string {
  const span = parts.textSpan(part);
  if (span === undefined) return parts.write(text);
  return `${raw.slice(part.start, span.start)}${JSON.stringify(text)}${raw.slice(span.end, part.end)}`;
}
