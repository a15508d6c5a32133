import { keepsAllThinking } from '../../shape/models.ts';
import type { TokenizerName } from '../../text/tokens.ts';
import type { Message } from '../../transcript/message.ts';
import { type Counting, messageCounter } from '../../transcript/message-tokens.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';

/**
 * How the tokens of one request are counted, as its replay counted them: the messages of a list add up to
 * the tokens that the replay gives.
 */
export function countingOf(
  { dialect, model }: Transcript,
  request: Request | undefined,
  tokenizer: TokenizerName,
): Counting {
  const hasReadableThinking = dialect === 'anthropic' || dialect === 'bedrock';
  const isKept = keepsAllThinking(request?.model ?? model);
  return {
    tokenizer,
    dialect,
    thinking: hasReadableThinking ? (isKept ? 'all' : 'loop') : 'none',
  };
}

/**
 * Tokens of each message of a list, in order. A message that stands in it twice, once before the current
 * tool loop, counts there without its thinking both times.
 */
export function tokensOfEach(messages: readonly Message[], counting: Counting): number[] {
  return messages.map(messageCounter(messages, counting));
}
