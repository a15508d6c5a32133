import type { ToolUse, WireName } from '../model/model.ts';
import type { DialectName, Message } from '../transcript/message.ts';
import { isObject } from '../wire/json-object.ts';
import { objectText } from '../wire/parts.ts';
import { targets } from '../wire/translate-targets.ts';
import { legalName } from '../wire/translate-turns.ts';
import { targetOf } from './agreement-target.ts';

/**
 * What an agent does next: tool calls, or an answer in words that ends its turn. Words beside calls say
 * nothing of what is done.
 */
export type NextAction =
  | { readonly kind: 'calls'; readonly calls: readonly ComparedCall[] }
  | { readonly kind: 'answer' };

interface ComparedCall {
  readonly tool: string;
  readonly target: string;
}

/** The recorded action as a model on `wire` would spell it. */
export function recordedAction({ blocks }: Message, from: DialectName, wire: WireName): NextAction {
  const calls = blocks.flatMap((block) => {
    if (block.kind !== 'tool-call' || block.server === true) return [];
    const tool = from === wire ? block.name : legalName(block.name, targets[wire]);
    return [{ tool, target: targetOf(objectText(block.arguments)) }];
  });
  return calls.length === 0 ? { kind: 'answer' } : { kind: 'calls', calls };
}

/** A reply as an action, or why it is none: `arguments` that are no JSON object, or `no_action`. */
export function repliedAction(
  text: string,
  toolCalls: readonly ToolUse[],
): NextAction | 'arguments' | 'no_action' {
  if (toolCalls.length === 0) return text.trim() === '' ? 'no_action' : { kind: 'answer' };
  const calls: ComparedCall[] = [];
  for (const { name, arguments: written } of toolCalls) {
    // Some servers spell a call without arguments as nothing.
    const json = written.trim() === '' ? '{}' : written;
    if (name === '' || !isObjectText(json)) return 'arguments';
    calls.push({ tool: name, target: targetOf(json) });
  }
  return { kind: 'calls', calls };
}

function isObjectText(json: string): boolean {
  try {
    return isObject(JSON.parse(json));
  } catch {
    return false;
  }
}

/**
 * 1: the same tools on the same targets; 0.5: the same tools; 0: anything else. Calls of one turn run at
 * once, so their order and repeats do not matter. Two answers in words are the same action, whatever they
 * say; an answer and a call are not.
 */
export function agreementScore(a: NextAction, b: NextAction): 0 | 0.5 | 1 {
  if (a.kind === 'answer' || b.kind === 'answer') return a.kind === b.kind ? 1 : 0;
  const whole = ({ tool, target }: ComparedCall) => JSON.stringify([tool, target]);
  if (sameSet(a.calls.map(whole), b.calls.map(whole))) return 1;
  return sameSet(a.calls.map(toolOf), b.calls.map(toolOf)) ? 0.5 : 0;
}

function toolOf({ tool }: ComparedCall): string {
  return tool;
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  const [left, right] = [new Set(a), new Set(b)];
  return left.size === right.size && [...left].every((value) => right.has(value));
}
