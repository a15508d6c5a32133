/**
 * What the harness asks of a language model: one prompt in, one text out. Real providers, the stubs,
 * the scripted model and cassettes all implement `Model`.
 */

/** Which part of the harness is asking; a cassette and a ledger keep them apart. */
export type ModelPurpose = 'summarize' | 'extract' | 'repair' | 'explore' | 'agreement' | 'probe';

export interface ModelRequest {
  readonly purpose: ModelPurpose;
  /** The stable part of the prompt, the same for every call of one purpose and setting: cacheable. */
  readonly system: string;
  /** The variable part, sent as one user turn. */
  readonly prompt: string;
  /** Upper bound of the reply, in tokens. */
  readonly maxOutputTokens: number;
  /** Number of the sample, from 0: repeated calls with the same prompt differ in it. */
  readonly sample: number;
}

export interface ModelReply {
  readonly text: string;
  /** Tokens of everything that was sent, as the model counts them; what it read from a cache is in it. */
  readonly inputTokens: number;
  /** Tokens of the reply. */
  readonly outputTokens: number;
  /** Of the input: what was read from the provider's prompt cache, and what was written to it. */
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** Wires over which a model can be given a whole request. */
export type WireName = 'anthropic' | 'openai-chat';

/** A request as an agent would send it, in the JSON texts of its wire. */
export interface TurnRequest {
  readonly purpose: ModelPurpose;
  /** JSON text of the body's `messages`. */
  readonly messages: string;
  /** JSON text of the top-level system prompt, where the wire has one. */
  readonly system?: string;
  /** JSON text of the tool declarations. */
  readonly tools?: string;
  /** Upper bound of the reply, in tokens. */
  readonly maxOutputTokens: number;
  /** Number of the sample, from 0. */
  readonly sample: number;
}

/** One tool call of a reply; `arguments` is JSON text as the model wrote it. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface TurnReply extends ModelReply {
  readonly toolCalls: readonly ToolUse[];
}

/** A model that can take the agent's place for one turn. */
export interface TurnTaker {
  readonly wire: WireName;
  /** Asks once; rejects as `Model.ask` does. */
  ask(request: TurnRequest, signal: AbortSignal): Promise<TurnReply>;
}

export interface Model {
  /** Name that stands in every row, e.g. `stub`. */
  readonly name: string;
  /** Context window in tokens, where it is known. */
  readonly contextWindow: number | undefined;
  /**
   * Asks once. Rejects with a HarnessError of code `model.transport`, `model.reply` or `model.timeout`;
   * with the signal's reason when the signal aborts.
   */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
  /** Absent where the model cannot be given a whole request. */
  readonly turns?: TurnTaker;
}
