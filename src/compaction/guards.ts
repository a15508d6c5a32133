import type { Message } from '../transcript/message.ts';
import type { Outcome } from './component.ts';
import { markersIn, type Stash, type StashKey } from './stash.ts';

/** Why a rewrite must not be sent: a stable reason for the row, and what was found. */
export interface Breach {
  readonly reason: 'grew' | 'message_grew' | 'unstashed';
  readonly detail: string;
}

interface Measured {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly stash: Stash;
  countMessage(message: Message): number;
}

/**
 * The pipeline's own checks of a rewrite, which trust nothing that the component says: it must not
 * grow, and what it dropped must lie in the stash behind a marker that is still to be seen.
 */
export function contractBreach(
  kind: 'reformat' | 'offload',
  before: readonly Message[],
  outcome: Outcome & { readonly kind: 'changed' },
  measured: Measured,
): Breach | undefined {
  const after = outcome.messages;
  const { tokensBefore, tokensAfter, countMessage } = measured;
  if (tokensAfter > tokensBefore) {
    return { reason: 'grew', detail: `${tokensBefore} tokens became ${tokensAfter}` };
  }
  if (before.length === after.length) {
    for (const [index, message] of before.entries()) {
      const written = after[index];
      if (written === undefined || written === message) continue;
      const tokens = [countMessage(message), countMessage(written)] as const;
      if (tokens[1] >= tokens[0]) {
        const detail = `message ${index}: ${tokens[0]} tokens became ${tokens[1]}`;
        return { reason: 'message_grew', detail };
      }
    }
  }
  if (kind === 'reformat' || outcome.irreversible === true) return undefined;
  return unstashed(before, after, outcome.stashed, measured.stash);
}

function unstashed(
  before: readonly Message[],
  after: readonly Message[],
  keys: readonly StashKey[],
  stash: Stash,
): Breach | undefined {
  const kept = new Set(after);
  const dropped = before.filter((message) => !kept.has(message));
  if (dropped.length === 0) return undefined;
  const visible = new Set<string>();
  const old = new Set(before);
  for (const message of after) {
    if (!old.has(message)) for (const key of markersIn(message.raw)) visible.add(key);
  }
  const stashed = new Set<Message>();
  let texts = 0;
  for (const key of keys) {
    const entry = stash.entry(key);
    if (entry === undefined) return { reason: 'unstashed', detail: `nothing is stashed as ${key}` };
    if (!visible.has(key)) {
      return { reason: 'unstashed', detail: `the marker of ${key} is in no message` };
    }
    if (entry.kind === 'text') texts++;
    else for (let index = entry.from; index < entry.to; index++) add(stashed, entry.list[index]);
  }
  // A message whose text alone was replaced is accounted for by a stashed text.
  const lost = dropped.filter((message) => !stashed.has(message));
  if (lost.length > texts) {
    return {
      reason: 'unstashed',
      detail: `${lost.length} messages dropped, ${texts} texts stashed`,
    };
  }
  return undefined;
}

function add(set: Set<Message>, message: Message | undefined): void {
  if (message !== undefined) set.add(message);
}
