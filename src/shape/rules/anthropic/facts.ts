/** What the list rules of Anthropic Messages need to know of one message. */
import { digestOf } from '../../digest.ts';
import {
  asArray,
  asObject,
  asString,
  canonicalText,
  isObject,
  type JsonObject,
} from '../../json-values.ts';
import { lately, once, type WireMessage } from '../../rule.ts';

/** The roles of this wire. */
export const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'system']);

export type Lifetime = '5m' | '1h';

/** Digests of a thinking block. */
export interface ThinkingFacts {
  /** What identifies it: its signature, or the data of redacted thinking; none reads as ''. */
  readonly signature: string;
  /** All that it holds, its signature included. */
  readonly content: string;
  /** Its text alone. */
  readonly said: string;
}

export interface BlockFacts {
  readonly type: string;
  /** Index in the content; absent where the content is a string. */
  readonly index: number | undefined;
  /** Id of a call, the provider's own included. */
  readonly id: string | undefined;
  /** Id of the call that a result answers. */
  readonly answers: string | undefined;
  /** Id of the block whose program made this call. */
  readonly caller: string | undefined;
  /** Cache marks in order, those inside a tool result first. */
  readonly marks: readonly Lifetime[];
  /** Images, those inside a tool result included. */
  readonly images: number;
  readonly thinking: ThinkingFacts | undefined;
  readonly endsInSpace: boolean;
}

/** Bits of `kinds`. */
export const KIND = {
  call: 1,
  result: 2,
  thinking: 4,
  mark: 8,
  server: 16,
  system: 32,
  image: 64,
} as const;

export interface AnthropicFacts {
  readonly kinds: number;
  readonly role: string;
  /** `content: []` beside `output_config`: settings, exempt from the placement of system messages. */
  readonly directiveOnly: boolean;
  readonly empty: boolean;
  readonly blocks: readonly BlockFacts[];
}

const NO_MARKS: readonly Lifetime[] = [];

export function anthropicFacts(items: readonly JsonObject[]): AnthropicFacts {
  const message = asObject(items[0]);
  const content = message.content;
  const role = asString(message.role) ?? '';
  const blocks =
    typeof content === 'string' && content !== ''
      ? [blockFacts({ type: 'text', text: content }, undefined)]
      : asArray(content).map((block, index) => blockFacts(asObject(block), index));
  return {
    kinds: blocks.reduce(
      (kinds, block) => kinds | kindsOf(block),
      role === 'system' ? KIND.system : 0,
    ),
    role,
    directiveOnly: isDirectiveOnly(message),
    empty: content === undefined || content === null || content === '' || isEmptyArray(content),
    blocks,
  };
}

function kindsOf({ type, caller, marks, images, thinking }: BlockFacts): number {
  let kinds = 0;
  if (type === 'tool_use') kinds |= KIND.call;
  if (type === 'tool_result') kinds |= KIND.result;
  if (thinking !== undefined) kinds |= KIND.thinking;
  if (marks.length > 0) kinds |= KIND.mark;
  if (caller !== undefined || isServerCall(type) || isServerResult(type)) kinds |= KIND.server;
  if (images > 0) kinds |= KIND.image;
  return kinds;
}

export function isDirectiveOnly(message: JsonObject): boolean {
  return isEmptyArray(message.content) && isObject(message.output_config);
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function blockFacts(block: JsonObject, index: number | undefined): BlockFacts {
  const type = asString(block.type) ?? '';
  const text = asString(block.text) ?? '';
  return {
    type,
    index,
    id: asString(block.id),
    answers: asString(block.tool_use_id),
    caller: asString(asObject(block.caller).tool_id),
    marks: cacheMarks(block),
    images: type === 'image' ? 1 : type === 'tool_result' ? countImages(block.content) : 0,
    thinking: isThinking(type)
      ? {
          signature: signatureDigest(block),
          content: digestOf(canonicalText(block, 'cache_control')),
          said: digestOf(`${type} ${asString(block.thinking) ?? ''}`),
        }
      : undefined,
    endsInSpace: type === 'text' && text !== text.trimEnd(),
  };
}

function countImages(content: unknown): number {
  return asArray(content).filter((inner) => asObject(inner).type === 'image').length;
}

function signatureDigest(block: JsonObject): string {
  const signature = asString(block.type === 'thinking' ? block.signature : block.data) ?? '';
  return signature === '' ? '' : digestOf(signature);
}

/** Cache marks on a block and in a tool result's content, in the order of the prompt. */
export function cacheMarks(block: JsonObject): readonly Lifetime[] {
  const inner = asArray(block.content).flatMap((nested) => cacheMarks(asObject(nested)));
  if (!isObject(block.cache_control)) return inner.length === 0 ? NO_MARKS : inner;
  return [...inner, block.cache_control.ttl === '1h' ? '1h' : '5m'];
}

export function isThinking(type: string): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** A call that the provider executes itself: its result stands in assistant turns. */
export function isServerCall(type: string): boolean {
  return type === 'server_tool_use' || type === 'mcp_tool_use';
}

/** A result block of the provider's own tools, unlike the `tool_result` of a client's. */
export function isServerResult(type: string): boolean {
  return type.endsWith('_tool_result');
}

/** A run of messages of one role. The provider joins neighbours, so a run is one turn. */
export interface Turn {
  readonly role: string;
  /** Indexes in the list, in order. Messages of settings only stand in no turn. */
  readonly messages: readonly number[];
}

/** The turns of a list. Computed once a list. */
export const turnsOf = lately((facts: readonly AnthropicFacts[]): readonly Turn[] => {
  const turns: { role: string; messages: number[] }[] = [];
  facts.forEach(({ role, directiveOnly }, index) => {
    if (directiveOnly) return;
    const last = turns.at(-1);
    if (last !== undefined && last.role === role) last.messages.push(index);
    else turns.push({ role, messages: [index] });
  });
  return turns;
});

/** A block with its place. */
export interface PlacedBlock {
  readonly block: BlockFacts;
  readonly message: number;
}

/** The blocks of a turn in order. */
export function* blocksOf(
  facts: readonly AnthropicFacts[],
  turn: Turn | undefined,
): Generator<PlacedBlock> {
  for (const message of turn?.messages ?? []) {
    for (const block of facts[message]?.blocks ?? []) yield { block, message };
  }
}

/** The turns of a list from its end, for rules that look at its last turns only. */
export function* turnsFromEnd(facts: readonly AnthropicFacts[]): Generator<Turn> {
  let role: string | undefined;
  let messages: number[] = [];
  for (let index = facts.length - 1; index >= 0; index--) {
    const message = facts[index];
    if (message === undefined || message.directiveOnly) continue;
    if (role !== undefined && role !== message.role) {
      yield { role, messages: messages.reverse() };
      messages = [];
    }
    role = message.role;
    messages.push(index);
  }
  if (role !== undefined) yield { role, messages: messages.reverse() };
}

/** Digests of role and content of each block of a message, cache marks and the spelling of strings aside. */
export const blockDigests = once((message: WireMessage): readonly string[] => {
  const value = asObject(JSON.parse(message.raw));
  const content =
    typeof value.content === 'string' ? [{ type: 'text', text: value.content }] : value.content;
  return asArray(content).map((block) =>
    digestOf(`${String(value.role)}\0${canonicalText(block, 'cache_control')}`),
  );
});
