/** A server that answers as a test says, and keeps whole what it was sent: headers and keys too. */

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ModelServer {
  readonly url: string;
  readonly sent: readonly SentRequest[];
  close(): Promise<void>;
}

/** Answers each request by `respond`, which is given its number from 0. */
export async function modelServer(
  respond: (request: SentRequest, response: ServerResponse, index: number) => void,
): Promise<ModelServer> {
  const sent: SentRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const entry = { path: request.url ?? '', headers: request.headers, body };
    respond(entry, response, sent.push(entry) - 1);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    sent,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

/** A reply of either wire that says `text`. */
export function replyOf(wire: 'anthropic' | 'openai-chat', text: string): unknown {
  return wire === 'anthropic'
    ? {
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 2 },
      }
    : {
        choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: text } }],
        usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
      };
}
