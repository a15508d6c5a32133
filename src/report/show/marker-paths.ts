import { DEEPEST_MARKERS } from '../../compaction/nested-markers.ts';
import { markersIn, type Stash } from '../../compaction/stash.ts';
import { forEachName, readableTexts } from '../../replay/evidence-names.ts';
import { exchangePlace } from '../../transcript/exchanges.ts';
import type { Message } from '../../transcript/message.ts';

/** What lies right behind a key, markers in it not followed. */
interface Content {
  readonly names: ReadonlySet<string>;
  readonly markers: readonly string[];
  /** Canonical hashes of the messages, and their places in exchanges. */
  readonly members: ReadonlySet<string>;
}

const NOTHING: Content = { names: new Set(), markers: [], members: new Set() };

/** Follows the visible markers of rewritten requests into the stash of one replay. */
export class MarkerPaths {
  readonly #stash: Stash;
  readonly #contents = new Map<string, Content>();

  constructor(stash: Stash) {
    this.#stash = stash;
  }

  /** Keys of the message's markers that the stash has, each once, in order. */
  keysIn(message: Message): string[] {
    const keys = readableTexts(message).flatMap(markersIn);
    return [...new Set(keys)].filter((key) => this.#stash.entry(key) !== undefined);
  }

  /** The keys to expand, one inside of the other, to come to an identifier; undefined: none leads to it. */
  toName(visible: readonly string[], name: string): readonly string[] | undefined {
    return this.#find(visible, ({ names }) => names.has(name));
  }

  /** The same for a recorded message: itself, or what an earlier component had made of it. */
  toMessage(visible: readonly string[], message: Message): readonly string[] | undefined {
    const place = exchangePlace(message);
    return this.#find(visible, ({ members }) => {
      return members.has(message.identity.hash) || (place !== undefined && members.has(place));
    });
  }

  /** What the key stands for: messages or one text; the number of messages. */
  sizeOf(key: string): { readonly kind: 'messages' | 'text'; readonly messages: number } {
    const entry = this.#stash.entry(key);
    if (entry?.kind !== 'messages') return { kind: 'text', messages: 0 };
    return { kind: 'messages', messages: entry.to - entry.from };
  }

  /** Breadth first, so that the shortest way is found; each key once, so cycles end. */
  #find(
    visible: readonly string[],
    isWanted: (content: Content) => boolean,
  ): readonly string[] | undefined {
    const seen = new Set<string>();
    let level: (readonly string[])[] = visible.map((key) => [key]);
    for (let depth = 0; level.length > 0 && depth < DEEPEST_MARKERS; depth++) {
      const next: (readonly string[])[] = [];
      for (const path of level) {
        const key = path.at(-1) ?? '';
        if (seen.has(key)) continue;
        seen.add(key);
        const content = this.#content(key);
        if (isWanted(content)) return path;
        for (const nested of content.markers) next.push([...path, nested]);
      }
      level = next;
    }
    return undefined;
  }

  #content(key: string): Content {
    const known = this.#contents.get(key);
    if (known !== undefined) return known;
    const entry = this.#stash.entry(key);
    if (entry === undefined) return NOTHING;
    const messages = entry.kind === 'text' ? [] : entry.list.slice(entry.from, entry.to);
    const texts = entry.kind === 'text' ? [entry.text] : messages.flatMap(readableTexts);
    const names = new Set<string>();
    for (const text of texts) forEachName(text, (name) => names.add(name));
    const members = new Set(
      messages.flatMap((message) => [message.identity.hash, exchangePlace(message) ?? '']),
    );
    const content = { names, markers: texts.flatMap(markersIn), members };
    this.#contents.set(key, content);
    return content;
  }
}
