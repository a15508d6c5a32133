/** Rules of every provider: well-formed text, and the bytes of what was not rewritten. */
import { digestOf } from '../digest.ts';
import { excerptOf } from '../excerpt.ts';
import { canonicalText, type JsonObject } from '../json-values.ts';
import type { Finding, ListView, MessageFinding, MessageRule, Rule, WireMessage } from '../rule.ts';

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

/** Messages that say what a message of the list before says, in other bytes than any such message had. */
function respelled({ messages, before }: ListView): readonly Finding[] {
  if (before === undefined) return [];
  const candidates = unshared(messages, before);
  if (candidates.length === 0) return [];
  const objectsBefore = new Set(before);
  const bytesBefore = new Set(before.map((message) => message.raw));
  const changed = candidates.filter(
    ({ message }) => !objectsBefore.has(message) && !bytesBefore.has(message.raw),
  );
  if (changed.length === 0) return [];
  const saidBefore = new Set(before.map(meaningOf));
  return changed
    .filter(({ message }) => saidBefore.has(meaningOf(message)))
    .map(({ index }) => ({
      message: index,
      detail: 'says the same as the recorded message, in other bytes',
    }));
}

/** Messages that are not the object of the list before at the same place, from the front or from the end. */
function unshared(
  messages: readonly WireMessage[],
  before: readonly WireMessage[],
): readonly { readonly message: WireMessage; readonly index: number }[] {
  const shift = before.length - messages.length;
  const found: { message: WireMessage; index: number }[] = [];
  messages.forEach((message, index) => {
    if (message === before[index] || message === before[index + shift]) return;
    found.push({ message, index });
  });
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
