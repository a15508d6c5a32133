import type { IncomingHttpHeaders } from 'node:http';
import type { WireName } from '../../model/model.ts';
import type { Misbehaviour } from './misbehaviour.ts';

/** One request that the server got, for tests and for the log. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  /** Absent where the path is of no wire. */
  readonly wire: WireName | undefined;
  /** Without keys. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Milliseconds since the server began to listen. */
  readonly arrivedMs: number;
  readonly misbehaviour: Misbehaviour['kind'];
  /** HTTP status that was sent; undefined while there is none. */
  readonly status: number | undefined;
  /** The client went away before the answer was whole. */
  readonly aborted: boolean;
}

/** Headers that carry a key are not kept, whatever they hold. */
const KEY_HEADERS =
  /^(?:authorization|proxy-authorization|cookie|x-api-key|api-key|x-goog-api-key)$/;

export function harmlessHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => !KEY_HEADERS.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}
