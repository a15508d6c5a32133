import { MessageTable } from '../transcript/intern.ts';
import type { DialectName } from '../transcript/message.ts';
import type { Request, Transcript } from '../transcript/transcript.ts';
import { translate } from '../wire/translate.ts';

/** Every dialect, in the order in which the gate visits them. */
export const allDialects: readonly DialectName[] = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
  'bedrock',
];

/**
 * The transcript as an agent would have sent it to another provider: the same turns in another wire's
 * form. Models and envelopes stay behind, since they name the first provider. Into its own dialect a
 * transcript is itself.
 */
export function inDialect(transcript: Transcript, dialect: DialectName): Transcript {
  if (transcript.dialect === dialect) return transcript;
  const table = new MessageTable();
  const into = (messages: Request['messages']) =>
    translate(messages, transcript.dialect, dialect, table).messages;
  const requests = transcript.requests.map((request): Request => {
    const { segment, time } = request;
    const [action] = request.action === undefined ? [] : into([request.action]).slice(-1);
    return {
      segment,
      messages: into(request.messages),
      ...(action === undefined ? {} : { action }),
      ...(time === undefined ? {} : { time }),
    };
  });
  const { model: _, ...rest } = transcript;
  return { ...rest, dialect, requests, hash: `${transcript.hash}:${dialect}` };
}
