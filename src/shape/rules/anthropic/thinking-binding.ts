/** A-THINK-5: on some models a signed thinking block is bound to everything that stood before it. */
import { bindsThinking } from '../../models.ts';
import type { Finding, ListRule, WireMessage } from '../../rule.ts';
import { type AnthropicFacts, blockDigests, KIND } from './facts.ts';
import { described } from './source.ts';

interface Signed {
  readonly signature: string;
  readonly content: string;
  readonly message: number;
  readonly block: number | undefined;
  /** Number of blocks other than thinking that stand before it. */
  readonly others: number;
}

/**
 * Thinking of a list, and the rest of its blocks as digests, both in order. The first `same` messages are equal to
 * those of the list that this one is compared with, so that their blocks need no digest.
 */
function separate(
  facts: readonly AnthropicFacts[],
  messages: readonly WireMessage[],
  same: number,
): { readonly thinking: readonly Signed[]; readonly others: readonly string[] } {
  const thinking: Signed[] = [];
  const others: string[] = [];
  facts.forEach(({ blocks }, message) => {
    const wire = messages[message];
    const digests = wire === undefined || message < same ? [] : blockDigests(wire);
    blocks.forEach((block, at) => {
      if (block.thinking === undefined) others.push(digests[at] ?? '');
      else thinking.push({ ...block.thinking, message, block: block.index, others: others.length });
    });
  });
  return { thinking, others };
}

/** Number of leading messages with the same text. */
function commonStart(one: readonly WireMessage[], other: readonly WireMessage[]): number {
  let same = 0;
  while (same < one.length && same < other.length) {
    if (one[same] !== other[same] && one[same]?.raw !== other[same]?.raw) break;
    same++;
  }
  return same;
}

/**
 * Signed blocks whose past changed. Thinking may be dropped from the start of the list only: a block whose
 * predecessor among the thinking is another than before has lost one in the middle, and so have all after it.
 */
function* unbound(
  before: ReturnType<typeof separate>,
  after: ReturnType<typeof separate>,
): Generator<Finding> {
  let shared = 0;
  while (shared < after.others.length && after.others[shared] === before.others[shared]) shared++;

  // Where a signature repeats, the block with as much before it is meant, else the first.
  const positions = new Map<string, number>();
  before.thinking.forEach(({ signature, others }, at) => {
    for (const key of [signature, `${signature} ${others}`]) {
      if (!positions.has(key)) positions.set(key, at);
    }
  });

  let previous: number | undefined;
  let broken = false;
  for (const block of after.thinking) {
    const next = previous === undefined ? undefined : previous + 1;
    const follows = next !== undefined && before.thinking[next]?.signature === block.signature;
    const at = follows
      ? next
      : (positions.get(`${block.signature} ${block.others}`) ?? positions.get(block.signature));
    const recorded = at === undefined ? undefined : before.thinking[at];
    if (previous !== undefined && at !== next) broken = true;
    const samePast = recorded?.others === block.others && block.others <= shared;
    if (recorded !== undefined && block.signature !== '' && (broken || !samePast)) {
      const detail = 'what stood before this signed thinking block has changed';
      yield { message: block.message, block: block.block, detail };
    }
    if (recorded === undefined || recorded.content !== block.content) broken = true;
    previous = at ?? -1;
  }
}

export const bindingRule: ListRule<AnthropicFacts> = {
  ...described({
    id: 'A-THINK-5',
    explanation:
      'On models that bind thinking to its conversation, nothing before a signed block changes; only a leading run of thinking may be dropped.',
    providerError: 'The block is bound to a different conversation',
    needs: 'pair',
    fix: 'Strip the signed thinking that stands behind the first change.',
    rewriteCanBreak: true,
  }),
  concerns: KIND.thinking,
  *find(facts, { context, messages, before, factsBefore }) {
    const recorded = factsBefore();
    if (!bindsThinking(context.model) || before === undefined || recorded === undefined) return;
    const same = commonStart(before, messages);
    if (same === messages.length) return;
    yield* unbound(separate(recorded, before, same), separate(facts, messages, same));
  },
};
