import type { DialectName, Message } from '../transcript/message.ts';
import type { Envelope, Usage } from '../transcript/transcript.ts';

/** One logged model call, before it has a place in a lineage. */
export interface CapturedRequest {
  /** File that it was read from, as the user would write it. */
  readonly file: string;
  readonly dialect: DialectName;
  readonly messages: readonly Message[];
  readonly envelope: Envelope;
  /** The logged response as a message of the dialect. */
  readonly response?: Message;
  readonly model?: string;
  readonly time?: number;
  readonly usage?: Usage;
  /** USD. */
  readonly cost?: number;
  /** Explicit session id, where one was logged. */
  readonly session?: string;
  readonly task?: string;
  readonly trial?: string;
  readonly agent?: string;
  readonly reward?: number;
}
