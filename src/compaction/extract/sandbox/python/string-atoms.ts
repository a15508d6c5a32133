/** String atoms: neighbouring literals joined, and f-strings with their fields parsed. */

import { Cursor } from './cursor.ts';
import { type RawFormatPart, readString, splitFormat, unescapeString } from './literals.ts';
import type { Expression, FormatPart } from './syntax.ts';
import { endOfString, tokenize } from './tokens.ts';

type ParseField = (cursor: Cursor) => Expression;

export function parseAtomString(cursor: Cursor, parseField: ParseField): Expression {
  const parts: FormatPart[] = [];
  let bytes = false;
  while (cursor.isKind('string')) {
    const { text, line } = cursor.next();
    const literal = readString(text);
    bytes ||= literal.isBytes;
    if (literal.isFormat) {
      const raw = splitFormat(literal.body, literal.isRaw, line, (body, at) =>
        endOfString(body, at, line),
      );
      for (const part of raw) parts.push(parsePart(cursor, part, line, parseField));
    } else {
      const value = literal.isRaw ? literal.body : unescapeString(literal.body, line);
      parts.push({ kind: 'text', value });
    }
  }
  if (parts.every((part) => part.kind === 'text')) {
    const value = parts.map((part) => part.value).join('');
    return { kind: bytes ? 'bytes' : 'string', value };
  }
  return { kind: 'format', parts };
}

function parsePart(
  outer: Cursor,
  part: RawFormatPart,
  line: number,
  parseField: ParseField,
): FormatPart {
  if (part.kind === 'text') return part;
  return outer.nested(() => {
    // In brackets a field may span lines; the names that it binds belong to the scope around.
    const inner = new Cursor(tokenize(`(${part.source})`).map((token) => ({ ...token, line })));
    inner.scope = outer.scope;
    inner.functions = outer.functions;
    const value = parseField(inner);
    if (!inner.isKind('newline')) inner.fail(`f-string: unexpected ${inner.found()}`);
    const specification = part.specification.map((piece) =>
      parsePart(outer, piece, line, parseField),
    );
    return { kind: 'field', value, conversion: part.conversion, specification };
  });
}
