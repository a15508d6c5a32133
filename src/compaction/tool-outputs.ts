import { type Message, resultText, type ToolResult } from '../transcript/message.ts';
import type { CompactionRequest, Context, Outcome } from './component.ts';
import type { MarkerMode } from './marker-mode.ts';
import { markerOf, SENTINEL, type StashKey } from './stash.ts';

/** One tool output of a request. */
export interface ToolOutput {
  readonly message: Message;
  /** Position of the message in the request. */
  readonly position: number;
  readonly block: number;
  readonly result: ToolResult;
  readonly text: string;
}

/** The text that takes an output's place, without its marker; undefined leaves the output as it is. */
export type Shorten = (output: ToolOutput) => string | undefined | Promise<string | undefined>;

/** The tool outputs of a list, in order; those that the provider itself made are left alone. */
export function toolOutputs(messages: readonly Message[]): ToolOutput[] {
  const outputs: ToolOutput[] = [];
  for (const [position, message] of messages.entries()) {
    for (const [block, result] of message.blocks.entries()) {
      if (result.kind !== 'tool-result' || result.server === true) continue;
      outputs.push({ message, position, block, result, text: resultText(result) });
    }
  }
  return outputs;
}

/** Tokens of an output's text, counted once per distinct message. */
export function outputTokens(output: ToolOutput, context: Context): number {
  return context.memo(output.message, `output:${output.block}`, () =>
    context.countTokens(output.text),
  );
}

/**
 * Rewrites single tool outputs in place: each text that `shorten` gives takes the output's place with
 * its marker, provided that the message gets smaller by it.
 *
 * @param gate names the skip when no output was shortened
 */
export async function shortenOutputs(
  request: CompactionRequest,
  outputs: readonly ToolOutput[],
  options: { readonly markerMode: MarkerMode; readonly gate: string },
  context: Context,
  shorten: Shorten,
): Promise<Outcome> {
  const messages = [...request.messages];
  const stashed: StashKey[] = [];
  for (const output of outputs) {
    const text = await shorten(output);
    if (text === undefined) continue;
    const written = mark(text, output, options.markerMode, context);
    const current = messages[output.position] ?? output.message;
    const replaced = replaceOnce(current, output.block, written.text, context);
    if (context.countMessage(replaced) >= context.countMessage(current)) continue;
    messages[output.position] = replaced;
    if (written.key !== undefined) stashed.push(written.key);
  }
  if (messages.every((message, position) => message === request.messages[position])) {
    return { kind: 'skipped', gate: options.gate };
  }
  const irreversible = options.markerMode === 'full' ? {} : ({ irreversible: true } as const);
  return { kind: 'changed', messages, stashed, ...irreversible };
}

function mark(
  text: string,
  output: ToolOutput,
  mode: MarkerMode,
  context: Context,
): { readonly text: string; readonly key?: StashKey } {
  if (mode === 'off') return { text };
  const join = text === '' ? '' : '\n';
  if (mode === 'summary') return { text: `${text}${join}${SENTINEL}` };
  const key = context.stash.putText(output.text);
  return { text: `${text}${join}${markerOf(key)}`, key };
}

/** The same output is shortened to the same text at every later request: its message is written once. */
const replacements = new WeakMap<Message, Map<string, Message>>();

function replaceOnce(message: Message, block: number, text: string, context: Context): Message {
  const known = replacements.get(message) ?? new Map<string, Message>();
  replacements.set(message, known);
  const key = `${block} ${text}`;
  const written =
    known.get(key) ?? context.dialect.replaceResult(message, block, text, context.table);
  known.set(key, written);
  return written;
}
