import type { Message } from '../../../transcript/message.ts';
import type { Transcript } from '../../../transcript/transcript.ts';
import { blockText } from '../../show/block-text.ts';
import type { ReplayedCell } from '../../show/cell.ts';
import type { Fate } from '../../show/message-changes.ts';
import { type CountedChange, type RequestView, stepText } from '../../show/request-view.ts';

/** Letters of the fates in the data. */
const FATES: Readonly<Record<Fate, string>> = {
  kept: 'k',
  rewritten: 'r',
  summarized: 's',
  stashed: 't',
  dropped: 'd',
  inserted: 'i',
};

/** Places in `texts`; a message is its role, its tokens, and the kinds and texts of its blocks. */
type EncodedMessage = readonly [
  role: string,
  tokens: number,
  blocks: readonly (readonly [kind: string, text: number])[],
];

/** `[letter, first, count]` of neighbours with one fate, `['r', index, message]`, `['i', message]`. */
type EncodedRun = readonly [fate: string, ...numbers: number[]];

interface EncodedRequest {
  readonly before: number;
  readonly after: number;
  readonly segment: number;
  /** Component and what it did, places in `texts`. */
  readonly steps: readonly (readonly [component: number, what: number])[];
  /** Total, kept, recoverable, lost; absent where the action is not known. */
  readonly evidence?: readonly number[];
  /** Identifier, status, tools, messages that held it, whether it went only later. */
  readonly missing?: readonly (readonly [number, string, number, readonly number[], 0 | 1])[];
  /** Rules that the rewrite breaks. */
  readonly broken?: readonly number[];
  readonly runs: readonly EncodedRun[];
}

/**
 * Before and after of the cells of one recording, as data for the page: each text and each message stands in
 * it once, whatever the number of requests and configs.
 */
export class TranscriptDetails {
  readonly #spell: (text: string) => string;
  readonly #texts: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #messages: EncodedMessage[] = [];
  readonly #messagePlaces = new Map<string, number>();
  readonly #lists: (readonly number[])[] = [];
  readonly #actions: (number | null)[] = [];
  readonly #cells = new Map<number, readonly EncodedRequest[]>();
  readonly #transcript: Transcript;

  /** @param spell makes a text fit to be shown: secrets taken out, hidden characters spelled out */
  constructor(transcript: Transcript, spell: (text: string) => string) {
    this.#transcript = transcript;
    this.#spell = spell;
  }

  get rows(): readonly number[] {
    return [...this.#cells.keys()];
  }

  /** @param row place of the cell among the rows of the report */
  add(row: number, cell: ReplayedCell, views: readonly RequestView[]): void {
    if (this.#lists.length === 0) this.#addRecording(views);
    const requests = views.map((view): EncodedRequest => {
      const { replay, changes, evidence } = view;
      const missing = (evidence ?? []).filter(({ status }) => status !== 'kept');
      return {
        before: replay.tokensBefore,
        after: replay.tokensAfter,
        segment: cell.transcript.requests[view.index]?.segment ?? 0,
        steps: replay.steps.map((step) => [this.#text(step.component), this.#text(stepText(step))]),
        ...(evidence === undefined
          ? {}
          : { evidence: countsOf(evidence.map(({ status }) => status)) }),
        ...(missing.length === 0
          ? {}
          : {
              missing: missing.map(({ value, status, usedBy, heldBy, goneLater }) => [
                this.#text(value),
                status.slice(0, 1),
                this.#text(usedBy.join(', ')),
                heldBy.map(({ index }) => index),
                goneLater ? 1 : 0,
              ]),
            }),
        ...(replay.violationsAdded.length === 0
          ? {}
          : { broken: replay.violationsAdded.map((rule) => this.#text(rule)) }),
        runs: this.#runs(changes),
      };
    });
    this.#cells.set(row, requests);
  }

  /** The data with texts cut to `longest` characters, the middle left out. */
  json(longest: number): string {
    const texts = this.#texts.map((text) => shortened(text, longest));
    return JSON.stringify({
      texts,
      messages: this.#messages,
      lists: this.#lists,
      actions: this.#actions,
      cells: Object.fromEntries(this.#cells),
    });
  }

  /** The recorded lists, each as what it shares with the one before and what follows. */
  #addRecording(views: readonly RequestView[]): void {
    let last: readonly number[] = [];
    for (const view of views) {
      const list: number[] = [];
      for (const { before, tokensBefore = 0 } of view.changes) {
        if (before !== undefined) list[before.index] = this.#message(before.message, tokensBefore);
      }
      let shared = 0;
      while (shared < last.length && last[shared] === list[shared]) shared++;
      this.#lists.push([shared, ...list.slice(shared)]);
      last = list;
      const { action } = this.#transcript.requests[view.index] ?? {};
      this.#actions.push(action === undefined ? null : this.#message(action, 0));
    }
  }

  #runs(changes: readonly CountedChange[]): EncodedRun[] {
    const runs: EncodedRun[] = [];
    let open: { letter: string; first: number; count: number } | undefined;
    const close = () => {
      if (open !== undefined) runs.push([open.letter, open.first, open.count]);
      open = undefined;
    };
    for (const { fate, before, after, tokensAfter = 0 } of changes) {
      const letter = FATES[fate];
      if (after !== undefined && fate !== 'kept') {
        close();
        const message = this.#message(after.message, tokensAfter);
        runs.push(before === undefined ? [letter, message] : [letter, before.index, message]);
        continue;
      }
      const index = before?.index ?? 0;
      if (open?.letter === letter && open.first + open.count === index) open.count++;
      else {
        close();
        open = { letter, first: index, count: 1 };
      }
    }
    close();
    return runs;
  }

  #message(message: Message, tokens: number): number {
    const key = `${tokens} ${message.identity.hash}`;
    const known = this.#messagePlaces.get(key);
    if (known !== undefined) return known;
    const blocks = message.blocks.map(
      (block) => [block.kind, this.#text(blockText(block))] as const,
    );
    const place = this.#messages.push([message.role, tokens, blocks]) - 1;
    this.#messagePlaces.set(key, place);
    return place;
  }

  #text(text: string): number {
    const known = this.#places.get(text);
    if (known !== undefined) return known;
    const place = this.#texts.push(this.#spell(text)) - 1;
    this.#places.set(text, place);
    return place;
  }
}

function countsOf(statuses: readonly string[]): readonly number[] {
  const count = (wanted: string) => statuses.filter((status) => status === wanted).length;
  const [kept, recoverable] = [count('kept'), count('recoverable')];
  return [statuses.length, kept, recoverable, statuses.length - kept - recoverable];
}

/** Head and tail of a long text, and between them how much is left out; a code point is never split. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const head = text.slice(0, Math.ceil((longest * 2) / 3)).toWellFormed();
  const tail = text.slice(text.length - Math.floor(longest / 3)).toWellFormed();
  const left = text.length - head.length - tail.length;
  return `${head}\n⋯ ${left.toLocaleString('en-US')} characters left out of this report ⋯\n${tail}`;
}
