import { expandCallTokens } from '../compaction/expand-tool.ts';
import { DEEPEST_MARKERS } from '../compaction/nested-markers.ts';
import { markersIn, type Stash } from '../compaction/stash.ts';
import { countTokens } from '../text/tokens.ts';
import type { Message } from '../transcript/message.ts';
import { type Counting, listTokens } from '../transcript/message-tokens.ts';
import type { ActionEvidence } from './evidence.ts';
import { forEachName, readableTexts } from './evidence-names.ts';

/** What the agent would have got back at one request. It serves that request alone. */
export interface Expansion {
  /** Keys in the order in which they are asked for: a nested one after the one that it stands in. */
  readonly keys: readonly string[];
  /** Calls to the model that it takes beyond the first: one for each level of markers. */
  readonly rounds: number;
  /** What the calls and the restored content add to the request, in tokens. */
  readonly tokens: number;
}

/** What lies behind one key. */
interface Content {
  readonly names: ReadonlySet<string>;
  /** Keys of the markers in it. */
  readonly markers: readonly string[];
}

/** The key and how to come to it: the keys that have to be expanded before. */
interface Reached {
  readonly key: string;
  readonly path: readonly string[];
}

/**
 * Says which markers an agent has to expand to act as it did: those behind which an identifier of its action
 * lies that is no longer in front of it. One of these serves the requests of one replay.
 */
export class Expander {
  readonly #stash: Stash;
  readonly #contents = new Map<string, Content>();

  constructor(stash: Stash) {
    this.#stash = stash;
  }

  /** @param after the list that would be sent */
  expansionFor(
    after: readonly Message[],
    evidence: ActionEvidence | undefined,
    counting: Counting,
  ): Expansion | undefined {
    const wanted = new Set(
      (evidence?.used ?? [])
        .filter(({ status }) => status === 'recoverable')
        .map(({ value }) => value),
    );
    if (wanted.size === 0) return undefined;
    const keys = new Set<string>();
    let rounds = 0;
    for (const { key, path } of this.#inReach(after)) {
      if (wanted.size === 0) break;
      const found = [...wanted].filter((value) => this.#content(key).names.has(value));
      if (found.length === 0) continue;
      for (const value of found) wanted.delete(value);
      for (const step of [...path, key]) keys.add(step);
      rounds = Math.max(rounds, path.length + 1);
    }
    if (keys.size === 0) return undefined;
    let tokens = 0;
    for (const key of keys) tokens += this.#restoredTokens(key, counting);
    return { keys: [...keys], rounds, tokens };
  }

  /** Every key that can be come to, those in front of the model first; each once, so cycles end. */
  *#inReach(after: readonly Message[]): Generator<Reached> {
    const seen = new Set<string>();
    let level: Reached[] = [];
    // What an agent needs was mostly left out last.
    for (const message of after.toReversed()) {
      for (const key of readableTexts(message).flatMap(markersIn)) level.push({ key, path: [] });
    }
    for (let depth = 0; level.length > 0 && depth < DEEPEST_MARKERS; depth++) {
      const next: Reached[] = [];
      for (const reached of level) {
        if (seen.has(reached.key) || this.#stash.entry(reached.key) === undefined) continue;
        seen.add(reached.key);
        yield reached;
        const path = [...reached.path, reached.key];
        for (const key of this.#content(reached.key).markers) next.push({ key, path });
      }
      level = next;
    }
  }

  #content(key: string): Content {
    const known = this.#contents.get(key);
    if (known !== undefined) return known;
    const names = new Set<string>();
    const texts = this.#texts(key);
    for (const text of texts) forEachName(text, (name) => names.add(name));
    const content = { names, markers: texts.flatMap(markersIn) };
    this.#contents.set(key, content);
    return content;
  }

  #texts(key: string): readonly string[] {
    const entry = this.#stash.entry(key);
    if (entry === undefined) return [];
    if (entry.kind === 'text') return [entry.text];
    return entry.list.slice(entry.from, entry.to).flatMap(readableTexts);
  }

  #restoredTokens(key: string, counting: Counting): number {
    const { tokenizer } = counting;
    const entry = this.#stash.entry(key);
    if (entry === undefined) return 0;
    const content =
      entry.kind === 'text'
        ? countTokens(entry.text, tokenizer)
        : listTokens(entry.list.slice(entry.from, entry.to), counting);
    return content + expandCallTokens(key, tokenizer);
  }
}
