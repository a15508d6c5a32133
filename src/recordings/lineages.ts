import { commonPrefix } from '../transcript/message.ts';
import type { CapturedRequest } from './captured.ts';
import { Holders, isSummarized, keepsMessages } from './own-compaction.ts';
import { PrefixIndex } from './prefix-index.ts';
import { surroundings } from './surroundings.ts';

/** A request with its segment. */
interface Placed {
  readonly request: CapturedRequest;
  readonly segment: number;
}

export interface Lineage {
  /** `main`, `lineage-2`, …, or `agent-1`, … for sub-agents. */
  readonly name: string;
  /** Name of the lineage that a sub-agent works for. */
  readonly parent?: string;
  readonly placed: readonly Placed[];
  readonly retries: number;
}

interface Growing {
  name: string;
  readonly parent: Growing | undefined;
  readonly placed: Placed[];
  retries: number;
  /** Position among the session's requests of the latest request, for recency. */
  latest: number;
  /** Known not to go on: no later request extends its last one. */
  ended: boolean;
}

/** The lineages of a session so far. A log may hold thousands of unrelated calls, so none is searched for. */
class Lineages {
  /** In the order of their start. */
  readonly all: Growing[] = [];
  /** Those that were extended last come last. */
  readonly #byRecency = new Set<Growing>();
  readonly #byFirstMessage = new Map<string, Set<Growing>>();
  /** As `#byRecency`, without those that are known to have ended. */
  readonly #live = new Set<Growing>();
  /** No lineage's last list is longer. */
  #longest = 0;

