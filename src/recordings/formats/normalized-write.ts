import type { Message } from '../../transcript/message.ts';
import type { Envelope, Transcript } from '../../transcript/transcript.ts';
import {
  type BodyLine,
  NORMALIZED,
  NORMALIZED_VERSION,
  type TranscriptLine,
} from './normalized-lines.ts';

/**
 * A transcript in the harness's own format, line by line, each with its line end. Read back it has the same
 * hash, the same bytes of every message and the same requests.
 */
export function* normalizedLines(transcript: Transcript): Generator<string> {
  yield line(headOf(transcript));
  const messages = new Numbers<Message>();
  const envelopes = new Numbers<Envelope>();
  let before: readonly Message[] = [];
  for (const request of transcript.requests) {
    const { action, envelope, messages: list, ...facts } = request;
    let keep = 0;
    while (keep < before.length && keep < list.length && before[keep] === list[keep]) keep++;
    const added = list.slice(keep);
    for (const message of action === undefined ? added : [...added, action]) {
      if (messages.isNew(message)) yield line({ type: 'message', raw: message.raw });
    }
    if (envelope !== undefined && envelopes.isNew(envelope)) {
      const { gaps, ...rest } = envelope;
      yield line({ type: 'envelope', ...rest, ...(gaps === undefined ? {} : { gaps: [...gaps] }) });
    }
    yield line({
      type: 'request',
      ...facts,
      keep,
      add: added.map((message) => messages.of(message)),
      ...(action === undefined ? {} : { action: messages.of(action) }),
      ...(envelope === undefined ? {} : { envelope: envelopes.of(envelope) }),
    });
    before = list;
  }
  yield line({
    type: 'end',
    requests: transcript.requests.length,
    messages: messages.count,
    envelopes: envelopes.count,
  });
}

function headOf({ requests: _, hash: __, source, ...rest }: Transcript): TranscriptLine {
  return {
    type: 'transcript',
    format: NORMALIZED,
    version: NORMALIZED_VERSION,
    ...rest,
    source: { ...source },
  };
}

/** JSON with half surrogates escaped, so that it is UTF-8 whatever a message holds. */
function line(value: TranscriptLine | BodyLine): string {
  return `${JSON.stringify(value)}\n`;
}

/** Numbers things in the order in which they are first asked about. */
class Numbers<T> {
  readonly #numbers = new Map<T, number>();

  get count(): number {
    return this.#numbers.size;
  }

  isNew(value: T): boolean {
    const { count } = this;
    return this.of(value) === count;
  }

  of(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
