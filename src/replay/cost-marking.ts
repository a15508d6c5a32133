import type { MarkLifetime } from '../model/caching.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { messageMarks, type PrefixReader } from './cost-pieces.ts';

/** Where the cache marks of a transcript's requests are taken from. */
export type Marking =
  | { readonly kind: 'recorded' }
  /** As agents do: behind tools and system prompt, and behind the last message. */
  | { readonly kind: 'assumed'; readonly lifetime: MarkLifetime }
  /** The recorded usage says that nothing was cached. */
  | { readonly kind: 'none' };

/**
 * Recorded marks where any request has one. Without any, the usage decides, where it is recorded: nothing was
 * read or written, so nothing was marked; or the lifetime that most was written for.
 */
export function markingOf({ requests, dialect }: Transcript, prefixes: PrefixReader): Marking {
  const isMarked = requests.some(({ messages, envelope }) => {
    const { marks, automatic } = prefixes.read(envelope);
    if (marks.length > 0 || automatic !== undefined) return true;
    // Marks move along at the end, so a request's last messages tell.
    return messages.some((message) => messageMarks(message, dialect).length > 0);
  });
  if (isMarked) return { kind: 'recorded' };
  let read = 0;
  let written = 0;
  let writtenLong = 0;
  let known = false;
  for (const { usage } of requests) {
    if (usage?.cacheReadTokens === undefined && usage?.cacheWriteTokens === undefined) continue;
    known = true;
    read += usage.cacheReadTokens ?? 0;
    written += usage.cacheWriteTokens ?? 0;
    writtenLong += usage.cacheWrite1hTokens ?? 0;
  }
  if (known && read === 0 && written === 0) return { kind: 'none' };
  const lifetime: MarkLifetime = writtenLong * 2 > written ? '1h' : '5m';
  return { kind: 'assumed', lifetime };
}
