/** Splits Python source into tokens, with INDENT and DEDENT, in one pass. */

import { PythonSyntaxError } from './syntax.ts';

export type TokenKind =
  | 'name'
  | 'number'
  | 'string'
  | 'operator'
  | 'newline'
  | 'indent'
  | 'dedent'
  | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As written; for a string, with its prefix and quotes. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

const OPERATORS =
  /\*\*=|\/\/=|>>=|<<=|\.\.\.|==|!=|<=|>=|->|:=|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|@=|\*\*|\/\/|<<|>>|[-+*/%@&|^~<>()[\]{},:;.=]/y;
const NAME = /[\p{ID_Start}_][\p{ID_Continue}]*/uy;
const NUMBER =
  /0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?/y;
const STRING_START = /([rRbBuUfF]{0,2})("""|'''|"|')/y;
const BLANKS = /[ \t\f]*/y;

const TAB_STOP = 8;

export function tokenize(source: string): Token[] {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const tokens: Token[] = [];
  const indents = [0];
  let at = 0;
  let line = 1;
  let brackets = 0;
  let atLineStart = true;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  const push = (kind: TokenKind, value: string): void => {
    tokens.push({ kind, text: value, line });
  };

  while (at < text.length) {
    if (atLineStart && brackets === 0) {
      const blanks = match(BLANKS) ?? '';
      at += blanks.length;
      const next = text[at];
      if (next === '\n' || next === '#' || next === undefined) {
        at = endOfLine(text, at);
        if (text[at] === '\n') {
          at++;
          line++;
        }
        continue;
      }
      indentTo(widthOf(blanks), indents, push, line);
      atLineStart = false;
    }
    const character = text[at] ?? '';
    if (character === '\n') {
      if (brackets === 0) {
        push('newline', '\n');
        atLineStart = true;
      }
      at++;
      line++;
    } else if (character === ' ' || character === '\t' || character === '\f') {
      at++;
    } else if (character === '#') {
      at = endOfLine(text, at);
    } else if (character === '\\' && text[at + 1] === '\n') {
      at += 2;
      line++;
    } else if (match(STRING_START) !== undefined) {
      const end = endOfString(text, at, line);
      const literal = text.slice(at, end);
      push('string', literal);
      line += literal.split('\n').length - 1;
      at = end;
    } else {
      const name = match(NAME);
      const number = name === undefined && /[\d.]/.test(character) ? match(NUMBER) : undefined;
      const operator = name === undefined && number === undefined ? match(OPERATORS) : undefined;
      const found = name ?? number ?? operator;
      if (found === undefined || found === '') {
        throw new PythonSyntaxError(`unexpected character ${JSON.stringify(character)}`, line);
      }
      push(name !== undefined ? 'name' : number !== undefined ? 'number' : 'operator', found);
      if (operator === '(' || operator === '[' || operator === '{') brackets++;
      if (operator === ')' || operator === ']' || operator === '}') {
        brackets--;
        if (brackets < 0) throw new PythonSyntaxError(`unmatched '${operator}'`, line);
      }
      at += found.length;
    }
  }
  if (brackets > 0) {
    throw new PythonSyntaxError('a bracket is never closed before the end of the program', line);
  }
  if (!atLineStart) push('newline', '\n');
  indentTo(0, indents, push, line);
  push('end', '');
  return tokens;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function widthOf(blanks: string): number {
  let width = 0;
  for (const blank of blanks) {
    if (blank === ' ') width++;
    else if (blank === '\t') width = (Math.floor(width / TAB_STOP) + 1) * TAB_STOP;
  }
  return width;
}

function indentTo(
  width: number,
  indents: number[],
  push: (kind: TokenKind, text: string) => void,
  line: number,
): void {
  if (width > (indents.at(-1) ?? 0)) {
    indents.push(width);
    push('indent', '');
    return;
  }
  while (width < (indents.at(-1) ?? 0)) {
    indents.pop();
    push('dedent', '');
  }
  if (width !== (indents.at(-1) ?? 0)) {
    throw new PythonSyntaxError('unindent does not match any outer indentation level', line);
  }
}

/** Where the string literal that starts at `start` ends; knows the fields of an f-string. */
export function endOfString(text: string, start: number, line: number): number {
  STRING_START.lastIndex = start;
  const opening = STRING_START.exec(text);
  if (opening === null) throw new PythonSyntaxError('expected a string', line);
  const [all, prefix = '', quote = '"'] = opening;
  const isFormat = /f/i.test(prefix);
  let at = start + all.length;
  while (at < text.length) {
    const character = text[at];
    if (text.startsWith(quote, at)) return at + quote.length;
    if (character === '\\') at += 2;
    else if (character === '\n' && quote.length === 1) break;
    else if (isFormat && text.startsWith('{{', at)) at += 2;
    else if (isFormat && character === '{') at = endOfField(text, at, quote, line);
    else at++;
  }
  throw new PythonSyntaxError('unterminated string literal', line);
}

/** Past the `}` of a replacement field; `quote` closes the enclosing string, unless a string is open. */
function endOfField(text: string, start: number, quote: string, line: number): number {
  let depth = 0;
  let at = start;
  let inSpecification = false;
  while (at < text.length) {
    const character = text[at];
    if (character === '{' || character === '[' || character === '(') depth++;
    if (character === '}' || character === ']' || character === ')') {
      depth--;
      if (depth === 0) return at + 1;
    }
    if (character === ':' && depth === 1) inSpecification = true;
    if (character === '\n' && quote.length === 1) break;
    STRING_START.lastIndex = at;
    const opening = inSpecification && depth === 1 ? null : STRING_START.exec(text);
    // `{a!r}'`: the quote that ends the whole literal can only be met where a field was left open.
    at = opening === null ? at + 1 : endOfString(text, at, line);
  }
  throw new PythonSyntaxError("f-string: expecting '}'", line);
}
