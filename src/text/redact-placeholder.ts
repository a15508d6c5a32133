import { createHmac } from 'node:crypto';
import { identifiersIn } from './identifiers.ts';
import type { SecretKind } from './redact-patterns.ts';

/**
 * What stands in the place of a secret in a redacted recording, such that identifiers stay identifiers and
 * equal ones equal: evidence counts are those of the recording itself.
 *
 * A secret is replaced core by core. A core is what a run of letters, marks, digits and `_ - . /` holds
 * without the `_ - . /` around it; what parts cores stays, unless it is writing itself.
 */

export interface Core {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Whether it alone is an identifier, and so whatever it is a part of. */
  readonly isIdentifier: boolean;
}

/** Letters of scripts that set no spaces between words end a run, as for identifiers. */
const UNSPACED =
  '\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}';
const RUN = new RegExp(`(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_./-])+`, 'gu');
const UNSPACED_RUN = new RegExp(`[${UNSPACED}]+`, 'gu');

export function coresOf(secret: string): readonly Core[] {
  const cores: Core[] = [];
  for (const { 0: run, index } of secret.matchAll(RUN)) {
    const text = run.replace(/^[_./-]+|[_./-]+$/g, '');
    if (text === '') continue;
    const start = index + run.indexOf(text);
    const [first] = identifiersIn(text);
    cores.push({ start, end: start + text.length, text, isIdentifier: first?.value === text });
  }
  return cores;
}

/** Stretches of a secret that are writing and in no core. */
export function unspacedRuns(secret: string): readonly { start: number; end: number }[] {
  return [...secret.matchAll(UNSPACED_RUN)].map(({ 0: run, index }) => ({
    start: index,
    end: index + run.length,
  }));
}

/** Shortest part of a placeholder that tells secrets apart, in characters. */
const SHORTEST_MARK = 8;
const LONGEST_MARK = 500;
const ALPHANUMERIC = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * The placeholder of a core under a key. Without the key nobody can try guesses against it. That of an identifier
 * has the length of the core where that is long enough, so that token counts stay close.
 */
export function placeholderOf(core: Core, kind: SecretKind, key: Uint8Array): string {
  const { text, isIdentifier } = core;
  if (isIdentifier) {
    // A dot before a letter belongs to a name, before a digit it does not.
    const lead = /^\p{Nd}/u.test(text) ? '0' : '';
    const before = `${lead}REDACTED_${kind}_`;
    const length = Math.min(LONGEST_MARK, Math.max(SHORTEST_MARK, text.length - before.length));
    return `${before}${mark(text, key, length, ALPHANUMERIC)}`;
  }
  if (/\p{Nd}/u.test(text)) {
    const digits = mark(text, key, text.length, '0123456789');
    return text.replace(/\p{Nd}/gu, (_, at: number) => digits[at] ?? '0');
  }
  // The words begin with letters that are no escape after a backslash.
  const word = kind === 'user' ? 'person' : 'hidden';
  const letters = mark(text, key, SHORTEST_MARK, LETTERS);
  const isCapital = /^[\p{Lu}\p{Lt}]/u.test(text);
  return `${isCapital ? word[0]?.toUpperCase() : word[0]}${word.slice(1)}${letters}`;
}

/** `length` characters that only the key and the text lead to. */
function mark(text: string, key: Uint8Array, length: number, alphabet: string): string {
  let result = '';
  for (let block = 0; result.length < length; block++) {
    const digest = createHmac('sha256', key).update(`${block} `).update(text, 'utf16le').digest();
    for (const byte of digest) result += alphabet[byte % alphabet.length];
  }
  return result.slice(0, length);
}

const PLACEHOLDER = /0?REDACTED_([a-z-]+)_[A-Za-z0-9]+|(hidden|person)[a-z]{8}(?![a-z])/gi;

/** The text with its placeholders cut to what they say under every key. */
export function withoutMarks(text: string): string {
  return text.replace(PLACEHOLDER, (_, kind: string | undefined, word: string | undefined) =>
    kind === undefined ? (word ?? '') : `REDACTED_${kind}`,
  );
}

/** The text with its placeholders numbered: equal for two texts that differ in the key alone. */
export function withNumberedMarks(text: string): string {
  const numbers = new Map<string, number>();
  return text.replace(PLACEHOLDER, (placeholder) => {
    const number = numbers.get(placeholder) ?? numbers.size;
    numbers.set(placeholder, number);
    return `${withoutMarks(placeholder)}#${number}`;
  });
}
