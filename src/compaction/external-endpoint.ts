import { messageOf } from '../errors.ts';
import { type ExternalReply, externalFailure, LONGEST_REPLY } from './external-call.ts';
import { readText } from './external-text.ts';

/** Posts `body` as JSON; the body of a 2xx response is the reply. */
export async function postBody(
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<ExternalReply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
      signal,
    });
    if (!response.ok) {
      await response.body?.cancel();
      return externalFailure('status', `${url} answered ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      // Leaving the loop cancels the rest.
      if (size > LONGEST_REPLY) {
        return externalFailure('too_large', `${url} answered over ${LONGEST_REPLY} bytes`);
      }
      chunks.push(chunk);
    }
    return readText(Buffer.concat(chunks), url);
  } catch (error) {
    if (signal.aborted) return externalFailure('timeout', `${url} gave no whole answer in time`);
    return externalFailure('transport', `${url}: ${messageOf(causeOf(error))}`);
  }
}

/** `fetch failed` says nothing; its cause does. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}
