/** Thinking blocks: A-THINK-1 to A-THINK-4. A-THINK-5 stands in `thinking-binding.ts`. */
import { isObject } from '../../json-values.ts';
import type { Finding, ListRule } from '../../rule.ts';
import {
  type AnthropicFacts,
  blocksOf,
  isThinking,
  KIND,
  type PlacedBlock,
  type ThinkingFacts,
  type Turn,
  turnsFromEnd,
} from './facts.ts';
import { described } from './source.ts';

function latestAssistant(facts: readonly AnthropicFacts[]): Turn | undefined {
  for (const turn of turnsFromEnd(facts)) if (turn.role === 'assistant') return turn;
  return undefined;
}

/** The latest assistant turn's thinking blocks. */
function latestThinking(facts: readonly AnthropicFacts[]): readonly PlacedBlock[] {
  return [...blocksOf(facts, latestAssistant(facts))].filter(
    ({ block }) => block.thinking !== undefined,
  );
}

/** Whether the request says that thinking is on with a budget of its own, not adaptive. */
function hasManualThinking(thinking: unknown): boolean {
  if (isObject(thinking)) return thinking.type === 'enabled';
  return thinking === true || thinking === 'enabled' || thinking === 'manual';
}

/**
 * First assistant turn of the tool loop that the list ends in. A loop is one turn to the model: it thinks at its
 * head and need not think again between results.
 */
function loopHead(facts: readonly AnthropicFacts[]): Turn | undefined {
  let results: Turn | undefined;
  let head: Turn | undefined;
  for (const turn of turnsFromEnd(facts)) {
    if (turn.role === 'system') continue;
    if (results === undefined) {
      if (turn.role !== 'user' || !holds(facts, turn, 'tool_result')) break;
      results = turn;
    } else {
      if (turn.role !== 'assistant' || !holds(facts, turn, 'tool_use')) break;
      head = turn;
      results = undefined;
    }
  }
  return head;
}

function holds(facts: readonly AnthropicFacts[], turn: Turn, type: string): boolean {
  for (const { block } of blocksOf(facts, turn)) if (block.type === type) return true;
  return false;
}

export const thinkingRules: readonly ListRule<AnthropicFacts>[] = [
  {
    ...described({
      id: 'A-THINK-1',
      explanation:
        'Thinking of the latest assistant turn is as the model wrote it, and no earlier turn with thinking becomes the latest.',
      providerError: 'thinking blocks in the latest assistant message cannot be modified',
      needs: 'pair',
      fix: 'Keep the latest assistant turn as it is, or strip all thinking of the turn that becomes the latest.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.thinking,
    *find(facts, list): Generator<Finding> {
      const factsBefore = list.factsBefore();
      const first = latestThinking(facts)[0];
      if (factsBefore === undefined || first === undefined) return;
      const said = latestThinking(facts).map(({ block }) => block.thinking?.content);
      const saidBefore = latestThinking(factsBefore).map(({ block }) => block.thinking?.content);
      if (said.length === saidBefore.length && said.every((one, at) => one === saidBefore[at]))
        return;
      const detail =
        "thinking of the latest assistant turn differs from the recorded latest turn's";
      yield { message: first.message, block: first.block.index, detail };
    },
  },
  {
    ...described({
      id: 'A-THINK-2',
      explanation: 'A thinking block keeps its signature, and its text stays as it was signed.',
      providerError: 'thinking.signature: Field required; Invalid signature in thinking block',
      needs: 'list',
      fix: 'Drop the block, or write it back as it was recorded.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.thinking,
    *find(facts, list): Generator<Finding> {
      const factsBefore = list.factsBefore();
      const signed = factsBefore === undefined ? undefined : contentsBySignature(factsBefore);
      const lost =
        factsBefore === undefined ? undefined : textsWithoutTheirSignature(facts, factsBefore);
      for (const [message, { blocks, kinds }] of facts.entries()) {
        if ((kinds & KIND.thinking) === 0) continue;
        for (const { thinking, index, type } of blocks) {
          if (thinking === undefined) continue;
          if (thinking.signature === '') {
            yield { message, block: index, detail: `${type} without a signature` };
          } else if (signed?.get(thinking.signature)?.has(thinking.content) === false) {
            yield { message, block: index, detail: `${type} was changed under its signature` };
          } else if (signed?.has(thinking.signature) === false && lost?.has(thinking.said)) {
            yield { message, block: index, detail: `${type} has another signature than recorded` };
          }
        }
      }
    },
  },
  {
    ...described({
      id: 'A-THINK-3',
      explanation: 'The final assistant turn does not end in thinking.',
      providerError: 'The final block in an assistant message cannot be thinking',
      needs: 'list',
      fix: 'Drop the trailing thinking, or the turn where nothing else is left of it.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.thinking,
    *find(facts, { mode }): Generator<Finding> {
      const turn = latestAssistant(facts);
      const [end] = turnsFromEnd(facts);
      if (mode === 'prefix' && end?.role === 'assistant') return;
      const last = [...blocksOf(facts, turn)].at(-1);
      if (last === undefined || !isThinking(last.block.type)) return;
      const detail = `the final assistant turn ends in ${last.block.type}`;
      yield { message: last.message, block: last.block.index, detail };
    },
  },
  {
    ...described({
      id: 'A-THINK-4',
      explanation:
        'With manual thinking on, an assistant turn inside a tool loop starts with thinking.',
      providerError: 'Expected thinking or redacted_thinking, but found tool_use',
      needs: 'request',
      fix: 'Keep the thinking at the head of the current tool loop, or send the request with thinking off.',
      rewriteCanBreak: true,
    }),
    *find(facts, { context }): Generator<Finding> {
      if (!hasManualThinking(context.thinking)) return;
      const [first] = blocksOf(facts, loopHead(facts));
      if (first === undefined || isThinking(first.block.type)) return;
      const detail = `an assistant turn inside a tool loop starts with ${first.block.type}`;
      yield { message: first.message, block: first.block.index, detail };
    },
  },
];

/** What was said under each signature. */
function contentsBySignature(
  facts: readonly AnthropicFacts[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const contents = new Map<string, Set<string>>();
  for (const { signature, content } of thinkingOf(facts)) {
    if (signature === '') continue;
    const known = contents.get(signature);
    if (known === undefined) contents.set(signature, new Set([content]));
    else known.add(content);
  }
  return contents;
}

/** Texts of recorded thinking whose signature is nowhere in the list any more. */
function textsWithoutTheirSignature(
  facts: readonly AnthropicFacts[],
  recorded: readonly AnthropicFacts[],
): ReadonlySet<string> {
  const kept = new Set([...thinkingOf(facts)].map(({ signature }) => signature));
  const texts = new Set<string>();
  for (const { signature, said } of thinkingOf(recorded)) if (!kept.has(signature)) texts.add(said);
  return texts;
}

function* thinkingOf(facts: readonly AnthropicFacts[]): Generator<ThinkingFacts> {
  for (const { blocks, kinds } of facts) {
    if ((kinds & KIND.thinking) === 0) continue;
    for (const { thinking } of blocks) if (thinking !== undefined) yield thinking;
  }
}