  /** After a request was placed in the lineage. */
  touch(lineage: Growing): void {
    if (!this.#byRecency.delete(lineage)) this.all.push(lineage);
    this.#byRecency.add(lineage);
    this.#live.delete(lineage);
    this.#live.add(lineage);
    lineage.ended = false;
    const messages = lastOf(lineage)?.messages ?? [];
    this.#longest = Math.max(this.#longest, messages.length);
    const first = messages[0]?.identity.hash;
    if (first === undefined) return;
    const known = this.#byFirstMessage.get(first);
    if (known === undefined) this.#byFirstMessage.set(first, new Set([lineage]));
    else known.add(lineage);
  }

  end(lineage: Growing): void {
    lineage.ended = true;
    this.#live.delete(lineage);
  }

  /** Latest first. */
  recent(): readonly Growing[] {
    return [...this.#byRecency].reverse();
  }

  /** Those that may still go on, latest first. */
  live(): readonly Growing[] {
    return [...this.#live].reverse();
  }

  /** Those that a compaction may have turned into this request, latest first. */
  compactable({ messages }: CapturedRequest, holding: ReadonlySet<Growing>): readonly Growing[] {
    return holding.size === 0 && messages.length >= this.#longest ? [] : this.recent();
  }

  /** Those that a request can extend: some request of theirs begins with the same message. */
  beginningAs({ messages }: CapturedRequest): Iterable<Growing> {
    return this.#byFirstMessage.get(messages[0]?.identity.hash ?? '') ?? [];
  }
}

/**
 * Sorts the requests of one session into lineages. In order, each request
 *
 * 1. joins the lineage whose last request is its longest canonical prefix (cache marks and the spelling
 *    of string content aside). A list without any answer yet, such as one first user turn, is a prefix
 *    only under the same system prompt, or when it really grew: two agents may be asked the same;
 * 2. is a retry, and is not counted, when it equals that last request and not both have a logged
 *    response: the one with the response stays;
 * 3. else starts a new segment of a lineage of the same system prompt and tools that ends here, when the
 *    agent compacted its own history (own-compaction.ts);
 * 4. else starts a lineage: a sub-agent, when it has another system prompt or another first user turn
 *    than the conversation that runs at the time; a branch, a restart or a parallel conversation if not.
 *
 * @param requests those of one session, in time order.
 */
export function sortIntoLineages(requests: readonly CapturedRequest[]): readonly Lineage[] {
  const lineages = new Lineages();
  const prefixes = new PrefixIndex(requests);
  const holders = new Holders<Growing>();
  for (const [position, request] of requests.entries()) {
    const extended = longestExtended(request, lineages);
    if (extended !== undefined) {
      const known = lastOf(extended)?.messages.length ?? 0;
      join(extended, request, position);
      lineages.touch(extended);
      holders.note(extended, request.messages.slice(known));
      continue;
    }
    const goesOn = (lineage: Growing) => {
      if (lineage.ended) return false;
      if (!prefixes.goesOn(lastOf(lineage)?.messages ?? [], position)) lineages.end(lineage);
      return !lineage.ended;
    };
    const holding = holders.of(request.messages);
    const compacted = lineages
      .compactable(request, holding)
      .find((lineage) => compactedInto(lineage, request, holding.has(lineage)) && !goesOn(lineage));
    if (compacted !== undefined) {
      const segment = (compacted.placed.at(-1)?.segment ?? 0) + 1;
      compacted.placed.push({ request, segment });
      compacted.latest = position;
      lineages.touch(compacted);
      holders.note(compacted, request.messages);
      continue;
    }
    const candidates = request.session === undefined ? lineages.live() : lineages.recent();
    const parent = parentOf(request, candidates, goesOn);
    const placed = [{ request, segment: 0 }];
    const started = { name: '', parent, placed, retries: 0, latest: position, ended: false };
    lineages.touch(started);
    holders.note(started, request.messages);
  }
  nameAll(lineages.all);
  return lineages.all.map(({ name, parent, placed, retries }) => ({
    name,
    ...(parent === undefined ? {} : { parent: parent.name }),
    placed,
    retries,
  }));
}

function nameAll(lineages: readonly Growing[]): void {
  let conversations = 0;
  let agents = 0;
  for (const lineage of lineages) {
    if (lineage.parent !== undefined) lineage.name = `agent-${++agents}`;
    else lineage.name = ++conversations === 1 ? 'main' : `lineage-${conversations}`;
  }
}

function lastOf(lineage: Growing): CapturedRequest | undefined {
  return lineage.placed.at(-1)?.request;
}

function longestExtended(request: CapturedRequest, lineages: Lineages): Growing | undefined {
  let best: { lineage: Growing; rank: readonly number[] } | undefined;
  for (const lineage of lineages.beginningAs(request)) {
    const last = lastOf(lineage);
    if (last === undefined || !extendsRequest(last, request)) continue;
    const rank = [last.messages.length, sameSurroundings(last, request) ? 1 : 0, lineage.latest];
    if (best === undefined || isAbove(rank, best.rank)) best = { lineage, rank };
  }
  return best?.lineage;
}

function isAbove(rank: readonly number[], other: readonly number[]): boolean {
  for (const [index, value] of rank.entries()) {
    const difference = value - (other[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** True when `next` carries on where `last` stopped (or repeats it). */
function extendsRequest(last: CapturedRequest, next: CapturedRequest): boolean {
  const { messages } = last;
  if (last.dialect !== next.dialect || messages.length === 0) return false;
  if (commonPrefix(messages, next.messages) < messages.length) return false;
  if (sameSurroundings(last, next)) return true;
  const isAnswered = messages.some((message) => message.role === 'assistant');
  return isAnswered || next.messages.length > messages.length;
}

function sameSurroundings(a: CapturedRequest, b: CapturedRequest): boolean {
  return surroundings(a.envelope) === surroundings(b.envelope);
}

function join(lineage: Growing, request: CapturedRequest, position: number): void {
  const last = lineage.placed.at(-1);
  lineage.latest = position;
  const segment = last?.segment ?? 0;
  if (last === undefined || last.request.messages.length < request.messages.length) {
    lineage.placed.push({ request, segment });
    return;
  }
  // The same list again: one array, unless a mark moved and so the bytes differ.
  const earlier = last.request.messages;
  const isSame = earlier.every((message, index) => message === request.messages[index]);
  const same = isSame ? { ...request, messages: earlier } : request;
  if (last.request.response !== undefined && request.response !== undefined) {
    lineage.placed.push({ request: same, segment });
    return;
  }
  lineage.retries++;
  if (last.request.response === undefined && request.response !== undefined) {
    lineage.placed[lineage.placed.length - 1] = { request: same, segment };
  }
}

function compactedInto(lineage: Growing, request: CapturedRequest, mayHold: boolean): boolean {
  const last = lastOf(lineage);
  if (last === undefined || last.dialect !== request.dialect) return false;
  if (!mayHold && request.messages.length >= last.messages.length) return false;
  // The call that asked for a summary may have had a system prompt and tools of its own.
  if (!lineage.placed.some((placed) => sameSurroundings(placed.request, request))) return false;
  const holds = mayHold && keepsMessages(last, request);
  if (!holds && !isSummarized(last, request)) return false;
  // A restart repeats an earlier request.
  return !lineage.placed.some(
    (placed) =>
      placed.request.messages.length === request.messages.length &&
      commonPrefix(placed.request.messages, request.messages) === request.messages.length,
  );
}

/**
 * The conversation that a request works for, if it is a sub-agent's. With an explicit session id, any
 * other system prompt or first user turn is one: the id says that it belongs. Requests that only share
 * a file or folder must also interleave, since a log may hold conversations one after another.
 */
function parentOf(
  request: CapturedRequest,
  recent: readonly Growing[],
  goesOn: (lineage: Growing) => boolean,
): Growing | undefined {
  return recent.find((lineage) => {
    const last = lastOf(lineage);
    if (last === undefined || lineage.parent !== undefined) return false;
    if (request.session === undefined && !goesOn(lineage)) return false;
    return isOtherConversation(last, request);
  });
}

function isOtherConversation(a: CapturedRequest, b: CapturedRequest): boolean {
  if (a.dialect !== b.dialect || systemOf(a) !== systemOf(b)) return true;
  return firstUserTurn(a) !== firstUserTurn(b);
}

function systemOf(request: CapturedRequest): string {
  const leading = request.messages[0];
  const inList = leading?.role === 'system' ? leading.identity.hash : '';
  return `${inList} ${surroundings(request.envelope, 'system')}`;
}

function firstUserTurn(request: CapturedRequest): string | undefined {
  return request.messages.find((message) => message.role === 'user')?.identity.hash;
}
