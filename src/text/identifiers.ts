/**
 * Identifiers in text: paths, ids, and names with `_ - . /`, a digit or an inner capital.
 *
 * A *run* is a longest sequence of letters, marks, digits and `_ - . /`; without what only punctuates it
 * (`see src/a.ts.`, `--dry-run`) it is a *token*, and the token may be an identifier. Letters of scripts
 * that set no spaces between words (Han, kana, Thai, …) end a run, so that an identifier inside such a
 * sentence stands alone.
 */

export interface Identifier {
  readonly value: string;
  /** Offset of its first UTF-16 code unit. */
  readonly start: number;
  /** Offset after its last. */
  readonly end: number;
}

const UNKNOWN = 0;
/** Outside of any run. */
const OTHER = 1;
const LETTER = 2;
const CAPITAL = 3;
const DIGIT = 4;
const MARK = 5;
const UNDERSCORE = 6;
const DASH = 7;
const DOT = 8;
const SLASH = 9;

/** A number of fewer digits names nothing: `3.14`, `12`, `1/2`. */
const NUMBER_DIGITS = 4;

/** What a lone surrogate counts as. */
const OTHER_CODE_POINT = 0xfffd;

/** Classes of code points, found when first met. */
const classes = new Uint8Array(0x110000);

const unspacedScript =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]/u;

function classify(character: string): number {
  switch (character) {
    case '_':
      return UNDERSCORE;
    case '-':
      return DASH;
    case '.':
      return DOT;
    case '/':
      return SLASH;
  }
  if (/\p{Nd}/u.test(character)) return DIGIT;
  // Variation selectors and enclosing marks dress up emoji and digits; they are no part of a name.
  if (/[\p{Mn}\p{Mc}]/u.test(character) && !/\p{Variation_Selector}/u.test(character)) return MARK;
  if (!/[\p{L}\p{N}]/u.test(character) || unspacedScript.test(character)) return OTHER;
  return /[\p{Lu}\p{Lt}]/u.test(character) ? CAPITAL : LETTER;
}

/** Class of the code unit at `index`; both halves of a surrogate pair have the class of the pair. */
function classAt(text: string, index: number): number {
  // Surrogates have no entry of their own, so they take the slow way too.
  const known = classes[text.charCodeAt(index)] ?? UNKNOWN;
  return known !== UNKNOWN ? known : findClass(text, index);
}

function findClass(text: string, index: number): number {
  let codePoint = text.charCodeAt(index);
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) {
    const first = codePoint >= 0xdc00 && index > 0 ? index - 1 : index;
    const pair = text.codePointAt(first) ?? OTHER_CODE_POINT;
    codePoint = pair > 0xffff ? pair : OTHER_CODE_POINT;
  }
  const known = classes[codePoint] ?? UNKNOWN;
  if (known !== UNKNOWN) return known;
  const found = classify(String.fromCodePoint(codePoint));
  classes[codePoint] = found;
  return found;
}

/** First offset from `from` whose code unit is in a run, or the text's length. */
function nextRun(text: string, from: number): number {
  let index = from;
  while (index < text.length && classAt(text, index) === OTHER) index++;
  return index;
}

function runEnd(text: string, from: number): number {
  let index = from;
  while (index < text.length && classAt(text, index) !== OTHER) index++;
  return index;
}

/**
 * Where the token of the run [start, end) begins. What stays in front of the name: one `/`, `./`, `../`,
 * and the dot of a file such as `.gitignore`.
 */
function tokenStart(text: string, start: number, end: number): number {
  let index = start;
  while (index < end) {
    const first = classAt(text, index);
    if (first === DASH || first === MARK) {
      index++;
      continue;
    }
    if (first !== DOT && first !== SLASH) return index;
    let after = index + 1;
    while (after < end && classAt(text, after) === first) after++;
    const length = after - index;
    const next = after < end ? classAt(text, after) : OTHER;
    if (first === SLASH) {
      if (length === 1) return index;
    } else if (next === SLASH) {
      if (length <= 2) return index;
    } else if (length === 1 && (next === LETTER || next === CAPITAL || next === UNDERSCORE)) {
      return index;
    }
    index = after;
  }
  return end;
}

/** Where the token ends: without the full stops, dashes and slashes that close it. */
function tokenEnd(text: string, start: number, end: number): number {
  let index = end;
  while (index > start) {
    const last = classAt(text, index - 1);
    if (last !== DASH && last !== DOT && last !== SLASH) break;
    index--;
  }
  return index;
}

