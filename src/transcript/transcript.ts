import type { DialectName, Message } from './message.ts';

/**
 * The bytes of a request body around its message list: body = head + messages joined + tail.
 * Shared by all requests whose surroundings are the same text.
 */
export interface Envelope {
  /** Body text up to and with the list's `[` and the space after it. */
  readonly head: string;
  /** Text between two messages when a list is written anew, e.g. `,` or `,\n    `. */
  readonly separator: string;
  /** The texts between the messages as recorded, only where they are not all `separator`. */
  readonly gaps?: readonly string[];
  /** From the space before the list's `]` to the end of the body. */
  readonly tail: string;
  /** Raw JSON of the top-level system prompt, where the dialect has one. */
  readonly system?: string;
  /** Raw JSON of the tool declarations, where the body has them. */
  readonly tools?: string;
}

/** Tokens that the provider said it used for one call. A figure that was not recorded is absent. */
export interface Usage {
  /** Input that was neither read from the cache nor written to it. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly cacheWrite1hTokens?: number;
}

/** One model call: the list that was sent and what the agent did with the answer. */
export interface Request {
  /** 0-based number of the segment; the agent's own compaction starts a new one. */
  readonly segment: number;
  readonly messages: readonly Message[];
  /** Absent where the recording has messages and no request bodies. */
  readonly envelope?: Envelope;
  /** The logged response, else the assistant message that the next extension adds. */
  readonly action?: Message;
  readonly model?: string;
  /** Start of the call, milliseconds since the epoch. */
  readonly time?: number;
  readonly usage?: Usage;
  /** What the recording says that the call cost, USD. */
  readonly cost?: number;
}

/** Where a transcript was read from. */
export interface Source {
  /** Path as the user would write it. */
  readonly file: string;
  readonly format: string;
  readonly session: string;
}

/**
 * One lineage of a session: a chain of requests that grew from one another, replayed with one session
 * state. The same words as in the design: `task` names what was worked on, `trial` a repetition of it.
 */
export interface Transcript {
  readonly task: string;
  readonly trial: string;
  /** Name of the lineage in its session, `main` for the first. */
  readonly lineage: string;
  readonly source: Source;
  readonly dialect: DialectName;
  readonly agent?: string;
  readonly model?: string;
  /** Recorded reward, where the recording has one. */
  readonly reward?: number;
  readonly requests: readonly Request[];
  /** What the recording says that all calls together cost, USD, where it does not say it of each. */
  readonly cost?: number;
  /** Requests that were left out as retries. */
  readonly retries: number;
  /** SHA-256 over dialect, requests, actions and reward: what replay depends on. */
  readonly hash: string;
}
