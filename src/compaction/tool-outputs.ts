import type { TokenizerName } from '../text/tokens.ts';
import { type Growing, GrowingLists, sharedStart } from '../transcript/growing-lists.ts';
import { type Message, resultText, type ToolResult } from '../transcript/message.ts';
import type { CompactionRequest, Context, Outcome, Slot } from './component.ts';
import type { MarkerMode } from './marker-mode.ts';
import { markerOf, SENTINEL, type Stash, type StashKey } from './stash.ts';

/** One tool output of a request. */
export interface ToolOutput {
  readonly message: Message;
  /** Position of the message in the request. */
  readonly position: number;
  readonly block: number;
  readonly result: ToolResult;
  readonly text: string;
  /** Tokens of the text, once they were counted. */
  readonly counted: Partial<Record<TokenizerName, number>>;
}

/** The text that takes an output's place, without its marker; undefined leaves the output as it is. */
export type Shorten = (output: ToolOutput) => string | undefined | Promise<string | undefined>;

/** The tool outputs of a list, in order; those that the provider itself made are left alone. */
export function toolOutputs(messages: readonly Message[]): ToolOutput[] {
  return lists.of(messages).outputs.slice();
}

/** The outputs of a list as it grows: of the part that two lists share they are the same objects. */
class Outputs implements Growing<Message> {
  readonly outputs: ToolOutput[] = [];
  /** Outputs before each message that was taken in. */
  readonly #starts: number[] = [];

  get length(): number {
    return this.#starts.length;
  }

  append(message: Message): void {
    const position = this.#starts.length;
    this.#starts.push(this.outputs.length);
    for (const [block, result] of message.blocks.entries()) {
      if (result.kind !== 'tool-result' || result.server === true) continue;
      const text = resultText(result);
      this.outputs.push({ message, position, block, result, text, counted: {} });
    }
  }

  cut(length: number): void {
    this.outputs.length = this.#starts[length] ?? this.outputs.length;
    this.#starts.length = length;
  }
}

const lists = new GrowingLists<Message, Outputs>(() => new Outputs());

/** Tokens of an output's text, counted once per distinct message. */
export function outputTokens(output: ToolOutput, context: Context): number {
  const { counted } = output;
  const { tokenizer } = context;
  const known = counted[tokenizer];
  if (known !== undefined) return known;
  const tokens = context.memo(output.message, `output:${output.block}`, () =>
    context.countResult(output.message, output.block),
  );
  counted[tokenizer] = tokens;
  return tokens;
}

/**
 * Rewrites single tool outputs in place: each text that `shorten` gives takes the output's place with
 * its marker, provided that the message gets smaller by it.
 *
 * @param options.gate names the skip when no output was shortened
 * @param options.basis what `shorten` goes by beside the output and the list before it: while it is the
 *   same, what was written for an output at an earlier request is written again. Absent, or undefined
 *   behind the last output: nothing of this request is remembered.
 */
export async function shortenOutputs(
  request: CompactionRequest,
  outputs: readonly ToolOutput[],
  options: {
    readonly markerMode: MarkerMode;
    readonly gate: string;
    readonly basis?: () => string | undefined;
  },
  context: Context,
  shorten: Shorten,
): Promise<Outcome> {
  const basis = options.basis ?? (() => undefined);
  const known = Written.in(context.work, basis());
  const shared = known.sharedWith(outputs);
  const messages = known.onto(request.messages, shared);
  const stashed = known.stashed.slice(0, known.marks[shared]?.stashed);
  const marks = known.marks.slice(0, shared + 1);
  let rewritten = known.marks[shared]?.rewritten ?? 0;
  for (let index = shared; index < outputs.length; index++) {
    const output = outputs[index];
    if (output === undefined) continue;
    const text = await shorten(output);
    if (text !== undefined) {
      const written = mark(text, output, options.markerMode, context);
      const current = messages[output.position] ?? output.message;
      const replaced = replaceOnce(current, output.block, written.text, context);
      if (context.countMessage(replaced) < context.countMessage(current)) {
        if (replaced !== current) rewritten++;
        messages[output.position] = replaced;
        if (written.key !== undefined) stashed.push(written.key);
      }
    }
    marks.push({ rewritten, stashed: stashed.length });
  }
  context.work.set(new Written(basis(), outputs, messages, stashed, marks));
  if (rewritten === 0) return { kind: 'skipped', gate: options.gate };
  const irreversible = options.markerMode === 'full' ? {} : ({ irreversible: true } as const);
  return { kind: 'changed', messages, stashed: [...stashed], ...irreversible };
}

