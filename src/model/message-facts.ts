/**
 * What the extractive stub knows about a message whatever the task: its units (sentences, lines, pieces of
 * long lines), their words and identifiers, and a score without regard to a goal. Found once per message
 * text, since roll-forward sends overlapping transcripts again and again.
 */

import { flatCopy } from '../text/flat-copy.ts';
import { GenerationCache } from '../text/generation-cache.ts';
import { identifiersIn } from '../text/identifiers.ts';
import { pushAll } from '../text/long-lists.ts';
import { countTokens } from '../text/tokens.ts';
import { splitHeader } from './summary-prompt.ts';

export interface Unit {
  /** One line, white space collapsed, with nothing that could be read as markup of a prompt. */
  readonly text: string;
  /** Tokens of the unit as a line of the summary, `- TEXT\n`. */
  readonly tokens: number;
  /** Numbers of its distinct words and identifiers in the memo's vocabulary. */
  readonly words: readonly number[];
  readonly identifiers: readonly number[];
  readonly score: number;
}

export interface MessageFacts {
  readonly units: readonly Unit[];
  readonly words: readonly number[];
  readonly identifiers: readonly number[];
}

/** A part of a prompt, and what is known of it so far. */
interface Chunk {
  readonly text: string;
  /** Where it stood in the prompt that it was last in. */
  place: number;
  facts: MessageFacts | undefined;
  tokens: number | undefined;
}

/** What a task or the latest turns name. */
interface Goal {
  readonly words: Names;
  readonly identifiers: Names;
}

/** Distinct names whose numbers are looked up until they have one: a task is asked about at every call. */
class Names {
  readonly numbers: number[] = [];
  #unknown: readonly string[];
  #size = -1;

  constructor(names: readonly string[]) {
    this.#unknown = names;
  }

  /** Takes the numbers that a vocabulary, which only grows, has given in the meantime. */
  lookUp(vocabulary: ReadonlyMap<string, number>): readonly number[] {
    if (vocabulary.size === this.#size) return this.numbers;
    this.#size = vocabulary.size;
    this.#unknown = this.#unknown.filter((name) => {
      const number = vocabulary.get(name);
      if (number === undefined) return true;
      this.numbers.push(number);
      return false;
    });
    return this.numbers;
  }
}

/** Characters of message texts remembered in each of two generations. */
const REMEMBERED_CHARACTERS = 600_000;
const VOCABULARY_LIMIT = 500_000;
/** Longer units say too little for their length to be chosen; their identifiers still count. */
const UNIT_CHARACTERS = 240;
const OVERSIZED_CHARACTERS = 600;
const IDENTIFIER_CHARACTERS = 120;

const cues: readonly (readonly [RegExp, number])[] = [
  [
    /\b(?:error|fail(?:s|ed|ure|ing)?|exception|traceback|denied|invalid|cannot|missing|refused)\b/i,
    3,
  ],
  [/\b(?:decid|chose|instead|because|therefore|root cause|must|never|only if|policy|prefer)/i, 1.5],
  [
    /\b(?:fixed|found|confirmed?|passe[ds]|success|completed?|created|updated|result|total|done)\b/i,
    1.5,
  ],
  [/\b(?:next|plan|todo|remaining|still|will|need(?:s|ed)? to|want(?:s|ed)?)\b/i, 1],
];

export class MessageMemo {
  private chunks = new GenerationCache<Chunk>(REMEMBERED_CHARACTERS, (key) => key.length);
  /** What the latest prompt was made of, in order. */
  private latest: readonly Chunk[] = [];
  private goals = new GenerationCache<Goal>(REMEMBERED_CHARACTERS, (key) => key.length);
  private vocabulary = new Map<string, number>();
  private spellings: string[] = [];
  private mereNames: boolean[] = [];

  /** Forgets everything when the vocabulary has grown too large; the numbers of earlier facts end here. */
  startCall(): void {
    if (this.vocabulary.size < VOCABULARY_LIMIT) return;
    this.chunks = new GenerationCache(REMEMBERED_CHARACTERS, (key) => key.length);
    this.latest = [];
    this.goals = new GenerationCache(REMEMBERED_CHARACTERS, (key) => key.length);
    this.vocabulary = new Map();
    this.spellings = [];
    this.mereNames = [];
  }

  /** Numbers given so far are below this. */
  get vocabularySize(): number {
    return this.spellings.length;
  }

  spelling(number: number): string {
    return this.spellings[number] ?? '';
  }

  /** A name without a digit or a slash, unlike an id or a path. */
  isMereName(number: number): boolean {
    return this.mereNames[number] ?? true;
  }

  /** Facts of the messages of a prompt, in order. */
  factsOf(messages: readonly string[]): readonly MessageFacts[] {
    return this.inOrder(messages).map((chunk) => {
      chunk.facts ??= this.read(chunk.text);
      return chunk.facts;
    });
  }

  tokensOf(text: string): number {
    return tokensOfChunk(this.chunkOf(text));
  }

  /** Tokens of a prompt, by its parts in order, of which no token reaches over two. */
  tokensOfParts(parts: readonly string[]): number {
    let tokens = 0;
    for (const chunk of this.inOrder(parts)) tokens += tokensOfChunk(chunk);
    return tokens;
  }

  /**
   * What is known of each part. Prompts of a session mostly go on where the one before began, so a part is held
   * against that one's next: to compare two texts is much faster than to hash one.
   */
  private inOrder(texts: readonly string[]): readonly Chunk[] {
    const { latest } = this;
    let next = 0;
    const chunks = texts.map((text) => {
      const expected = latest[next];
      if (expected?.text === text) {
        next++;
        return expected;
      }
      const chunk = this.chunkOf(text);
      if (latest[chunk.place] === chunk) next = chunk.place + 1;
      return chunk;
    });
    for (const [place, chunk] of chunks.entries()) chunk.place = place;
    this.latest = chunks;
    return chunks;
  }

