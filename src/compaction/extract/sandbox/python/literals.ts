/** String and number literals: escapes, prefixes, and the parts of an f-string. */

import { PythonSyntaxError } from './syntax.ts';

export interface StringLiteral {
  readonly isFormat: boolean;
  readonly isBytes: boolean;
  readonly isRaw: boolean;
  /** Between the quotes, as written. */
  readonly body: string;
}

/** Takes a string token apart. */
export function readString(literal: string): StringLiteral {
  const prefix = /^[a-zA-Z]*/.exec(literal)?.[0] ?? '';
  const rest = literal.slice(prefix.length);
  const width = rest.startsWith('"""') || rest.startsWith("'''") ? 3 : 1;
  return {
    isFormat: /f/i.test(prefix),
    isBytes: /b/i.test(prefix),
    isRaw: /r/i.test(prefix),
    body: rest.slice(width, rest.length - width),
  };
}

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const ESCAPE =
  /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3})|([xuUN])|([\s\S]))/g;

/** The value of a literal's body. An unknown escape keeps its backslash, as in Python. */
export function unescapeString(body: string, line: number): string {
  if (!body.includes('\\')) return body;
  return body.replace(
    ESCAPE,
    (all, hex2?: string, hex4?: string, hex8?: string, octal?: string, bad?: string, one = '') => {
      const hex = hex2 ?? hex4 ?? hex8;
      if (hex !== undefined) {
        const code = Number.parseInt(hex, 16);
        if (code > 0x10ffff) throw new PythonSyntaxError(`illegal character escape ${all}`, line);
        return String.fromCodePoint(code);
      }
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if (bad !== undefined) {
        throw new PythonSyntaxError(`truncated or unsupported escape ${all}`, line);
      }
      return SIMPLE_ESCAPES[one] ?? all;
    },
  );
}

export type NumberLiteral = { kind: 'integer'; digits: string } | { kind: 'float'; text: string };

/** An integer as decimal digits of any length, or a float as JavaScript reads it. */
export function readNumber(literal: string, line: number): NumberLiteral {
  const plain = literal.replaceAll('_', '');
  if (/^0[xXoObB]/.test(plain)) return { kind: 'integer', digits: BigInt(plain).toString() };
  if (/^\d+$/.test(plain)) {
    if (/^0\d/.test(plain) && !/^0+$/.test(plain)) {
      throw new PythonSyntaxError(
        'leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers',
        line,
      );
    }
    return { kind: 'integer', digits: BigInt(plain).toString() };
  }
  return { kind: 'float', text: String(Number(plain)) };
}

export type RawFormatPart =
  | { kind: 'text'; value: string }
  | {
      kind: 'field';
      source: string;
      conversion: '' | 'r' | 's' | 'a';
      specification: readonly RawFormatPart[];
    };

/** Splits the body of an f-string into text and fields; the fields' sources are not parsed here. */
export function splitFormat(
  body: string,
  isRaw: boolean,
  line: number,
  skipString: (text: string, at: number) => number,
): RawFormatPart[] {
  const parts: RawFormatPart[] = [];
  let text = '';
  let at = 0;
  const flush = (): void => {
    if (text !== '') parts.push({ kind: 'text', value: isRaw ? text : unescapeString(text, line) });
    text = '';
  };
  while (at < body.length) {
    const character = body[at] ?? '';
    if (character === '\\' && !isRaw && body.startsWith('\\N{', at)) {
      throw new PythonSyntaxError('named character escapes are not available', line);
    }
    if (character === '{' && body[at + 1] === '{') {
      text += '{';
      at += 2;
    } else if (character === '}') {
      if (body[at + 1] !== '}') {
        throw new PythonSyntaxError("f-string: single '}' is not allowed", line);
      }
      text += '}';
      at += 2;
    } else if (character === '{') {
      flush();
      const field = readField(body, at + 1, isRaw, line, skipString);
      if (field.echo !== '') parts.push({ kind: 'text', value: field.echo });
      parts.push(field.part);
      at = field.end;
    } else if (character === '\\' && !isRaw) {
      text += body.slice(at, at + 2);
      at += 2;
    } else {
      text += character;
      at++;
    }
  }
  flush();
  return parts;
}

/** A field from after its `{`: the expression ends at a top-level `!x`, `:`, `=` or `}`. */
function readField(
  body: string,
  start: number,
  isRaw: boolean,
  line: number,
  skipString: (text: string, at: number) => number,
): { part: RawFormatPart; echo: string; end: number } {
  let depth = 0;
  let at = start;
  while (at < body.length) {
    const character = body[at] ?? '';
    if (/['"]/.test(character)) {
      at = skipString(body, at);
      continue;
    }
    if (/[([{]/.test(character)) depth++;
    else if (depth > 0 && /[)\]}]/.test(character)) depth--;
    else if (depth === 0 && (character === '}' || character === ':')) break;
    else if (depth === 0 && character === '!' && body[at + 1] !== '=') break;
    at++;
  }
  let source = body.slice(start, at);
  let echo = '';
  const debug = /^([\s\S]*[^=!<>])=\s*$/.exec(source);
  if (debug !== null) {
    echo = source;
    source = debug[1] ?? '';
  }
  if (source.trim() === '') throw new PythonSyntaxError('f-string: empty expression', line);
  let conversion: '' | 'r' | 's' | 'a' = echo === '' || body[at] === ':' ? '' : 'r';
  if (body[at] === '!') {
    const letter = body[at + 1];
    if (letter !== 'r' && letter !== 's' && letter !== 'a') {
      throw new PythonSyntaxError("f-string: conversion must be 's', 'r' or 'a'", line);
    }
    conversion = letter;
    at += 2;
  }
  let specification: RawFormatPart[] = [];
  if (body[at] === ':') {
    const specificationStart = at + 1;
    depth = 0;
    at = specificationStart;
    while (at < body.length && (depth > 0 || body[at] !== '}')) {
      if (body[at] === '{') depth++;
      else if (body[at] === '}') depth--;
      at++;
    }
    specification = splitFormat(body.slice(specificationStart, at), isRaw, line, skipString);
  }
  if (body[at] !== '}') throw new PythonSyntaxError("f-string: expecting '}'", line);
  return { part: { kind: 'field', source, conversion, specification }, echo, end: at + 1 };
}
