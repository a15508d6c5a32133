import { summaryText } from '../../compaction/summary-text.ts';
import { diffLines } from '../../text/line-diff.ts';
import { exchangePlace } from '../../transcript/exchanges.ts';
import { type Block, type Message, plainText } from '../../transcript/message.ts';
import type { MarkerPaths } from './marker-paths.ts';

/**
 * What became of a message: `kept`, canonically the same; `rewritten`, still there with other content;
 * `summarized`, a summary stands in its place; `stashed`, left out and behind a visible marker; `dropped`,
 * left out and behind none; `inserted`, not in the recorded request.
 */
export type Fate = 'kept' | 'rewritten' | 'summarized' | 'stashed' | 'dropped' | 'inserted';

export interface MessageAt {
  /** Index in its list. */
  readonly index: number;
  readonly message: Message;
}

/** One message of the recorded list, of the list that would be sent, or of both. */
export interface MessageChange {
  readonly fate: Fate;
  readonly before?: MessageAt;
  readonly after?: MessageAt;
  /**
   * Of what is sent: keys of the markers that the rewrite put in it. Of what is not: the keys to expand, one
   * inside of the other, to get it back; empty where it cannot be got back.
   */
  readonly markers: readonly string[];
}

/** First line of what stands in the place of summarized messages. */
const [SUMMARY_HEADING = ''] = summaryText('', 'off', undefined).split('\n');

/** Whether the message holds a summary that a rewrite made; on some wires beside text of the recording. */
function isSummary(message: Message): boolean {
  return plainText(message).split('\n').includes(SUMMARY_HEADING);
}

/**
 * Both lists of one request, message by message, in the order in which they would be sent: each message of
 * either once, those of both in one entry.
 */
export function messageChanges(
  before: readonly Message[],
  after: readonly Message[],
  paths: MarkerPaths,
): MessageChange[] {
  const visible = [...new Set(after.flatMap((message) => paths.keysIn(message)))];
  const changes: MessageChange[] = [];
  let removed: MessageAt[] = [];
  let added: MessageAt[] = [];
  const close = () => {
    for (const change of changesOfGap(removed, added, visible, paths)) changes.push(change);
    [removed, added] = [[], []];
  };
  let [left, right] = [0, 0];
  for (const { kind } of diffLines(before.map(hashOf), after.map(hashOf))) {
    const old = before[left];
    const young = after[right];
    if (kind !== 'added') left++;
    if (kind !== 'removed') right++;
    if (kind === 'removed' && old !== undefined) removed.push({ index: left - 1, message: old });
    if (kind === 'added' && young !== undefined) added.push({ index: right - 1, message: young });
    if (kind !== 'same' || old === undefined || young === undefined) continue;
    close();
    changes.push({
      fate: 'kept',
      before: { index: left - 1, message: old },
      after: { index: right - 1, message: young },
      markers: [],
    });
  }
  close();
  return changes;
}

function hashOf({ identity }: Message): string {
  return identity.hash;
}

/** Between two kept messages: pairs what was rewritten, and says of the rest where it went. */
function changesOfGap(
  removed: readonly MessageAt[],
  added: readonly MessageAt[],
  visible: readonly string[],
  paths: MarkerPaths,
): MessageChange[] {
  const changes: MessageChange[] = [];
  const hasSummary = added.some(({ message }) => isSummary(message));
  const leave = (before: MessageAt) => {
    const path = paths.toMessage(visible, before.message);
    const fate = hasSummary ? 'summarized' : path === undefined ? 'dropped' : 'stashed';
    changes.push({ fate, before, markers: path ?? [] });
  };
  let next = 0;
  for (const after of added) {
    const found = removed.findIndex(
      ({ message }, position) => position >= next && isRewriteOf(after.message, message),
    );
    const before = removed[found];
    const markers = paths.keysIn(after.message);
    if (before === undefined) {
      // What it stands for comes before it, as in the recording.
      while (next < removed.length && !isPartner(removed[next], added)) {
        const old = removed[next++];
        if (old !== undefined) leave(old);
      }
      changes.push({ fate: 'inserted', after, markers });
      continue;
    }
    for (const old of removed.slice(next, found)) leave(old);
    next = found + 1;
    const own = new Set(paths.keysIn(before.message));
    const put = markers.filter((key) => !own.has(key));
    changes.push({ fate: 'rewritten', before, after, markers: put });
  }
  for (const old of removed.slice(next)) leave(old);
  return changes;
}

function isPartner(before: MessageAt | undefined, added: readonly MessageAt[]): boolean {
  return before !== undefined && added.some(({ message }) => isRewriteOf(message, before.message));
}

/** Whether it stands in the place of the other: the same calls and results, or a block in common. */
function isRewriteOf(after: Message, before: Message): boolean {
  if (after.role !== before.role) return false;
  const place = exchangePlace(before);
  if (place !== undefined || exchangePlace(after) !== undefined) {
    return place === exchangePlace(after);
  }
  return after.blocks.some((block) => before.blocks.some((other) => isSameText(block, other)));
}

function isSameText(a: Block, b: Block): boolean {
  return a.kind === 'text' && b.kind === 'text' && a.text === b.text;
}
