import { type ExternalReply, externalFailure } from './external-call.ts';

/** The bytes of a reply as text. */
export function readText(bytes: Uint8Array, who: string): ExternalReply {
  try {
    return { kind: 'reply', body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return externalFailure('reply', `${who} replied ${bytes.length} bytes that are not UTF-8 text`);
  }
}
