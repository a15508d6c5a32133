import type { z } from 'zod';
import type { ModelPurpose, ModelReply } from '../model/model.ts';
import type { LineTokens } from '../text/line-tokens.ts';
import type { TokenizerName } from '../text/tokens.ts';
import type { MessageTable } from '../transcript/intern.ts';
import type { Message } from '../transcript/message.ts';
import type { Envelope } from '../transcript/transcript.ts';
import type { Dialect } from '../wire/dialect.ts';
import type { ExternalCall } from './external-call.ts';
import type { ModelSpec } from './model-spec.ts';
import type { Stash, StashKey } from './stash.ts';

/**
 * The component contract. A component is config in, rewritten list out: it never mutates a message,
 * never measures itself, and has no clock, files, environment or randomness. The pipeline measures and
 * guards (see `pipeline.ts`).
 */
export interface Component<C> {
  readonly name: string;
  /** `offload` takes content away and must stash it; `reformat` says the same in fewer tokens. */
  readonly kind: 'reformat' | 'offload';
  /** One sentence for `--list` and the generated pages. */
  readonly about: string;
  /** Raised whenever the component can give other results for the same input: part of `cell_id`. */
  readonly version: number;
  /** Longest that one call of `compact` may take, in milliseconds. */
  readonly timeLimit: number;
  /** False: what an `offload` drops is never stashed. True when absent. */
  readonly stashes?: false;
  readonly config: z.ZodType<C>;
  compact(request: CompactionRequest, config: C, context: Context): Promise<Outcome>;
}

/** What a component sees of a request. */
export interface CompactionRequest {
  readonly messages: readonly Message[];
  /** Tokens of `messages`. */
  readonly tokens: number;
}

export type Outcome =
  | {
      readonly kind: 'changed';
      readonly messages: readonly Message[];
      readonly stashed: readonly StashKey[];
      /** Content was dropped on purpose without a stash (`marker_mode: summary | off`). */
      readonly irreversible?: true;
      /** The rewrite repeats an earlier decision: no model was asked. */
      readonly reused?: true;
      readonly refusals?: readonly string[];
    }
  | {
      readonly kind: 'skipped';
      readonly gate: string;
      /** Names of what was tried at this request and not taken, one for each try. */
      readonly refusals?: readonly string[];
    }
  /** It tried and has nothing that could be sent; the row counts it under `reason`. */
  | { readonly kind: 'refused'; readonly reason: string; readonly detail: string };

/** A value that lives as long as the lineage. */
export interface Slot {
  get(): unknown;
  set(value: unknown): void;
}

/** A model as a component sees it: every call is counted and charged to the component's row. */
export interface ChargedModel {
  readonly name: string;
  /** Context window in tokens, where it is known. */
  readonly contextWindow: number | undefined;
  ask(request: {
    readonly purpose: ModelPurpose;
    readonly system: string;
    readonly prompt: string;
    readonly maxOutputTokens: number;
    /** Longest that this call may take, in milliseconds; then it rejects with `model.timeout`. */
    readonly timeLimit?: number;
  }): Promise<ModelReply>;
}

export interface Context {
  readonly dialect: Dialect;
  /** Interns the messages that a component makes. */
  readonly table: MessageTable;
  /** The component's state in this lineage; rolled back when the component is reverted. */
  readonly state: Slot;
  /** What was tried, kept even when the component is reverted: so it does not pay twice for a failure. */
  readonly attempt: Slot;
  /** What saves doing the same work again: it never changes a result. */
  readonly work: Slot;
  readonly stash: Stash;
  /** The model of a source, or undefined where there is none. */
  model(spec: ModelSpec): ChargedModel | undefined;
  countTokens(text: string): number;
  /** What `countTokens` counts in. */
  readonly tokenizer: TokenizerName;
  /** A fact of a message under this component's name, computed once per distinct message. */
  memo<T>(message: Message, key: string, compute: () => T): T;
  /** Tokens of one message, thinking as this request's model keeps it. */
  countMessage(message: Message): number;
  /** Tokens of the text of the tool result at `block`: most are counted with their message already. */
  countResult(message: Message, block: number): number;
  /** What the lines of that text count, where it was counted with its message. */
  resultLines(message: Message, block: number): LineTokens | undefined;
  /** Context window of the transcript's model in tokens, or undefined. */
  readonly contextWindow: number | undefined;
  /** What stands around the list in the request's body, where it was recorded. */
  readonly envelope: Envelope | undefined;
  /** Tokens that the config which a control is matched to left of this request. */
  readonly budget: number | undefined;
  /** Asks a program or an endpoint of the user's; undefined where the host grants no such calls. */
  readonly callExternal: ExternalCall | undefined;
  /** Gate of the shape rule that sending this list would break, or undefined. */
  checkShape(messages: readonly Message[]): string | undefined;
  readonly signal: AbortSignal;
}

/** Declares a component; its config type follows from the schema. */
export function defineComponent<C>(component: Component<C>): Component<C> {
  return component;
}
