import { elements, member, replaceSpans, type Span } from './json-spans.ts';
import { replaceText, stringAt } from './parts.ts';

/**
 * `source` with the text of the output item at `item` replaced. An item whose output is not text (a
 * screenshot, found tools, what the provider ran itself) stays as it is: the wire takes no text there.
 */
export function replaceOutput(source: string, item: Span, text: string): string {
  if (!stringAt(source, item, 'type').endsWith('_output')) return source;
  if (member(source, item, 'tools') !== undefined) return source;
  const written = JSON.stringify(text);
  const output = member(source, item, 'output');
  if (output === undefined)
    return splice(source, item.end - 1, item.end - 1, `,"output":${written}`);
  switch (source[output.start]) {
    case '[':
      return replaceList(source, output, text);
    case '{': {
      if (member(source, output, 'type') !== undefined) return source;
      const content = member(source, output, 'content') ?? output;
      return splice(source, content.start, content.end, written);
    }
    default:
      return splice(source, output.start, output.end, written);
  }
}

function replaceList(source: string, list: Span, text: string): string {
  const parts = elements(source, list);
  const stdout = parts.map((part) => member(source, part, 'stdout')).find((span) => span);
  if (stdout !== undefined) return replaceShell(source, list, parts, text);
  if (parts.length === 0) return splice(source, list.start, list.end, JSON.stringify(text));
  return replaceText(source, list, text, {
    isText: (part) => TEXT_TYPES.has(stringAt(source, part, 'type')),
    textSpan: (part) => member(source, part, 'text'),
    write: () => JSON.stringify({ type: 'input_text', text }),
  });
}

const TEXT_TYPES = new Set(['input_text', 'output_text', 'text']);

/** The first command of a shell output says the text; the wire keeps one entry a command. */
function replaceShell(source: string, list: Span, parts: readonly Span[], text: string): string {
  let isFirst = true;
  const replacements = parts.flatMap((part) =>
    ['stdout', 'stderr'].flatMap((key) => {
      const span = member(source, part, key);
      if (span === undefined) return [];
      const written = key === 'stdout' && isFirst ? JSON.stringify(text) : '""';
      if (key === 'stdout') isFirst = false;
      return [{ span, text: written }];
    }),
  );
  return list.start < list.end ? replaceSpans(source, replacements) : source;
}

function splice(source: string, start: number, end: number, text: string): string {
  return `${source.slice(0, start)}${text}${source.slice(end)}`;
}
