import type { MessageTable } from '../transcript/intern.ts';
import type { Block, DialectName, Message, Role } from '../transcript/message.ts';
import type { Envelope } from '../transcript/transcript.ts';
import type { JsonObject } from './json-object.ts';

/** A request body, taken apart so that what is not rewritten can be written back byte for byte. */
export interface ParsedRequest {
  readonly dialect: DialectName;
  readonly messages: readonly Message[];
  readonly envelope: Envelope;
  readonly model?: string;
}

/**
 * A provider's wire form. Everything that reads or writes its JSON stands behind this interface; the
 * rest of the harness sees messages and blocks.
 */
export interface Dialect {
  readonly name: DialectName;

  /** Key of the message list in a request body. */
  readonly listKey: string;

  /**
   * Reads a request body.
   * @throws HarnessError `input.syntax` (not JSON) or `input.schema` (no list of messages).
   */
  parse(body: string, table: MessageTable): ParsedRequest;

  /** Reads a JSON array of messages, e.g. one that stands inside a recording. */
  parseList(list: string, table: MessageTable): readonly Message[];

  /** Reads one message (on `openai-responses`: its items, joined by commas). */
  parseMessage(raw: string, table: MessageTable): Message;

  /**
   * The same where the text was just put together, of parts that were parsed already.
   *
   * @param value equal to `JSON.parse(raw)`
   */
  parsedMessage(raw: string, value: JsonObject, table: MessageTable): Message;

  /** The request body: `encode(parse(body)) === body`. Without an envelope, a body of the list alone. */
  encode(messages: readonly Message[], envelope?: Envelope): string;

  /** A user turn that says `text`. */
  userText(text: string, table: MessageTable): Message;

  /**
   * `before`, a user turn that says `text`, `after`. Where roles must alternate, the text becomes a block
   * of the user message before it, and a following user turn is joined to it.
   */
  insertUserText(
    before: readonly Message[],
    text: string,
    after: readonly Message[],
    table: MessageTable,
  ): readonly Message[];

  /**
   * The message with the text of the tool result at `blockIndex` replaced; its media stay. No other
   * byte of the message changes.
   */
  replaceResult(message: Message, blockIndex: number, text: string, table: MessageTable): Message;

  /**
   * Writes blocks of any dialect as messages of this one: one message, or several where this wire splits
   * them (tool results on `openai-chat`). What the wire cannot carry is left out.
   *
   * @param toolNames names of the tools by call id, for a wire whose results carry names (`gemini`).
   */
  write(
    role: Role,
    blocks: readonly Block[],
    table: MessageTable,
    toolNames?: ReadonlyMap<string, string>,
  ): readonly Message[];
}

/** The JSON array of the messages' exact texts. */
export function encodeList(messages: readonly Message[], separator = ','): string {
  return `[${messages.map((message) => message.raw).join(separator)}]`;
}
