import { createHmac } from 'node:crypto';
import { identifiersIn } from './identifiers.ts';
import { type SecretKind, secretKinds } from './redact-patterns.ts';
import { countTokens } from './tokens.ts';

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

/** Characters of a placeholder that tell secrets apart. */
const SHORTEST_MARK = 6;
const LONGEST_MARK = 500;
const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const MIXED = `${LETTERS}${LETTERS.toUpperCase()}`;

/** How a name may stand in a text; tokens depend on what is beside them. */
const CONTEXTS: readonly (readonly [string, string])[] = [
  ['', ''],
  [' ', ','],
  ['=', '\n'],
  ['"', '"'],
  ["'", ' '],
];
/** Placeholders of each length that are tried. */
const TRIES = 12;
/** Of a longer core the count is only met roughly. */
const LONGEST_EXACT = 250;

/**
 * The placeholder of a core under a key. Without the key nobody can try guesses against it.
 *
 * It has as many tokens as the core wherever that can be had, and a digit where the core has one: a config
 * that decides by tokens decides as it did.
 */
export function placeholderOf(core: Core, kind: SecretKind, key: Uint8Array): string {
  const { text, isIdentifier } = core;
  if (isIdentifier) {
    // A dot before a letter belongs to a name, before a digit it does not.
    const lead = /^\p{Nd}/u.test(text) ? '0' : '';
    const alphabet = /[\p{Nd}/]/u.test(text) ? `${MIXED}${DIGITS}` : MIXED;
    const short = `${lead}${wordLike(text, lead)}`;
    return bestOf(text, [`${short}${kind.replaceAll('-', '_')}_`, short], alphabet, key);
  }
  if (/\p{Nd}/u.test(text)) {
    const digits = markOf(text, key, text.length, DIGITS);
    return text.replace(/\p{Nd}/gu, (_, at: number) => digits[at] ?? '0');
  }
  // The words begin with letters that are no escape after a backslash.
  const word = kind === 'user' ? 'person' : 'hidden';
  const isCapital = /^[\p{Lu}\p{Lt}]/u.test(text);
  const mark = markOf(text, key, WORD_MARK, LETTERS);
  return `${isCapital ? word[0]?.toUpperCase() : word[0]}${word.slice(1)}${mark}`;
}

/** Spellings of the word that a placeholder begins with. */
const WORDS = ['REDACTED_', 'redacted_', 'Redacted_', 'x_REDACTED_', 'X_REDACTED_'] as const;
/** What may stand before a name: a tokenizer joins some of it to the name's first letters. */
const BEFORE = ['x ', ': ', 'x=', '="', '\\"', "='", '(', '-', ':', '/', '\n', ',', '_'];

/** Of the shortest mark, about. */
const SHORTEST_MARK_TOKENS = 4;

/**
 * The spelling that a tokenizer joins to what stands before it most as it does the first letters of `text`.
 * Otherwise a placeholder that has as many tokens in one place would have more or fewer in another. No key
 * has a part in it.
 */
function wordLike(text: string, lead: string): string {
  const joined = (name: string) =>
    BEFORE.map((before) => tokensIn([before, ''], name) - tokensIn(['', ''], name));
  const wanted = joined(text);
  const room = tokensIn(['', ''], text) - SHORTEST_MARK_TOKENS;
  const distances = WORDS.map((word) => {
    const excess = Math.max(0, tokensIn(['', ''], `${lead}${word}`) - room) * BEFORE.length;
    return joined(`${lead}${word}x7`).reduce(
      (sum, count, at) => sum + Math.abs(count - (wanted[at] ?? 0)),
      excess,
    );
  });
  return WORDS[distances.indexOf(Math.min(...distances))] ?? WORDS[0];
}

const WORD_MARK = 8;

/** The prefix with the mark whose tokens come nearest to those of `text`; a later prefix where one is too long. */
function bestOf(
  text: string,
  prefixes: readonly string[],
  alphabet: string,
  key: Uint8Array,
): string {
  const wanted = CONTEXTS.map((context) => tokensIn(context, text));
  let best = { text: '', distance: Number.POSITIVE_INFINITY };
  for (const prefix of prefixes) {
    const spare = (wanted[0] ?? 0) - tokensIn(['', ''], prefix);
    // Of a random text a token has about one and a half characters.
    const guess = Math.round(spare * 1.6);
    if (guess < SHORTEST_MARK && prefix !== prefixes.at(-1)) continue;
    for (const step of text.length > LONGEST_EXACT ? [0] : [0, 1, -1, 2, -2, 3, -3, 4]) {
      const length = Math.min(LONGEST_MARK, Math.max(SHORTEST_MARK, guess + step));
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const mark = markOf(text, key, length, alphabet, attempt);
        if (/\d/.test(alphabet) && !/\d/.test(mark)) continue;
        const candidate = `${prefix}${mark}`;
        const distance = CONTEXTS.reduce(
          (sum, context, index) =>
            sum + Math.abs(tokensIn(context, candidate) - (wanted[index] ?? 0)),
          0,
        );
        if (distance < best.distance) best = { text: candidate, distance };
        if (distance === 0) return candidate;
      }
    }
  }
  // By chance no mark of the lengths had a digit.
  return best.text === ''
    ? `${prefixes.at(-1)}0${markOf(text, key, SHORTEST_MARK, alphabet)}`
    : best.text;
}

function tokensIn([before, after]: readonly [string, string], text: string): number {
  return countTokens(`${before}${text}${after}`, 'o200k_base');
}

/** `length` characters that only the key and the text lead to. */
function markOf(
  text: string,
  key: Uint8Array,
  length: number,
  alphabet: string,
  attempt = 0,
): string {
  let result = '';
  for (let block = 0; result.length < length; block++) {
    const digest = createHmac('sha256', key)
      .update(`${attempt} ${block} `)
      .update(text, 'utf16le')
      .digest();
    for (const byte of digest) result += alphabet[byte % alphabet.length];
  }
  return result.slice(0, length);
}

const PLACEHOLDER = new RegExp(
  `(0?REDACTED_(?:(?:${secretKinds.join('|').replaceAll('-', '_')})_)?)[A-Za-z0-9]+|(hidden|person)[a-z]{8}(?![a-z])`,
  'gi',
);

/** The text with its placeholders cut to what they say under every key. */
export function withoutMarks(text: string): string {
  return text.replace(
    PLACEHOLDER,
    (_, prefix: string | undefined, word: string | undefined) => prefix ?? word ?? '',
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
