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
  /** Tokens of system and prompt as the model counts them. */
  readonly inputTokens: number;
  /** Tokens of the reply. */
  readonly outputTokens: number;
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
}
