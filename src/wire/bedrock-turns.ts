import { elements, member, path, rootSpan, type Span, slice } from './json-spans.ts';

/**
 * Joining of Converse turns by the exact texts of their blocks: what is retained keeps its bytes block
 * by block, since the turns around an inserted text become one.
 */

/** The exact texts of the blocks of a message. */
export function blockTexts(raw: string): string[] {
  const content = path(raw, ['content']);
  return content === undefined ? [] : elements(raw, content).map((span) => slice(raw, span));
}

/** The message with blocks after its own. */
export function appendBlocks(raw: string, blocks: readonly string[]): string {
  return insertAt(raw, Number.POSITIVE_INFINITY, blocks);
}

/**
 * The message with a text block put in front, or behind its leading tool results: they have to come
 * first, because nothing may stand between a call and its result.
 */
export function joinText(raw: string, block: string): string {
  const content = path(raw, ['content']);
  const spans = content === undefined ? [] : elements(raw, content);
  const isResult = (span: Span) => member(raw, span, 'toolResult') !== undefined;
  const first = spans.findIndex((span) => !isResult(span));
  return insertAt(raw, first < 0 ? spans.length : first, [block]);
}

function insertAt(raw: string, position: number, blocks: readonly string[]): string {
  const content = path(raw, ['content']);
  const added = blocks.join(',');
  if (content === undefined) {
    const end = rootSpan(raw).end - 1;
    return `${raw.slice(0, end)},"content":[${added}]${raw.slice(end)}`;
  }
  const spans = elements(raw, content);
  const next = spans[position];
  const last = spans.at(-1);
  if (next !== undefined) return `${raw.slice(0, next.start)}${added},${raw.slice(next.start)}`;
  if (last !== undefined) return `${raw.slice(0, last.end)},${added}${raw.slice(last.end)}`;
  return `${raw.slice(0, content.start + 1)}${added}${raw.slice(content.start + 1)}`;
}