  private chunkOf(text: string): Chunk {
    const known = this.chunks.get(text);
    if (known !== undefined) return known;
    const chunk = { text: flatCopy(text), place: 0, facts: undefined, tokens: undefined };
    this.chunks.set(chunk.text, chunk);
    return chunk;
  }

  private read(message: string): MessageFacts {
    const { role, body } = splitHeader(message);
    const units = unitTexts(body).map((text) => this.unitOf(text, role));
    return {
      units,
      words: distinct(units.flatMap((unit) => unit.words)),
      identifiers: distinct(units.flatMap((unit) => unit.identifiers)),
    };
  }

  /** The numbers of the words in the texts that some message has. */
  knownWords(texts: readonly string[]): number[] {
    return distinct(texts.flatMap((text) => this.goalOf(text).words.lookUp(this.vocabulary)));
  }

  /** The numbers of the identifiers in the texts that some message has. */
  knownIdentifiers(texts: readonly string[]): number[] {
    return distinct(texts.flatMap((text) => this.goalOf(text).identifiers.lookUp(this.vocabulary)));
  }

  /** The keys in the vocabulary of a text that is no message: a task is the same in all prompts. */
  private goalOf(text: string): Goal {
    const known = this.goals.get(text);
    if (known !== undefined) return known;
    const goal = {
      words: new Names([...new Set(wordsIn(text))].map(flatCopy)),
      identifiers: new Names(
        [...new Set(identifiersIn(text).map(({ value }) => `=${value}`))].map(flatCopy),
      ),
    };
    this.goals.set(flatCopy(text), goal);
    return goal;
  }

  private unitOf(text: string, role: string): Unit {
    const oversized = text.length > OVERSIZED_CHARACTERS;
    const words = distinct(wordsIn(text).map((word) => this.numberOf(word, word)));
    const identifiers = distinct(
      identifiersIn(text)
        .filter(({ value }) => value.length <= IDENTIFIER_CHARACTERS)
        .map(({ value }) => this.numberOf(`=${value}`, value)),
    );
    return {
      text: oversized ? '' : flatCopy(text),
      tokens: oversized ? Number.POSITIVE_INFINITY : countTokens(`- ${text}\n`),
      words,
      identifiers,
      score: goalFreeScore(text, role, words.length),
    };
  }

  private numberOf(key: string, spelling: string): number {
    const known = this.vocabulary.get(key);
    if (known !== undefined) return known;
    const number = this.spellings.length;
    this.vocabulary.set(flatCopy(key), number);
    this.spellings.push(flatCopy(spelling));
    this.mereNames.push(!/[\d/]/.test(spelling));
    return number;
  }
}

function tokensOfChunk(chunk: Chunk): number {
  chunk.tokens ??= countTokens(chunk.text);
  return chunk.tokens;
}

function goalFreeScore(text: string, role: string, words: number): number {
  let score = role === 'user' ? 1.5 : role === 'assistant' ? 1 : 0.5;
  for (const [pattern, weight] of cues) if (pattern.test(text)) score += weight;
  // Sentences say more than fragments of one or two words.
  return words < 3 ? score / 2 : score;
}

function distinct(numbers: readonly number[]): number[] {
  return [...new Set(numbers)];
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]{3,}/gu) ?? [];
}

/** The units of a message body, in order. */
function unitTexts(body: string): string[] {
  const units: string[] = [];
  for (const line of withoutMarkup(body).split(/[\n\r\u2028\u2029\u0085]/)) {
    const text = line
      .replace(/\s+/g, ' ')
      .replace(/^[ >*#•-]+/, '')
      .trimEnd();
    if (!/[\p{L}\p{N}]/u.test(text) || /^\[output masked: \d+ tokens\]$/.test(text)) continue;
    if (text.length <= UNIT_CHARACTERS) units.push(text);
    else
      for (const sentence of text.split(/(?<=[.!?。！？]) (?=\S)/))
        pushAll(units, pieces(sentence));
  }
  return units;
}

/** A sentence, or a line of data, cut at commas and spaces into pieces of a length that can be kept. */
function pieces(sentence: string): string[] {
  const found: string[] = [];
  let start = 0;
  while (sentence.length - start > UNIT_CHARACTERS) {
    const window = sentence.slice(start, start + UNIT_CHARACTERS);
    let length = 1 + Math.max(window.lastIndexOf(', '), window.lastIndexOf('; '));
    if (length < UNIT_CHARACTERS / 3) {
      length = 1 + Math.max(window.lastIndexOf(','), window.lastIndexOf(' '));
    }
    if (length === 0) {
      const next = sentence.slice(start + UNIT_CHARACTERS).search(/[, ]/);
      length = next < 0 ? sentence.length - start : UNIT_CHARACTERS + next + 1;
    }
    found.push(sentence.slice(start, start + length).trim());
    start += length;
  }
  found.push(sentence.slice(start).trim());
  return found.filter((piece) => /[\p{L}\p{N}]/u.test(piece));
}

/** Drops stash markers, and unmakes whatever else could be read as one or as a tag of a prompt. */
function withoutMarkup(text: string): string {
  if (!text.includes('<')) return text;
  return text
    .replace(/<<cg:[^<>\s]*>>/g, '')
    .replace(/<(?=<cg:|\s*(?:\/\s*)?(?:summary|task|recent|transcript)\b)/gi, '‹');
}
