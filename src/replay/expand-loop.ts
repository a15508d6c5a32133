import { EXPAND_TOOL } from '../compaction/expand-tool.ts';
import { type Restored, resolveNested } from '../compaction/nested-markers.ts';
import { markersIn, type Stash } from '../compaction/stash.ts';
import type { ModelPurpose, ToolUse, TurnReply, WireName } from '../model/model.ts';
import { isObject } from '../wire/json-object.ts';
import { objectText } from '../wire/parts.ts';
import type { ToolDeclaration } from '../wire/tool-declarations.ts';
import type { WholeRequest } from '../wire/whole-request.ts';
import { type Asker, isFailed } from './asker.ts';

/** Times that a model may ask for what is behind markers before it has to act. */
export const EXPAND_ROUNDS = 4;

export const expandDeclaration: ToolDeclaration = {
  name: EXPAND_TOOL.name,
  description: EXPAND_TOOL.description,
  schema: EXPAND_TOOL.input_schema,
};

/** What a model said in the end, or why it came to no end. */
export type Answer =
  | {
      readonly kind: 'replied';
      readonly text: string;
      readonly toolCalls: readonly ToolUse[];
      /** Markers that it got back on the way. */
      readonly expands: number;
    }
  | { readonly kind: 'failed'; readonly why: string };

export interface Question {
  readonly purpose: ModelPurpose;
  readonly wire: WireName;
  readonly request: WholeRequest;
  readonly maxOutputTokens: number;
  /** The reply depends on the recording alone. */
  readonly isShareable: boolean;
  /** Where markers lead; absent: the expand tool is not declared and no call of it is served. */
  readonly stash?: Stash;
}

/**
 * Asks, and serves the expand tool in an inner loop as a gateway would: while the reply has no other call than
 * such ones, they are answered and the model is asked again, at most `EXPAND_ROUNDS` times (`expand_limit`).
 * A reply that also calls another tool is the answer, since both would run at once.
 */
export async function askServing(question: Question, asker: Asker): Promise<Answer> {
  const { purpose, wire, request, maxOutputTokens, stash } = question;
  let { messages } = request;
  let expands = 0;
  for (let round = 0; ; round++) {
    const turn = { purpose, ...request, messages, maxOutputTokens };
    const reply = await asker.turn(turn, question.isShareable);
    if (isFailed(reply)) return reply;
    const { text, toolCalls } = reply;
    const others = toolCalls.filter(({ name }) => name !== EXPAND_TOOL.name);
    if (stash === undefined || others.length > 0 || toolCalls.length === 0) {
      return {
        kind: 'replied',
        text,
        toolCalls: stash === undefined ? toolCalls : others,
        expands,
      };
    }
    if (round === EXPAND_ROUNDS) return { kind: 'failed', why: 'expand_limit' };
    const served = toolCalls.map((call) => serve(call, stash));
    expands += served.filter(({ isFound }) => isFound).length;
    messages = extended(messages, exchange(reply, served, wire, round));
  }
}

interface Served {
  readonly text: string;
  readonly isFound: boolean;
}

function serve({ arguments: written }: ToolUse, stash: Stash): Served {
  const key = keyIn(written);
  const restored = key === undefined ? undefined : restoredBy(stash, key);
  if (key === undefined || restored === undefined) {
    const found = key ?? written.slice(0, 80);
    const text = `No marker has the hash '${found}'. Give the 16 hexadecimal digits of a marker <<cg:HASH>> of this conversation.`;
    return { text, isFound: false };
  }
  const text = resolveNested(restored, (nested) => restoredBy(stash, nested), [key]);
  return { text, isFound: true };
}

/** A model may give the whole marker for its hash. */
function keyIn(written: string): string | undefined {
  try {
    const value: unknown = JSON.parse(written);
    const hash = isObject(value) ? value.hash : undefined;
    if (typeof hash !== 'string') return undefined;
    return markersIn(hash)[0] ?? hash.trim();
  } catch {
    return undefined;
  }
}

function restoredBy(stash: Stash, key: string): Restored | undefined {
  const kind = stash.entry(key)?.kind;
  const content = stash.expand(key);
  return kind === undefined || content === undefined ? undefined : { kind, content };
}

/** The reply and its results, as entries of the wire's list. */
function exchange(
  { text, toolCalls }: TurnReply,
  served: readonly Served[],
  wire: WireName,
  round: number,
): readonly string[] {
  const calls = toolCalls.map(({ id, name, arguments: written }, index) => ({
    id: id === '' ? `expand_${round}_${index}` : id,
    name,
    input: objectText(written),
    result: served[index]?.text ?? '',
    isError: served[index]?.isFound !== true,
  }));
  if (wire === 'openai-chat') {
    const tool_calls = calls.map(({ id, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: input },
    }));
    const content = text.trim() === '' ? null : text;
    const results = calls.map(({ id, result }) => ({
      role: 'tool',
      tool_call_id: id,
      content: result,
    }));
    return [{ role: 'assistant', content, tool_calls }, ...results].map((entry) =>
      JSON.stringify(entry),
    );
  }
  const said = text.trim() === '' ? [] : [JSON.stringify({ type: 'text', text })];
  const uses = calls.map(
    ({ id, name, input }) =>
      `{"type":"tool_use","id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"input":${input}}`,
  );
  const results = calls.map(({ id, result, isError }) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: result,
    ...(isError ? { is_error: true } : {}),
  }));
  return [
    `{"role":"assistant","content":[${[...said, ...uses].join(',')}]}`,
    JSON.stringify({ role: 'user', content: results }),
  ];
}

/** The text of a JSON array with entries added at its end. */
function extended(list: string, entries: readonly string[]): string {
  const open = list.slice(0, list.lastIndexOf(']')).trimEnd();
  return `${open}${open.endsWith('[') ? '' : ','}${entries.join(',')}]`;
}
