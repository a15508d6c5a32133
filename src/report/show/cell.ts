import type { Config } from '../../compaction/config.ts';
import type { TranscriptReplay } from '../../replay/result.ts';
import type { TokenizerName } from '../../text/tokens.ts';
import type { Message } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';

/** One transcript replayed under one config, with the lists that would be sent. */
export interface ReplayedCell {
  readonly transcript: Transcript;
  readonly config: Config;
  /** Whom components asked, e.g. `stub`. */
  readonly model: string;
  readonly tokenizer: TokenizerName;
  /** Whether the agent has the expand tool. */
  readonly expand: boolean;
  readonly replay: TranscriptReplay;
  /** The list that would be sent, by the request's index. */
  readonly sent: readonly (readonly Message[])[];
}
