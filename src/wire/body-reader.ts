import { flatCopy } from '../text/flat-copy.ts';
import type { MessageTable } from '../transcript/intern.ts';
import type { Envelope } from '../transcript/transcript.ts';
import type { Dialect, ParsedRequest } from './dialect.ts';

interface Earlier {
  readonly body: string;
  readonly parsed: ParsedRequest;
  /** Offset in `body` after each message. */
  readonly ends: readonly number[];
}

/** Bodies that a next one is compared with: sub-agents alternate with the main conversation. */
const REMEMBERED = 4;

/**
 * Reads the bodies of a request log. Each body repeats the one before it and adds a little, so the
 * messages that stand in the text that both share are taken over, and only the rest is read. The result
 * is that of `dialect.parse`; envelopes with the same text are one object.
 */
export class BodyReader {
  readonly #dialect: Dialect;
  readonly #table: MessageTable;
  readonly #envelopes = new Map<string, Envelope>();
  #earlier: Earlier[] = [];

  constructor(dialect: Dialect, table: MessageTable) {
    this.#dialect = dialect;
    this.#table = table;
  }

  /** @throws HarnessError `input.syntax` or `input.schema`, as `dialect.parse`; places may be off. */
  read(body: string): ParsedRequest {
    const read = this.#readAfter(body) ?? this.#dialect.parse(body, this.#table);
    const parsed = { ...read, envelope: this.share(read.envelope) };
    this.#earlier = [{ body, parsed, ends: endsOf(parsed) }, ...this.#earlier].slice(0, REMEMBERED);
    return parsed;
  }

  #readAfter(body: string): ParsedRequest | undefined {
    let best: { earlier: Earlier; count: number } | undefined;
    for (const earlier of this.#earlier) {
      const shared = sharedLength(earlier.body, body);
      const after = earlier.ends.findIndex((end) => end > shared);
      const count = after < 0 ? earlier.ends.length : after;
      if (count > (best?.count ?? 0)) best = { earlier, count };
    }
    if (best === undefined) return undefined;
    const { earlier, count } = best;
    const { envelope, messages } = earlier.parsed;
    const last = messages[count - 1];
    const end = earlier.ends[count - 1];
    if (last === undefined || end === undefined || envelope.gaps !== undefined) return undefined;
    // The last shared message stays in the text, so that what follows it is read in its place.
    const rest = this.#dialect.parse(`${envelope.head}${last.raw}${body.slice(end)}`, this.#table);
    const isWhole =
      rest.messages[0] === last &&
      rest.envelope.head === envelope.head &&
      rest.envelope.gaps === undefined &&
      (count < 2 || rest.messages.length < 2 || rest.envelope.separator === envelope.separator);
    if (!isWhole) return undefined;
    const separator = count < 2 ? rest.envelope.separator : envelope.separator;
    return {
      ...rest,
      messages: [...messages.slice(0, count - 1), ...rest.messages],
      envelope: { ...rest.envelope, separator },
    };
  }

  /** The one object for this envelope. */
  share(envelope: Envelope): Envelope {
    const { head, separator, tail, gaps } = envelope;
    const latest = this.#earlier[0]?.parsed.envelope;
    if (latest?.head === head && latest.tail === tail && latest.separator === separator) {
      if (gaps === undefined && latest.gaps === undefined) return latest;
    }
    const key = JSON.stringify([head, separator, tail, gaps]);
    const known = this.#envelopes.get(key);
    if (known !== undefined) return known;
    const own = ownEnvelope(envelope);
    this.#envelopes.set(key, own);
    return own;
  }
}

function ownEnvelope(envelope: Envelope): Envelope {
  return {
    ...envelope,
    head: flatCopy(envelope.head),
    separator: flatCopy(envelope.separator),
    tail: flatCopy(envelope.tail),
    ...(envelope.gaps === undefined ? {} : { gaps: envelope.gaps.map(flatCopy) }),
    ...(envelope.system === undefined ? {} : { system: flatCopy(envelope.system) }),
    ...(envelope.tools === undefined ? {} : { tools: flatCopy(envelope.tools) }),
  };
}

function endsOf({ messages, envelope }: ParsedRequest): readonly number[] {
  let at = envelope.head.length;
  return messages.map((message, index) => {
    if (index > 0) at += (envelope.gaps?.[index - 1] ?? envelope.separator).length;
    at += message.raw.length;
    return at;
  });
}

/** Length of the text that both start with. Slices are compared first: they run at memory speed. */
function sharedLength(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let at = 0;
  for (let step = 1 << 16; step >= 64; step >>= 2) {
    while (at + step <= limit && a.slice(at, at + step) === b.slice(at, at + step)) at += step;
  }
  while (at < limit && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}
