import type { BoundComponent } from '../../src/compaction/bound.ts';
import type { CompactionRequest, Context, Outcome } from '../../src/compaction/component.ts';
import { markerOf } from '../../src/compaction/stash.ts';
import { safeCuts } from '../../src/transcript/exchanges.ts';
import type { Message } from '../../src/transcript/message.ts';
import { componentOf } from '../support/faulty.ts';

/** A summarizer without a model that does all right, so that a fault is the few lines that go wrong. */

export type Json = { readonly [key: string]: unknown };

/** A list, cut as a summary needs it. */
export interface Cut {
  readonly list: readonly Message[];
  readonly head: readonly Message[];
  readonly span: readonly Message[];
  readonly tail: readonly Message[];
  /** What stands for the span, with its marker. */
  readonly text: string;
  readonly context: Context;
  /** A message of this wire from its value, or on Responses from its items. */
  make(...items: readonly object[]): Message;
  /** The right rewrite. */
  summarized(): readonly Message[];
}

export interface NaiveSettings {
  readonly keep: number;
}

export type Twist = (cut: Cut) => readonly Message[] | undefined;

/** What a summary with this twist does; a twist that finds nothing to do wrong leaves the list. */
export function spanFault(twist: Twist): (settings: NaiveSettings) => BoundComponent {
  return ({ keep }) =>
    componentOf((request, context) => {
      const cut = cutOf(request, keep, context);
      const messages = cut === undefined ? undefined : twist(cut);
      if (messages === undefined) return { kind: 'skipped', gate: 'not_here' };
      // So that it is the oracle that has to notice.
      return { kind: 'changed', messages, stashed: [], irreversible: true };
    });
}

/** The right summary, and one retained message, the latest that `edit` takes, is edited. */
export function editFault(
  edit: (items: readonly Json[], message: Message) => readonly Json[] | undefined,
): (settings: NaiveSettings) => BoundComponent {
  return spanFault((cut) => {
    const kept = cut.summarized();
    for (let index = kept.length - 1; index >= 0; index--) {
      const message = kept[index];
      const edited = message === undefined ? undefined : edit(itemsOf(message), message);
      if (edited !== undefined) return kept.with(index, cut.make(...edited));
    }
    return undefined;
  });
}

/** Outputs of 100 characters or more give way to what `reduce` says; a wrong mask. */
export function outputFault(
  reduce: (items: readonly Json[], message: Message) => readonly Json[] | undefined,
): () => BoundComponent {
  return () =>
    componentOf(({ messages }, context): Outcome => {
      const reduced = messages.map((message) => {
        const isLarge =
          message.raw.length > 300 && message.blocks.some(({ kind }) => kind === 'tool-result');
        const items = isLarge ? reduce(itemsOf(message), message) : undefined;
        return items === undefined ? message : makeWith(context)(...items);
      });
      return { kind: 'changed', messages: reduced, stashed: [], irreversible: true };
    });
}

export function itemsOf(message: Message): readonly Json[] {
  const items: unknown = JSON.parse(`[${message.raw}]`);
  return Array.isArray(items) ? items : [];
}

function makeWith(context: Context): Cut['make'] {
  return (...items) =>
    context.dialect.parseMessage(
      items.map((item) => JSON.stringify(item)).join(','),
      context.table,
    );
}

function cutOf(
  { messages: list }: CompactionRequest,
  keep: number,
  context: Context,
): Cut | undefined {
  const safe = safeCuts(list);
  const to = safe.findLastIndex((isSafe, at) => isSafe && at <= list.length - keep);
  const from = safe.findIndex((isSafe, at) => isSafe && at >= 1);
  const span = list.slice(from, to);
  const tokens = span.reduce((sum, message) => sum + context.countMessage(message), 0);
  if (from < 1 || tokens < 100) return undefined;
  const head = list.slice(0, from);
  const tail = list.slice(to);
  const text = `Earlier work is left out. ${markerOf(context.stash.putMessages(list, from, to))}`;
  return {
    list,
    head,
    span,
    tail,
    text,
    context,
    make: makeWith(context),
    summarized: () => context.dialect.insertUserText(head, text, tail, context.table),
  };
}