function isSecondHalf(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

function isIdentifier(text: string, start: number, end: number): boolean {
  let letters = 0;
  let digits = 0;
  let joiners = 0;
  let innerCapital = false;
  for (let index = start; index < end; index++) {
    const found = classAt(text, index);
    // The second half of a surrogate pair is no second digit or letter.
    if (found === DIGIT) {
      if (!isSecondHalf(text, index)) digits++;
    } else if (found === LETTER || found === CAPITAL) {
      if (found === CAPITAL && index > start && !isSecondHalf(text, index)) innerCapital = true;
      letters++;
    } else if (found !== MARK) joiners++;
  }
  if (letters > 0) return digits > 0 || joiners > 0 || innerCapital;
  // Only digits: a number has at most one joiner, `1.2.3` and `10-4-2` are names.
  return digits >= NUMBER_DIGITS || (digits > 0 && joiners > 1);
}

/**
 * Calls `visit` with the ends of each token of `text`, in order: each identifier is one, and not each token
 * is an identifier. For those who know which ones they look for.
 */
export function forEachToken(text: string, visit: (start: number, end: number) => void): void {
  let index = nextRun(text, 0);
  while (index < text.length) {
    const last = runEnd(text, index);
    const start = tokenStart(text, index, last);
    const end = tokenEnd(text, start, last);
    if (start < end) visit(start, end);
    index = nextRun(text, last);
  }
}

/** The identifiers of `text`, in order, each occurrence once. Linear in the length of the text. */
export function identifiersIn(text: string): readonly Identifier[] {
  const found: Identifier[] = [];
  let index = nextRun(text, 0);
  while (index < text.length) {
    const last = runEnd(text, index);
    const start = tokenStart(text, index, last);
    const end = tokenEnd(text, start, last);
    if (start < end && isIdentifier(text, start, end)) {
      found.push({ value: text.slice(start, end), start, end });
    }
    index = nextRun(text, last);
  }
  return found;
}

/** Slots for what an identifier looks like from outside: its length and its ends. */
const LOOKS = 1 << 12;

function lookOf(first: number, last: number, length: number): number {
  return (Math.imul(first, 31) ^ Math.imul(last, 1009) ^ Math.imul(length, 17)) & (LOOKS - 1);
}

/**
 * Those of the wanted identifiers that `text` has, each once: what `identifiersIn` would find of them, without
 * a string for every other name.
 */
export function identifiersAmong(text: string, wanted: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  if (wanted.size === 0) return found;
  const looks = new Uint8Array(LOOKS);
  for (const one of wanted) {
    looks[lookOf(one.charCodeAt(0), one.charCodeAt(one.length - 1), one.length)] = 1;
  }
  let index = nextRun(text, 0);
  while (index < text.length) {
    const last = runEnd(text, index);
    const start = tokenStart(text, index, last);
    const end = tokenEnd(text, start, last);
    index = nextRun(text, last);
    if (start === end) continue;
    const look = lookOf(text.charCodeAt(start), text.charCodeAt(end - 1), end - start);
    if (looks[look] !== 1) continue;
    const value = text.slice(start, end);
    if (wanted.has(value) && isIdentifier(text, start, end)) found.add(value);
  }
  return found;
}

/**
 * Whether `identifier` stands in `text` as whole tokens: `u12` is not in `u123`, `u12-b` or `x/u12`, but
 * in `(u12).`. Each run is looked at once, so it is linear wherever `indexOf` is.
 */
export function containsIdentifier(text: string, identifier: string): boolean {
  const firstRun = runEnd(identifier, 0);
  if (firstRun === 0 || tokenStart(identifier, 0, firstRun) !== 0) return false;
  let from = 0;
  for (;;) {
    const candidate = text.indexOf(identifier, from);
    if (candidate < 0) return false;
    let runStart = candidate;
    while (runStart > from && classAt(text, runStart - 1) !== OTHER) runStart--;
    const last = runEnd(text, candidate);
    // Only one place in a run can begin a token, so the rest of the run need not be searched.
    const start = tokenStart(text, runStart, last);
    const end = start + identifier.length;
    if (start < last && text.startsWith(identifier, start) && endsToken(text, start, end))
      return true;
    from = last;
  }
}

/** Whether a token ends at `end`; `start` is where the first token of the match begins. */
function endsToken(text: string, start: number, end: number): boolean {
  return classAt(text, end - 1) !== OTHER && tokenEnd(text, start, runEnd(text, end)) === end;
}
