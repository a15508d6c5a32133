/**
 * Lists of requests that grew from one another, kept as one array and a length each: as arrays of their own,
 * those of a session of thousands of requests would take many times the memory of its messages.
 */
import type { Message } from './message.ts';
import type { Envelope, Request, Usage } from './transcript.ts';

interface View {
  readonly items: readonly Message[];
  readonly length: number;
}

/** Which array a view was cut from, to compare views of one array without going through them. */
const sources = new WeakMap<readonly unknown[], View>();

/**
 * The views of an array that were last asked for: a request's list is one object while it is replayed. No weak
 * references, which a replay that never waits would keep alive until its end.
 */
const latest = new WeakMap<readonly Message[], readonly (readonly Message[])[]>();
const LATEST_VIEWS = 8;

/** The first `length` items; those must not change any more, while others may follow. */
function viewOf(items: readonly Message[], length: number): readonly Message[] {
  const known = latest.get(items) ?? [];
  for (const list of known) if (list.length === length) return list;
  const list = items.slice(0, length);
  sources.set(list, { items, length });
  latest.set(items, [list, ...known.slice(0, LATEST_VIEWS - 1)]);
  return list;
}

/**
 * A request whose list is cut out when it is asked for. Of a class, since with a getter of its own each request
 * would have a hidden class of its own, too; so a copy by spreading must name the list.
 */
class RequestView implements Request {
  readonly segment: number;
  declare readonly envelope?: Envelope;
  declare readonly action?: Message;
  declare readonly model?: string;
  declare readonly time?: number;
  declare readonly usage?: Usage;
  declare readonly cost?: number;
  readonly #items: readonly Message[];
  readonly #length: number;

  constructor(items: readonly Message[], length: number, rest: Omit<Request, 'messages'>) {
    this.#items = items;
    this.#length = length;
    this.segment = rest.segment;
    Object.assign(this, rest);
  }

  get messages(): readonly Message[] {
    return viewOf(this.#items, this.#length);
  }
}

/** A request whose list is the first `length` of `items`, cut out when it is asked for. */
export function requestOfView(
  items: readonly Message[],
  length: number,
  rest: Omit<Request, 'messages'>,
): Request {
  return new RequestView(items, length, rest);
}

/** How many items two views of one array share; undefined where they are not. */
export function sharedOfViews(a: readonly unknown[], b: readonly unknown[]): number | undefined {
  const [one, other] = [sources.get(a), sources.get(b)];
  if (one === undefined || other === undefined || one.items !== other.items) return undefined;
  return Math.min(one.length, other.length);
}
