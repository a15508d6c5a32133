/** Rules of every provider: well-formed text, and the bytes of what was not rewritten. */
import { type Growing, GrowingLists, sharedStart } from '../../transcript/growing-lists.ts';
import { digestOf } from '../digest.ts';
import { excerptOf } from '../excerpt.ts';
import { canonicalText, type JsonObject } from '../json-values.ts';
import {
  type Finding,
  type ListView,
  type MessageFinding,
  type MessageRule,
  type Rule,
  spokenSize,
  type WireMessage,
} from '../rule.ts';

const SURROGATE_OR_ESCAPE = /[\ud800-\udfff]|\\u[dD][89a-fA-F]/;
const ESCAPE = /\\(u([0-9a-fA-F]{4})|[\s\S])/g;
const LONE_SURROGATE = /\p{Surrogate}/u;

const CONTROL_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** JSON text with its escapes read, strings or not: a backslash stands nowhere else in JSON. */
function withoutEscapes(raw: string): string {
  return raw.replace(ESCAPE, (_, character: string, hex: string | undefined) =>
    hex === undefined
      ? (CONTROL_ESCAPES.get(character) ?? character)
      : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The first lone surrogate in the strings and keys of JSON text, with the text around it. */
function loneSurrogate(
  raw: string,
): { readonly code: string; readonly around: string } | undefined {
  if (!SURROGATE_OR_ESCAPE.test(raw)) return undefined;
  const text = withoutEscapes(raw);
  const at = text.search(LONE_SURROGATE);
  if (at < 0) return undefined;
  const start = Math.max(0, at - 30);
  const splitsPair = start < at && /[\udc00-\udfff]/.test(text.charAt(start));
  return {
    code: `U+${text.charCodeAt(at).toString(16).toUpperCase()}`,
    around: text.slice(splitsPair ? start + 1 : start),
  };
}

export const wellFormed: MessageRule = {
  id: 'X-UNI-1',
  provider: 'any',
  severity: 'error',
  explanation:
    'Strings and keys are well-formed Unicode: half a surrogate pair cannot be written as UTF-8.',
  source: 'shape-rules.md, Any provider; shape cases 083 and 084',
  providerError: 'the request body is not valid JSON: no low surrogate in string',
  needs: 'list',
  fix: 'Cut at a code point: drop the half that was left.',
  rewriteCanBreak: true,
  *find(items, message): Iterable<MessageFinding> {
    const found = loneSurrogate(message.raw);
    if (found === undefined) return;
    yield {
      block: blockWithLoneSurrogate(items),
      detail: `lone surrogate ${found.code}`,
      excerpt: excerptOf(found.around),
    };
  },
};

/** Index of the block (or the item, where there are several) that holds a lone surrogate. */
function blockWithLoneSurrogate(items: readonly JsonObject[]): number | undefined {
  const first = items[0];
  const parts = items.length > 1 ? items : (first?.content ?? first?.parts);
  if (!Array.isArray(parts)) return undefined;
  const index = parts.findIndex((part) => loneSurrogate(JSON.stringify(part) ?? '') !== undefined);
  return index < 0 ? undefined : index;
}

const meanings = new WeakMap<WireMessage, string>();

/** Digest of what a message says, whatever its spelling. */
function meaningOf(message: WireMessage): string {
  const known = meanings.get(message);
  if (known !== undefined) return known;
  const digest = digestOf(canonicalText(JSON.parse(`[${message.raw}]`)));
  meanings.set(message, digest);
  return digest;
}

/** The messages of a list that have one size: by their bytes, and by what they say once that is asked. */
class SameSize {
  readonly #messages: WireMessage[] = [];
  readonly #raws = new Counts();
  readonly #meanings = new Counts();
  /** Messages whose meaning is known. */
  #told = 0;

  push(message: WireMessage): void {
    this.#messages.push(message);
    this.#raws.add(message.raw);
  }

  pop(): void {
    const message = this.#messages.pop();
    if (message === undefined) return;
    this.#raws.remove(message.raw);
    if (this.#told <= this.#messages.length) return;
    this.#told = this.#messages.length;
    this.#meanings.remove(meaningOf(message));
  }

  hasBytes({ raw }: WireMessage): boolean {
    return this.#raws.has(raw);
  }

  /** True where some message has other bytes than this one. */
  hasOther({ raw }: WireMessage): boolean {
    return this.#raws.size > (this.#raws.has(raw) ? 1 : 0);
  }

  says(meaning: string): boolean {
    for (; this.#told < this.#messages.length; this.#told++) {
      const message = this.#messages[this.#told];
      if (message !== undefined) this.#meanings.add(meaningOf(message));
    }
    return this.#meanings.has(meaning);
  }
}

/** How often each text stands somewhere. Mostly there is one, which takes no map: there are as many of these as sizes. */
class Counts {
  #only: string | undefined;
  #times = 0;
  #others: Map<string, number> | undefined;

  /** Distinct texts. */
  get size(): number {
    return (this.#only === undefined ? 0 : 1) + (this.#others?.size ?? 0);
  }

  has(text: string): boolean {
    return this.#only === text || this.#others?.has(text) === true;
  }

  add(text: string): void {
    if (this.#only === text) this.#times++;
    else if (this.size === 0) [this.#only, this.#times] = [text, 1];
    else {
      this.#others ??= new Map();
      this.#others.set(text, (this.#others.get(text) ?? 0) + 1);
    }
  }

  remove(text: string): void {
    if (this.#only === text) {
      this.#times--;
      if (this.#times === 0) this.#only = undefined;
      return;
    }
    const left = (this.#others?.get(text) ?? 1) - 1;
    if (left === 0) this.#others?.delete(text);
    else this.#others?.set(text, left);
  }
}

/** The messages of a list by their size, as the list grows: only those of one size may say the same. */
class BySize implements Growing<WireMessage> {
  readonly #messages: WireMessage[] = [];
  readonly #bySize = new Map<number, SameSize>();

  get length(): number {
    return this.#messages.length;
  }

  append(message: WireMessage): void {
    this.#messages.push(message);
    const size = spokenSize(message);
    const known = this.#bySize.get(size) ?? new SameSize();
    this.#bySize.set(size, known);
    known.push(message);
  }

  cut(length: number): void {
    while (this.#messages.length > length) {
      const message = this.#messages.pop();
      if (message !== undefined) this.like(message)?.pop();
    }
  }

  like(message: WireMessage): SameSize | undefined {
    return this.#bySize.get(spokenSize(message));
  }
}

const bySize = new GrowingLists<WireMessage, BySize>(() => new BySize());

/** Rewrites in which nothing was respelled, by the first message of the list before; the latest last. */
const clean = new WeakMap<WireMessage, Rewrite[]>();
const MOST_CLEAN = 4;

interface Rewrite {
  readonly before: readonly WireMessage[];
  readonly messages: readonly WireMessage[];
}

/** Messages that say what a message of the list before says, in other bytes than any such message had. */
function respelled({ messages, before }: ListView): readonly Finding[] {
  const [first] = before ?? [];
  if (before === undefined || first === undefined) return [];
  const known = clean.get(first) ?? [];
  clean.set(first, known);
  const [shared, sharedBefore] = closest(known, { before, messages });
  const changed = unshared(messages, before, shared);
  // A message that was clean among fewer is looked at again where one like it came in.
  const fresh = bySize.of(messages);
  for (let index = sharedBefore; index < before.length; index++) {
    const message = before[index];
    if (message === undefined || fresh.like(message)?.hasOther(message) !== true) continue;
    return respelledAmong(unshared(messages, before, 0), before);
  }
  const found = respelledAmong(changed, before);
  if (found.length > 0) return respelledAmong(unshared(messages, before, 0), before);
  known.push({ before, messages });
  if (known.length > MOST_CLEAN) known.shift();
  return found;
}

/** How much of both lists was clean in one rewrite. */
function closest(
  known: readonly Rewrite[],
  { before, messages }: Rewrite,
): readonly [shared: number, sharedBefore: number] {
  let most: readonly [number, number] = [0, 0];
  for (const rewrite of known) {
    const sharedBefore = sharedStart(rewrite.before, before);
    // What was before and is gone may have been the same in other bytes.
    if (sharedBefore < rewrite.before.length) continue;
    const shared = sharedStart(rewrite.messages, messages);
    if (shared > most[0]) most = [shared, sharedBefore];
  }
  return most;
}

interface Candidate {
  readonly message: WireMessage;
  readonly index: number;
}

function respelledAmong(
  candidates: readonly Candidate[],
  before: readonly WireMessage[],
): readonly Finding[] {
  if (candidates.length === 0) return [];
  const known = bySize.of(before);
  return candidates.flatMap(({ message, index }) => {
    const alike = known.like(message);
    if (alike === undefined || alike.hasBytes(message)) return [];
    if (!alike.says(meaningOf(message))) return [];
    return [{ message: index, detail: 'says the same as the recorded message, in other bytes' }];
  });
}

/** Messages from `start` on that are not the object of the list before at the same place, from the front or from the end. */
function unshared(
  messages: readonly WireMessage[],
  before: readonly WireMessage[],
  start: number,
): readonly Candidate[] {
  const shift = before.length - messages.length;
  const found: Candidate[] = [];
  for (let index = start; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined || message === before[index] || message === before[index + shift])
      continue;
    found.push({ message, index });
  }
  return found;
}

export const sameBytes: Rule = {
  id: 'X-BYTE-1',
  provider: 'any',
  severity: 'error',
  explanation:
    'A message that was not rewritten keeps its bytes, or everything cached after it is paid again.',
  source: 'shape-rules.md, Any provider; the providers cache prefixes by their bytes',
  providerError: 'none: the prompt cache misses',
  needs: 'bytes',
  fix: 'Write back the recorded text of the message: key order, numbers, escapes and spacing.',
  rewriteCanBreak: true,
  check: respelled,
};
