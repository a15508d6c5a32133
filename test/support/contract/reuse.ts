import { safeCuts } from '../../../src/transcript/exchanges.ts';
import { type Message, resultText, sameMessage } from '../../../src/transcript/message.ts';
import { listTokens, messageCounter } from '../../../src/transcript/message-tokens.ts';
import { changesOf, type Unit, unitsOf } from './alignment.ts';
import { ContractBreach } from './breach.ts';
import { GREW } from './properties.ts';
import { countingOf, type Turn, type Variant } from './replay.ts';
import type { Reply } from './replies.ts';

/** What a component promises about a second turn. Throws a `ContractBreach` where it does not hold. */
export type ReuseRule = (
  turns: readonly Turn[],
  facts: {
    readonly variant: Variant;
    readonly settings: unknown;
    readonly replies: readonly Reply[];
  },
) => void;

/** An output that was rewritten once is rewritten to the same text as long as all up to it is unchanged. */
export const keepsOutputs: ReuseRule = (turns, { variant }) => {
  for (const [index, turn] of turns.entries()) {
    const next = turns[index + 1];
    if (next === undefined) return;
    if (next.report.kind === 'skipped' && next.report.gate.startsWith('trigger')) continue;
    // What failed as a whole left the request as it was; whether it may is another property.
    if (next.report.kind === 'reverted') continue;
    for (const change of changesOf(variant.dialect, turn.before, turn.after)) {
      if (change.kind !== 'rewritten') continue;
      const isSame = turn.before
        .slice(0, change.index + 1)
        .every((message, at) => message.raw === next.before[at]?.raw);
      if (!isSame) continue;
      const recorded = outputsOf(change.before);
      const now = outputsOf(next.after[change.index]);
      for (const [at, text] of outputsOf(change.after).entries()) {
        if (text === recorded[at] || text === now[at]) continue;
        throw new ContractBreach(
          'reuse',
          `output ${at} of message ${change.index} was rewritten in request ${index}, and in the next one to another text:\n${text}\n${now[at]}`,
        );
      }
    }
  }
};

function outputsOf(message: Message | undefined): readonly string[] {
  return (message?.blocks ?? []).map((block) =>
    block.kind === 'tool-result' ? resultText(block) : '',
  );
}

/** Decides each request anew. */
export const keepsNothing: ReuseRule = () => {};

/** A message that was dropped stays dropped while the list only grows. */
export const keepsDropped: ReuseRule = (turns, { variant }) => {
  const raws = (list: readonly Message[]) => unitsOf(variant.dialect, list).map(({ raw }) => raw);
  for (const [index, turn] of turns.entries()) {
    const next = turns[index + 1];
    if (next === undefined) return;
    if (turn.report.kind !== 'changed' || next.report.kind !== 'changed') continue;
    if (!turn.before.every((message, at) => message === next.before[at])) continue;
    const counts = new Map<string, number>();
    for (const raw of raws(next.before)) counts.set(raw, (counts.get(raw) ?? 0) + 1);
    const then = new Set(raws(turn.after));
    const now = new Set(raws(next.after));
    // Of one that stands in two places, either may have gone.
    const isBack = (raw: string) => counts.get(raw) === 1 && !then.has(raw) && now.has(raw);
    const back = raws(turn.before).find(isBack);
    if (back === undefined) continue;
    throw new ContractBreach(
      'reuse',
      `request ${index + 1} has a message again that request ${index} had dropped: ${back.slice(0, 200)}`,
    );
  }
};

/** A summary that stands for a span of messages. */
interface Decision {
  readonly from: number;
  readonly to: number;
  readonly covered: readonly Message[];
  readonly summary: Unit;
}

interface SummarySettings {
  readonly keep_last: number;
  readonly resummarize_tokens: number;
  readonly start_from_message: number;
  readonly trigger: { readonly min_messages: number; readonly min_request_tokens: number };
}

/**
 * The summary of a span stands with the same bytes, and no model is asked, while the covered messages are
 * canonically unchanged and the tail behind them is below `resummarize_tokens`; and not after that.
 */
export const keepsSummary: ReuseRule = (turns, { variant, settings, replies }) => {
  const config = settings as SummarySettings;
  const allGood = replies.every((reply) => reply === 'good');
  let decision: Decision | undefined;
  for (const [index, turn] of turns.entries()) {
    const { report } = turn;
    const made = report.kind === 'changed' ? decisionOf(turn, variant) : undefined;
    const isReused = report.kind === 'changed' && report.reused;
    const fail = (message: string): never => {
      throw new ContractBreach('reuse', `request ${index}: ${message}`);
    };
    const tail = decision === undefined ? undefined : tailOf(decision, turn, variant, config);
    if (isReused) {
      if (decision === undefined) return fail('a summary is reused that was never made');
      if (tail === undefined) fail('a summary is reused although what it covers is not the same');
      else if (allGood && tail >= config.resummarize_tokens) {
        fail(`a summary is reused although ${tail} tokens follow what it covers`);
      }
      if (turn.calls.length > 0) fail('a summary is reused and a model was asked');
      if (made?.summary.raw !== decision.summary.raw) fail('a summary is reused with other bytes');
    } else if (
      tail !== undefined &&
      tail < config.resummarize_tokens &&
      !(report.kind === 'reverted' && GREW.has(report.reason))
    ) {
      fail(`the summary of ${decision?.from}–${decision?.to} still stands, and was not reused`);
    }
    decision = made ?? decision;
  }
};

function decisionOf(turn: Turn, variant: Variant): Decision | undefined {
  const [change] = changesOf(variant.dialect, turn.before, turn.after);
  const first = change?.kind === 'replaced' ? change.dropped[0] : undefined;
  const last = change?.kind === 'replaced' ? change.dropped.at(-1) : undefined;
  const summary = change?.kind === 'replaced' ? change.inserted[0] : undefined;
  if (first === undefined || last === undefined || summary === undefined) return undefined;
  const from = first.message;
  const to = last.message + 1;
  return { from, to, covered: turn.before.slice(from, to), summary };
}

/** Tokens between what is covered and what is kept; undefined where the decision may not stand. */
function tailOf(
  { from, to, covered }: Decision,
  { before }: Turn,
  variant: Variant,
  config: SummarySettings,
): number | undefined {
  const counting = countingOf(variant);
  const { min_messages, min_request_tokens } = config.trigger;
  const most = min_messages === 0 ? config.start_from_message : min_messages;
  if (before.length < most || listTokens(before, counting) < min_request_tokens) return undefined;
  const safe = safeCuts(before);
  const end = safe.findLastIndex((isSafe, at) => isSafe && at <= before.length - config.keep_last);
  const start = safe.findIndex((isSafe, at) => isSafe && at >= 1);
  if (start !== from || to > end || safe[to] !== true) return undefined;
  const isSame = covered.every((message, offset) => {
    const now = before[from + offset];
    return now !== undefined && sameMessage(message, now);
  });
  if (!isSame) return undefined;
  const count = messageCounter(before, counting);
  return before.slice(to, end).reduce((sum, message) => sum + count(message), 0);
}
