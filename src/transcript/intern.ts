import { createHash } from 'node:crypto';
import { HarnessError } from '../errors.ts';
import { flatCopy } from '../text/flat-copy.ts';
import { fitted } from '../text/long-lists.ts';
import type { Block, DialectName, Identity, Message, Role } from './message.ts';

/** Characters of one message. Providers take requests of 50 MB at most; what is far beyond is no recording of one. */
const LONGEST_MESSAGE = 2 ** 26;

/** What a dialect reads out of one raw message; `canonical` is the text that fixes its identity. */
export interface MessageReading {
  readonly role: Role;
  readonly blocks: readonly Block[];
  readonly canonical: string;
}

/**
 * Interns messages, so that each distinct message is parsed, hashed and counted once.
 *
 * One table serves one reading of a session: messages with the same bytes are one object, and messages
 * that are canonically equal share one identity. A table grows with the distinct text it has seen, so
 * it is dropped with the transcripts that were read through it.
 */
export class MessageTable {
  readonly #byRaw = new Map<DialectName, Map<string, Message>>();
  readonly #byHash = new Map<string, Identity>();
  /** Length of all distinct messages, in UTF-16 code units: what the table keeps in memory grows with it. */
  characters = 0;

  /**
   * The message for `raw`; `read` runs only when these bytes are new, on a copy that is kept.
   *
   * @param isOwn true of a text that was put together for this message: it need not be copied
   */
  intern(
    dialect: DialectName,
    raw: string,
    read: (raw: string) => MessageReading,
    isOwn = false,
  ): Message {
    if (raw.length > LONGEST_MESSAGE) throw tooLong(raw.length);
    let messages = this.#byRaw.get(dialect);
    if (messages === undefined) {
      messages = new Map();
      this.#byRaw.set(dialect, messages);
    }
    const known = messages.get(raw);
    if (known !== undefined) return known;
    // A slice of a body would keep that whole body alive, and slices of the message the message.
    const own = isOwn ? raw : flatCopy(raw);
    const { role, blocks, canonical } = read(own);
    const identity = this.#identity(dialect, canonical);
    const message = frozen({ role, blocks: fitted(blocks), raw: own, identity });
    messages.set(own, message);
    this.characters += own.length;
    return message;
  }

  #identity(dialect: DialectName, canonical: string): Identity {
    const digest = createHash('sha256').update(dialect).update('\0').update(canonical, 'utf8');
    const hash = flatCopy(digest.digest('hex').slice(0, 32));
    const known = this.#byHash.get(hash);
    if (known !== undefined) return known;
    const identity: Identity = Object.freeze({ hash, memo: new Map<string, unknown>() });
    this.#byHash.set(hash, identity);
    return identity;
  }
}

/** A component of the user's own that changed a message would change the recording, for all configs after it. */
function frozen(message: Message): Message {
  for (const block of message.blocks) {
    if (block.kind === 'tool-result') {
      Object.freeze(block.texts);
      for (const medium of block.media) Object.freeze(medium);
      Object.freeze(block.media);
    }
    Object.freeze(block);
  }
  Object.freeze(message.blocks);
  return Object.freeze(message);
}

function tooLong(length: number): HarnessError {
  const message = `found a message of ${length} characters, at most ${LONGEST_MESSAGE} are read: no provider takes one as long`;
  return new HarnessError('input.size', message);
}
