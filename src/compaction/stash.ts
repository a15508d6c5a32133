import { createHash } from 'node:crypto';
import { type Growing, GrowingLists } from '../transcript/growing-lists.ts';
import type { Message } from '../transcript/message.ts';
import { encodeList } from '../wire/dialect.ts';

/** Content address of what was dropped: 16 hexadecimal digits. */
export type StashKey = string & { readonly brand: unique symbol };

/** What lies behind a key; bytes are made only when somebody expands. */
export type StashEntry =
  | {
      readonly kind: 'messages';
      readonly list: readonly Message[];
      readonly from: number;
      readonly to: number;
    }
  | { readonly kind: 'text'; readonly text: string };

/** Where dropped content of one lineage is kept. */
export class Stash {
  readonly #entries = new Map<StashKey, StashEntry>();
  /** Texts are stashed again at each request, and hashed once. */
  readonly #textKeys = new Map<string, StashKey>();

  /** Keeps `list[from, to)` under its `messagesKey`. */
  putMessages(list: readonly Message[], from: number, to: number): StashKey {
    const key = messagesKey(list, from, to);
    this.#entries.set(key, { kind: 'messages', list, from, to });
    return key;
  }

  /** Keeps `text` under its `textKey`. */
  putText(text: string): StashKey {
    const known = this.#textKeys.get(text);
    if (known !== undefined) return known;
    const key = textKey(text);
    this.#textKeys.set(text, key);
    this.#entries.set(key, { kind: 'text', text });
    return key;
  }

  /** Renews the bytes under a key that is in use again; the span must be canonically the same. */
  refresh(key: StashKey, list: readonly Message[], from: number, to: number): void {
    this.#entries.set(key, { kind: 'messages', list, from, to });
  }

  entry(key: string): StashEntry | undefined {
    return this.#entries.get(key as StashKey);
  }

  /** The dropped content: a JSON array of the exact messages, or the exact text. */
  expand(key: string): string | undefined {
    const entry = this.entry(key);
    if (entry === undefined) return undefined;
    if (entry.kind === 'text') return entry.text;
    return encodeList(entry.list.slice(entry.from, entry.to));
  }

  entries(): IterableIterator<[StashKey, StashEntry]> {
    return this.#entries.entries();
  }
}

/** The text that was last asked about: who counts with a marker writes it next. */
let latest: { readonly text: string; readonly key: StashKey } | undefined;

/** The key of a text. */
export function textKey(text: string): StashKey {
  if (latest?.text === text) return latest.key;
  // UTF-16, since UTF-8 would give texts that differ in a lone surrogate one key.
  const key = keyOf(createHash('sha256').update('text').update(text, 'utf16le').digest('hex'));
  latest = { text, key };
  return key;
}

/**
 * The key of `list[from, to)`. It depends on the canonical messages, so a span whose cache marks moved
 * keeps its key, and the stash then holds the bytes of the latest request. A span that grew is hashed
 * from where the one before it ended.
 */
export function messagesKey(list: readonly Message[], from: number, to: number): StashKey {
  return keyOf(spans.of(list.slice(from, to)).digest());
}

class SpanHash implements Growing<Message> {
  length = 0;
  #hash = createHash('sha256').update('messages');

  append({ identity }: Message): void {
    this.#hash.update(identity.hash);
    this.length++;
  }

  /** A hash cannot go back. */
  cut(): void {
    this.#hash = createHash('sha256').update('messages');
    this.length = 0;
  }

  digest(): string {
    return this.#hash.copy().digest('hex');
  }
}

const spans = new GrowingLists<Message, SpanHash>(() => new SpanHash());

function keyOf(hexadecimal: string): StashKey {
  return hexadecimal.slice(0, 16) as StashKey;
}

/** The marker that stands in place of dropped content. */
export function markerOf(key: StashKey): string {
  return `<<cg:${key}>>`;
}

/** Stands where content was dropped and nothing was stashed (`marker_mode: summary`). */
export const SENTINEL = '<<cg:dropped>>';

const MARKER = /<<cg:([0-9a-f]{16})>>/g;

/** Keys of all markers in a text, in order. */
export function markersIn(text: string): string[] {
  return [...text.matchAll(MARKER)].map((match) => match[1] ?? '');
}
