import { createHash } from 'node:crypto';
import { flatCopy } from '../text/flat-copy.ts';
import type { Block, DialectName, Identity, Message, Role } from './message.ts';

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

  /** The message for `raw`; `read` runs only when these bytes are new, on a copy that is kept. */
  intern(dialect: DialectName, raw: string, read: (raw: string) => MessageReading): Message {
    let messages = this.#byRaw.get(dialect);
    if (messages === undefined) {
      messages = new Map();
      this.#byRaw.set(dialect, messages);
    }
    const known = messages.get(raw);
    if (known !== undefined) return known;
    // A slice of a body would keep that whole body alive, and slices of the message the message.
    const own = flatCopy(raw);
    const { role, blocks, canonical } = read(own);
    const message = { role, blocks, raw: own, identity: this.#identity(dialect, canonical) };
    messages.set(own, message);
    return message;
  }

  #identity(dialect: DialectName, canonical: string): Identity {
    const digest = createHash('sha256').update(dialect).update('\0').update(canonical, 'utf8');
    const hash = digest.digest('hex').slice(0, 32);
    const known = this.#byHash.get(hash);
    if (known !== undefined) return known;
    const identity: Identity = { hash, memo: new Map() };
    this.#byHash.set(hash, identity);
    return identity;
  }
}
