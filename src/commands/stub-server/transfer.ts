/** Bodies over the connection: read whole, sent as they should be or not. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Misbehaviour } from './misbehaviour.ts';
import { RefusedRequest } from './wire.ts';

/** A larger body is refused, as the providers do. */
const LARGEST_BODY = 64 * 1024 * 1024;

/** @throws RefusedRequest of status 413 */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Buffer)) continue;
    size += chunk.length;
    if (size <= LARGEST_BODY) chunks.push(chunk);
  }
  if (size <= LARGEST_BODY) return Buffer.concat(chunks).toString('utf8');
  const message = `the request has ${size} bytes; at most ${LARGEST_BODY} are taken`;
  throw new RefusedRequest({ status: 413, message });
}

/** A response; an event stream has several pieces. */
export interface Content {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: readonly string[];
}

export function jsonContent(status: number, value: unknown): Content {
  const headers = { 'content-type': 'application/json' };
  return { status, headers, pieces: [JSON.stringify(value)] };
}

/** Sends the response, as far as the misbehaviour lets it. */
export async function send(
  response: ServerResponse,
  content: Content,
  step: Misbehaviour,
): Promise<void> {
  const { status, headers, pieces } = content;
  if (step.kind === 'drop') {
    response.destroy();
    return;
  }
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true;
  const body = Buffer.from(pieces.join(''));
  response.writeHead(status, isStream ? headers : { ...headers, 'content-length': body.length });
  if (step.kind === 'cut') {
    const half = body.subarray(0, Math.floor(body.length / 2));
    await new Promise<void>((sent) => response.write(half, () => sent()));
    response.destroy();
    return;
  }
  if (isStream) for (const piece of pieces) response.write(piece);
  response.end(isStream ? undefined : body);
}

export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([waited, aborted(signal)]);
  } finally {
    clearTimeout(timer);
  }
}
