import { safeCuts } from '../transcript/exchanges.ts';
import type { Message } from '../transcript/message.ts';
import type { Context } from './component.ts';
import type { MarkerMode } from './marker-mode.ts';
import { markerOf, SENTINEL, type StashKey } from './stash.ts';

/** A run of messages that is kept or dropped whole: `messages[from, to)`. */
export interface Turn {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

/** A request as controls see it: what comes before the first turn of the assistant, then turn by turn. */
export interface Turns {
  /** Messages that are always kept: `msg0`, and whatever else stands before the first turn. */
  readonly head: Turn;
  /** From the oldest to the newest. */
  readonly turns: readonly Turn[];
}

/**
 * Cuts a list before each turn of the assistant where no exchange is torn. What follows a turn up to the next
 * one belongs to it, so roles still alternate when it is gone.
 */
export function turnsOf(
  messages: readonly Message[],
  context: Pick<Context, 'countMessage'>,
): Turns {
  const safe = safeCuts(messages);
  const cuts: number[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant' || messages[index - 1]?.role === 'assistant') continue;
    // Providers want a system message in the list to stand right before the assistant.
    let cut = index;
    while (cut > 1 && messages[cut - 1]?.role === 'system') cut--;
    if (cut > 0 && safe[cut] === true) cuts.push(cut);
  }
  const turn = (from: number, to: number): Turn => ({
    from,
    to,
    tokens: messages
      .slice(from, to)
      .reduce((sum, message) => sum + context.countMessage(message), 0),
  });
  const turns = cuts.map((cut, index) => turn(cut, cuts[index + 1] ?? messages.length));
  return { head: turn(0, cuts[0] ?? messages.length), turns };
}

function traceOf(mode: MarkerMode, count: number, key: StashKey | undefined): string {
  const text = `[${count} earlier messages left out]`;
  return `${text}\n${mode === 'full' && key !== undefined ? markerOf(key) : SENTINEL}`;
}

/** More tokens than sixteen hexadecimal digits are in any encoding. */
const KEY_TOKENS = 16;

/** Tokens that the trace of one dropped run takes at most. */
export function traceTokens(mode: MarkerMode, context: Context): number {
  if (mode === 'off') return 0;
  const tokens = context.countTokens(traceOf(mode, 99_999, undefined));
  return mode === 'full' ? tokens + KEY_TOKENS : tokens;
}

/** The list without the turns in `dropped`; in `full` mode a marker stands for each run of them. */
export function withoutTurns(
  messages: readonly Message[],
  { head, turns }: Turns,
  dropped: ReadonlySet<Turn>,
  mode: MarkerMode,
  context: Context,
): { readonly messages: readonly Message[]; readonly stashed: readonly StashKey[] } {
  const stashed: StashKey[] = [];
  let list = messages.slice(0, head.to);
  for (let index = 0; index < turns.length; ) {
    const start = index;
    while (isIn(dropped, turns[index])) index++;
    const from = turns[start]?.from ?? messages.length;
    const to = turns[index]?.from ?? messages.length;
    const kept = index;
    while (index < turns.length && !isIn(dropped, turns[index])) index++;
    const after = messages.slice(turns[kept]?.from ?? messages.length, turns[index]?.from);
    if (from === to || mode === 'off') {
      list = [...list, ...after];
      continue;
    }
    const key = mode === 'full' ? context.stash.putMessages(messages, from, to) : undefined;
    if (key !== undefined) stashed.push(key);
    const trace = traceOf(mode, to - from, key);
    list = [...context.dialect.insertUserText(list, trace, after, context.table)];
  }
  return { messages: list, stashed };
}

function isIn(dropped: ReadonlySet<Turn>, turn: Turn | undefined): boolean {
  return turn !== undefined && dropped.has(turn);
}
