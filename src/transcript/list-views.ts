/**
 * Lists of requests that grew from one another, kept as one array and a length each: as arrays of their own,
 * those of a session of thousands of requests would take many times the memory of its messages.
 */
import type { Message } from './message.ts';
import type { Request } from './transcript.ts';

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

/** A request whose list is the first `length` of `items`, cut out when it is asked for. */
export function requestOfView(
  items: readonly Message[],
  length: number,
  rest: Omit<Request, 'messages'>,
): Request {
  return {
    ...rest,
    get messages() {
      return viewOf(items, length);
    },
  };
}

/** How many items two views of one array share; undefined where they are not. */
export function sharedOfViews(a: readonly unknown[], b: readonly unknown[]): number | undefined {
  const [one, other] = [sources.get(a), sources.get(b)];
  if (one === undefined || other === undefined || one.items !== other.items) return undefined;
  return Math.min(one.length, other.length);
}