/** How far a rewrite had come before an output, and behind the last. */
interface Mark {
  readonly rewritten: number;
  readonly stashed: number;
}

/** What one request's outputs were rewritten to. */
class Written {
  readonly #basis: string | undefined;
  readonly #outputs: readonly ToolOutput[];
  readonly #messages: readonly Message[];
  readonly stashed: readonly StashKey[];
  readonly marks: readonly Mark[];

  constructor(
    basis: string | undefined,
    outputs: readonly ToolOutput[],
    messages: readonly Message[],
    stashed: readonly StashKey[],
    marks: readonly Mark[],
  ) {
    this.#basis = basis;
    this.#outputs = outputs;
    this.#messages = messages;
    this.stashed = stashed;
    this.marks = marks;
  }

  /** What the slot holds, provided that it was written on the same basis. */
  static in(slot: Slot, basis: string | undefined): Written {
    const known = slot.get();
    if (known instanceof Written && basis !== undefined && known.#basis === basis) return known;
    return new Written(basis, [], [], [], [{ rewritten: 0, stashed: 0 }]);
  }

  /**
   * How many leading outputs were rewritten already, to whole messages. Outputs are one object only where
   * the lists are the same up to them.
   */
  sharedWith(outputs: readonly ToolOutput[]): number {
    let shared = sharedStart(this.#outputs, outputs);
    const isTorn = (of: readonly ToolOutput[]) =>
      of[shared] !== undefined && of[shared - 1]?.position === of[shared]?.position;
    while (shared > 0 && (isTorn(outputs) || isTorn(this.#outputs))) shared--;
    return shared;
  }

  /** The list with its first `shared` outputs as they were rewritten. */
  onto(list: readonly Message[], shared: number): Message[] {
    const last = shared === 0 ? undefined : this.#outputs[shared - 1];
    if (last === undefined) return list.slice();
    return this.#messages.slice(0, last.position + 1).concat(list.slice(last.position + 1));
  }
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

/** Characters of messages that are remembered in each of two generations. */
const REMEMBERED_CHARACTERS = 2_000_000;

/**
 * Messages with a shortened output: it is shortened to the same text at every later request, and written once.
 * Not all of a session, since those behind its own compaction never come back.
 */
class Replacements {
  #young = new Map<Message, Map<string, Message>>();
  #old = new Map<Message, Map<string, Message>>();
  #characters = 0;

  get(message: Message, key: string): Message | undefined {
    const known = this.#young.get(message)?.get(key);
    if (known !== undefined) return known;
    const aged = this.#old.get(message)?.get(key);
    if (aged !== undefined) this.set(message, key, aged);
    return aged;
  }

  set(message: Message, key: string, written: Message): void {
    if (this.#characters > REMEMBERED_CHARACTERS) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = 0;
    }
    const known = this.#young.get(message) ?? new Map<string, Message>();
    known.set(key, written);
    this.#young.set(message, known);
    this.#characters += written.raw.length;
  }
}

/** Of each lineage, by its stash: they go with it, and not with the recorded message. */
const replacements = new WeakMap<Stash, Replacements>();

function replaceOnce(message: Message, block: number, text: string, context: Context): Message {
  const { dialect, stash, table } = context;
  const known = replacements.get(stash) ?? new Replacements();
  replacements.set(stash, known);
  const key = `${block} ${text}`;
  const earlier = known.get(message, key);
  if (earlier !== undefined) return earlier;
  const written = dialect.replaceResult(message, block, text, table);
  known.set(message, key, written);
  return written;
}
