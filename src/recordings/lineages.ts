import { commonPrefix, type Message } from '../transcript/message.ts';
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
  const lineages: Growing[] = [];
  const prefixes = new PrefixIndex(requests);
  const holders = new Holders<Growing>();
  for (const [position, request] of requests.entries()) {
    const extended = longestExtended(request, lineages);
    if (extended !== undefined) {
      const known = lastOf(extended)?.messages.length ?? 0;
      join(extended, request, position);
      holders.note(extended, request.messages.slice(known));
      continue;
    }
    const goesOn = (messages: readonly Message[]) => prefixes.goesOn(messages, position);
    const holding = holders.of(request.messages);
    const compacted = byRecency(lineages).find(
      (lineage) =>
        compactedInto(lineage, request, holding.has(lineage)) &&
        !goesOn(lastOf(lineage)?.messages ?? []),
    );
    if (compacted !== undefined) {
      const segment = (compacted.placed.at(-1)?.segment ?? 0) + 1;
      compacted.placed.push({ request, segment });
      compacted.latest = position;
      holders.note(compacted, request.messages);
      continue;
    }
    const parent = parentOf(request, lineages, goesOn);
    const placed = [{ request, segment: 0 }];
    const started = { name: '', parent, placed, retries: 0, latest: position };
    lineages.push(started);
    holders.note(started, request.messages);
  }
  nameAll(lineages);
  return lineages.map(({ name, parent, placed, retries }) => ({
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

function longestExtended(
  request: CapturedRequest,
  lineages: readonly Growing[],
): Growing | undefined {
  let best: { lineage: Growing; rank: readonly number[] } | undefined;
  for (const lineage of lineages) {
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

function byRecency(lineages: readonly Growing[]): readonly Growing[] {
  return [...lineages].sort((a, b) => b.latest - a.latest);
}

function compactedInto(lineage: Growing, request: CapturedRequest, mayHold: boolean): boolean {
  const last = lastOf(lineage);
  if (last === undefined || last.dialect !== request.dialect) return false;
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
  lineages: readonly Growing[],
  goesOn: (messages: readonly Message[]) => boolean,
): Growing | undefined {
  return byRecency(lineages).find((lineage) => {
    const last = lastOf(lineage);
    if (last === undefined || lineage.parent !== undefined) return false;
    if (request.session === undefined && !goesOn(last.messages)) return false;
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
