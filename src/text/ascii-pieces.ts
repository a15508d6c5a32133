/**
 * The pieces that the token patterns cut ASCII text into, without the pattern: about a third of the time of
 * its regular expression. Where a character beyond ASCII could belong to the piece, the pattern decides.
 */

/** What differs between the patterns. */
export interface PieceRules {
  /** A word is capitals and then small letters, so that a capital inside begins a new one. */
  readonly capitals: 'begin a word' | 'are letters';
  /** `'s`, `'ll` and the like: part of the word before them, or pieces of their own. */
  readonly contractions: 'end a word' | 'stand alone';
  /** What may follow a run of punctuation beside line ends. */
  readonly slashes: boolean;
}

export const pieceRules: Readonly<Record<'o200k_base' | 'cl100k_base', PieceRules>> = {
  o200k_base: { capitals: 'begin a word', contractions: 'end a word', slashes: true },
  cl100k_base: { capitals: 'are letters', contractions: 'stand alone', slashes: false },
};

const OTHER = 0;
const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 3;
const SPACE = 4;
const LINE_END = 5;
const BEYOND = 6;
/** The end of the text. */
const END = 7;

const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return SMALL;
  if (/[A-Z]/.test(character)) return CAPITAL;
  if (/[0-9]/.test(character)) return DIGIT;
  if (/[\r\n]/.test(character)) return LINE_END;
  return /\s/.test(character) ? SPACE : OTHER;
});

function kindAt(text: string, index: number): number {
  if (index >= text.length) return END;
  const code = text.charCodeAt(index);
  return code < 128 ? (kinds[code] ?? OTHER) : BEYOND;
}

/** Where the piece that begins at `start` ends; −1 where the pattern has to say. */
export function asciiPieceEnd(text: string, start: number, rules: PieceRules): number {
  const first = kindAt(text, start);
  switch (first) {
    case SMALL:
    case CAPITAL:
      return wordEnd(text, start, rules);
    case DIGIT:
      return digitsEnd(text, start);
    case BEYOND:
      return -1;
  }
  if (rules.contractions === 'stand alone') {
    const end = contractionEnd(text, start);
    if (end !== start) return end;
  }
  if (first === LINE_END) return blankEnd(text, start);
  // Any one character but a digit or a line end may stand before a word; before punctuation, only ' '.
  switch (kindAt(text, start + 1)) {
    case SMALL:
    case CAPITAL:
      return wordEnd(text, start + 1, rules);
    case BEYOND:
      return -1;
    case OTHER:
      if (text[start] === ' ') return punctuationEnd(text, start + 1, rules);
  }
  return first === SPACE ? blankEnd(text, start) : punctuationEnd(text, start, rules);
}

function wordEnd(text: string, start: number, rules: PieceRules): number {
  let end = start;
  let kind = kindAt(text, end);
  if (rules.capitals === 'are letters') {
    while (kind === SMALL || kind === CAPITAL) kind = kindAt(text, ++end);
  } else {
    while (kind === CAPITAL) kind = kindAt(text, ++end);
    while (kind === SMALL) kind = kindAt(text, ++end);
  }
  if (kind === BEYOND) return -1;
  return rules.contractions === 'end a word' ? contractionEnd(text, end) : end;
}

const APOSTROPHE = 0x27;
/** Makes a capital of ASCII small. */
const SMALL_BIT = 0x20;

/** The end of `'s`, `'t`, `'m`, `'d`, `'re`, `'ve` or `'ll` at `start`; else `start`. */
function contractionEnd(text: string, start: number): number {
  if (text.charCodeAt(start) !== APOSTROPHE) return start;
  const one = letterAt(text, start + 1);
  if (one === 's' || one === 't' || one === 'm' || one === 'd') return start + 2;
  const two = one + letterAt(text, start + 2);
  return two === 're' || two === 've' || two === 'll' ? start + 3 : start;
}

function letterAt(text: string, index: number): string {
  const kind = kindAt(text, index);
  if (kind !== SMALL && kind !== CAPITAL) return '';
  return String.fromCharCode(text.charCodeAt(index) | SMALL_BIT);
}

function digitsEnd(text: string, start: number): number {
  for (let end = start + 1; end < start + 3; end++) {
    const kind = kindAt(text, end);
    if (kind === BEYOND) return -1;
    if (kind !== DIGIT) return end;
  }
  return start + 3;
}

function punctuationEnd(text: string, start: number, { slashes }: PieceRules): number {
  let end = start;
  let kind = kindAt(text, end);
  while (kind === OTHER) kind = kindAt(text, ++end);
  if (kind === BEYOND) return -1;
  while (kind === LINE_END || (slashes && text[end] === '/')) kind = kindAt(text, ++end);
  return end;
}

/** White space up to the last line end in it, or all of it but the one character before what follows. */
function blankEnd(text: string, start: number): number {
  let lastLineEnd = -1;
  let end = start;
  let kind = kindAt(text, end);
  while (kind === SPACE || kind === LINE_END) {
    if (kind === LINE_END) lastLineEnd = end;
    kind = kindAt(text, ++end);
  }
  if (kind === BEYOND) return -1;
  if (lastLineEnd >= 0) return lastLineEnd + 1;
  return kind === END || end - start === 1 ? end : end - 1;
}
