import { flatCopy } from '../text/flat-copy.ts';
import { forEachToken, identifiersIn } from '../text/identifiers.ts';
import type { Message } from '../transcript/message.ts';
import { skipSpace, slice, valueEnd } from '../wire/json-spans.ts';

/** An identifier that an action uses. */
export interface UsedName {
  readonly value: string;
  /**
   * What it reads as when the backslash before it is no escape: `\new_dir` is `ew_dir` after a line end
   * or the folder `new_dir`. Text alone cannot tell, so either reading counts.
   */
  readonly otherReading?: string;
}

/** Identifiers in the arguments of the message's tool calls, each once, in order. */
export function namesInCalls(action: Message): UsedName[] {
  const texts = action.blocks.flatMap((block) =>
    block.kind === 'tool-call' ? argumentTexts(block.arguments) : [],
  );
  return namesUsed(texts);
}

/** Identifiers in the message's text blocks, each once, in order. */
export function namesInText(action: Message): UsedName[] {
  return namesUsed(action.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : [])));
}

function namesUsed(texts: readonly string[]): UsedName[] {
  const names = new Map<string, UsedName>();
  for (const text of texts) {
    for (const { value } of identifiersIn(withoutEscapes(text))) {
      if (!names.has(value)) names.set(value, { value });
    }
    for (const otherReading of namesAfterBackslash(text)) {
      const value = identifiersIn(otherReading.slice(1))[0]?.value;
      const known = value === undefined ? undefined : names.get(value);
      if (value === undefined || known === undefined || known.otherReading !== undefined) continue;
      names.set(value, { value, otherReading });
    }
  }
  return [...names.values()];
}

/** What the model reads of a message and can use a name from; thinking is the agent's own. */
export function readableTexts(message: Message): string[] {
  return message.blocks.flatMap((block) => {
    switch (block.kind) {
      case 'text':
        return [block.text];
      case 'tool-call':
        return argumentTexts(block.arguments);
      case 'tool-result':
        return [...block.texts, ...block.media.flatMap(({ text }) => text ?? [])];
      case 'media':
        return block.text === undefined ? [] : [block.text];
      default:
        return [];
    }
  });
}

/**
 * Calls `visit` with each identifier of a text, escapes undone, and with the other reading of those that a
 * backslash stands before; the same one may come several times.
 */
export function forEachName(text: string, visit: (name: string) => void): void {
  for (const { value } of identifiersIn(withoutEscapes(text))) visit(value);
  for (const name of namesAfterBackslash(text)) visit(name);
}

/** A backslash and what could be a name after it. */
const AFTER_BACKSLASH = /\\([\p{L}\p{M}\p{N}_./-]+)/gu;

/** The identifiers that begin right after a backslash, taken as no escape. */
function namesAfterBackslash(text: string): string[] {
  if (!text.includes('\\')) return [];
  const names: string[] = [];
  for (const [, run = ''] of text.matchAll(AFTER_BACKSLASH)) {
    const first = identifiersIn(run)[0];
    if (first?.start === 0) names.push(first.value);
  }
  return names;
}

/**
 * The values of arguments as texts: strings decoded, numbers as written, keys left out; JSON within a
 * string is read the same way. What is no JSON (a patch, a command) is one text.
 */
export function argumentTexts(written: string): string[] {
  if (!isJson(written)) return [written];
  const texts: string[] = [];
  // A string within a string is shorter by its quotes, so this ends.
  const pending = [written];
  for (let json = pending.pop(); json !== undefined; json = pending.pop()) {
    for (const value of scalars(json)) {
      if (/^\s*[[{"]/.test(value) && isJson(value)) pending.push(value);
      else texts.push(value);
    }
  }
  return texts;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A number of fewer digits names nothing; `1e10` has three. */
const NUMBER_DIGITS = 4;

function scalars(json: string): string[] {
  const found: string[] = [];
  let at = skipSpace(json, 0);
  while (at < json.length) {
    const first = json[at] ?? '';
    if (first !== '"' && !/[-\d]/.test(first)) {
      at++;
      continue;
    }
    const end = valueEnd(json, at);
    const written = slice(json, { start: at, end });
    at = skipSpace(json, end);
    if (first !== '"') {
      if ((written.match(/\d/g)?.length ?? 0) >= NUMBER_DIGITS) found.push(written);
    } else if (json[at] !== ':') {
      found.push(written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1));
    }
  }
  return found;
}

/**
 * Escapes of JSON, of program code and of patterns; several backslashes are text that was escaped more
 * than once.
 */
const ESCAPE = /\\+(?:u([0-9a-fA-F]{4})|x[0-9a-fA-F]{2}|(\/)|[abefnrtvdwsDWSB0"'])?/g;

/**
 * The text with its escapes undone, as far as names go: `\/` and `\u00e9` are the characters they stand for,
 * any other escape and any backslash is a space, so that `\nfoo_bar` has the name `foo_bar`.
 */
function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(ESCAPE, (_, unit: string | undefined, slash: string | undefined) => {
    if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
    return slash ?? ' ';
  });
}

/** Numbers for the identifiers that some recorded action of a transcript uses; no other one is looked for. */
export class NameTable {
  readonly #numbers = new Map<string, number>();
  /** Whether some name has this length and these characters: most tokens of a text are told by it. */
  readonly #looks = new Uint8Array(1 << LOOK_BITS);

  get size(): number {
    return this.#numbers.size;
  }

  add(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    // A slice would keep the text that it was found in.
    this.#numbers.set(flatCopy(name), number);
    this.#looks[lookOf(name, 0, name.length)] = 1;
    return number;
  }

  /** Distinct numbers of the known names in a text. */
  numbersIn(text: string): readonly number[] {
    const found = new Set<number>();
    const note = (name: string) => {
      const number = this.#numbers.get(name);
      if (number !== undefined) found.add(number);
    };
    const plain = withoutEscapes(text);
    forEachToken(plain, (start, end) => {
      // The names are identifiers, so a token that is one of them is one too.
      if (this.#looks[lookOf(plain, start, end)] === 1) note(plain.slice(start, end));
    });
    for (const name of namesAfterBackslash(text)) note(name);
    return found.size === 0 ? NO_NUMBERS : [...found];
  }
}

const NO_NUMBERS: readonly number[] = [];

const LOOK_BITS = 16;

/** A number for the length, the ends and the middle of a part of a text. */
function lookOf(text: string, start: number, end: number): number {
  const length = end - start;
  let look = length * 31 + text.charCodeAt(start);
  look = look * 31 + text.charCodeAt(end - 1);
  look = look * 31 + text.charCodeAt(start + (length >> 1));
  look = look * 31 + text.charCodeAt(start + (length >> 2));
  return look & ((1 << LOOK_BITS) - 1);
}
