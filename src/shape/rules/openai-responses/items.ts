/** The items of OpenAI Responses, by what the rules need to know of each kind. */
import { digestOf } from '../../digest.ts';
import { asString, type JsonObject } from '../../json-values.ts';
import { once } from '../../rule.ts';

/** Which pairing rule a call belongs to. */
export type PairFamily = 'function' | 'other';

interface CallKind {
  readonly family: PairFamily;
  /** Types of the items that may answer it. */
  readonly outputs: readonly string[];
}

/** Calls that wait for an output of the client. Calls that the provider runs itself carry their result. */
const CALLS: ReadonlyMap<string, CallKind> = new Map<string, CallKind>([
  ['function_call', { family: 'function', outputs: ['function_call_output'] }],
  ['custom_tool_call', { family: 'other', outputs: ['custom_tool_call_output'] }],
  [
    'tool_search_call',
    { family: 'other', outputs: ['tool_search_output', 'tool_search_call_output'] },
  ],
  ['apply_patch_call', { family: 'other', outputs: ['apply_patch_call_output'] }],
  // Some agents answer a local shell call with a plain function output.
  [
    'local_shell_call',
    { family: 'other', outputs: ['local_shell_call_output', 'function_call_output'] },
  ],
  ['shell_call', { family: 'other', outputs: ['shell_call_output'] }],
  ['computer_call', { family: 'other', outputs: ['computer_call_output'] }],
]);

/** Families of the calls that an output of this type may answer, its own first. */
const OUTPUTS: ReadonlyMap<string, PairFamily> = new Map(
  [...CALLS.values()].flatMap(({ family, outputs }) =>
    outputs.map((output): [string, PairFamily] => [
      output,
      output === 'function_call_output' ? 'function' : family,
    ]),
  ),
);

/** First letters that the provider gives the ids of its items. */
export const ID_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['message', 'msg'],
  ['reasoning', 'rs'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['web_search_call', 'ws'],
  ['file_search_call', 'fs'],
  ['code_interpreter_call', 'ci'],
  ['image_generation_call', 'ig'],
  ['computer_call', 'cu'],
  ['mcp_call', 'mcp'],
]);

export type ItemPart =
  | { readonly kind: 'call'; readonly family: PairFamily; readonly outputs: readonly string[] }
  | { readonly kind: 'output'; readonly family: PairFamily }
  | { readonly kind: 'reasoning'; readonly identity: string }
  | { readonly kind: 'input' }
  | { readonly kind: 'trigger' }
  | { readonly kind: 'answer' };

export interface ItemFacts {
  readonly type: string;
  /** The item's own id, where it has one. */
  readonly id: string | undefined;
  /** What a call and its output share; absent where the provider pairs them itself. */
  readonly callId: string | undefined;
  readonly part: ItemPart;
  /** Type and id of the output: of those that answer a call, or of the output itself. */
  readonly keys: readonly string[];
}

/** Bits of `kinds`. */
export const KIND = { call: 1, output: 2, reasoning: 4, trigger: 8 } as const;

export interface MessageItems {
  readonly kinds: number;
  readonly items: readonly ItemFacts[];
}

const NO_KEYS: readonly string[] = [];

export function messageItems(values: readonly JsonObject[]): MessageItems {
  const items = values.map(itemFacts);
  return { kinds: items.reduce((kinds, { part }) => kinds | kindOfPart(part), 0), items };
}

function kindOfPart({ kind }: ItemPart): number {
  return kind === 'input' || kind === 'answer' ? 0 : KIND[kind];
}

function itemFacts(item: JsonObject): ItemFacts {
  // A bare { role, content } is a message.
  const type = asString(item.type) ?? 'message';
  const id = asString(item.id);
  const callId = callIdOf(item, type, id);
  const part = partOf(item, type, id);
  return { type, id, callId, part, keys: keysOf(part, type, callId) };
}

function keysOf(part: ItemPart, type: string, callId: string | undefined): readonly string[] {
  if (callId === undefined) return NO_KEYS;
  if (part.kind === 'call') return part.outputs.map((output) => `${output} ${callId}`);
  return part.kind === 'output' ? [`${type} ${callId}`] : NO_KEYS;
}

function callIdOf(item: JsonObject, type: string, id: string | undefined): string | undefined {
  // A search that the provider ran has no call_id; a local shell output may name its call by id.
  if (item.execution === 'server') return undefined;
  return asString(item.call_id) ?? (type === 'local_shell_call_output' ? id : undefined);
}

function partOf(item: JsonObject, type: string, id: string | undefined): ItemPart {
  const call = CALLS.get(type);
  if (call !== undefined) return { kind: 'call', ...call };
  const family = OUTPUTS.get(type);
  if (family !== undefined) return { kind: 'output', family };
  if (type === 'reasoning') {
    return { kind: 'reasoning', identity: id ?? digestOf(JSON.stringify(item)) };
  }
  if (type === 'compaction_trigger') return { kind: 'trigger' };
  if (type === 'message') return { kind: item.role === 'assistant' ? 'answer' : 'input' };
  return { kind: 'answer' };
}

export interface PlacedItem {
  readonly item: ItemFacts;
  readonly message: number;
  /** Index among the items of its message; absent where it is the only one. */
  readonly block: number | undefined;
}

/** The items of a list in order, with their places. Computed once a list. */
export const placedItems = once((facts: readonly MessageItems[]): readonly PlacedItem[] =>
  facts.flatMap(({ items }, message) =>
    items.map((item, index) => ({ item, message, block: items.length > 1 ? index : undefined })),
  ),
);
