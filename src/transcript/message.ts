/**
 * The message model: immutable messages with two identities.
 *
 * *Bytes* (`raw`) is the exact JSON text of the message on its wire, for write-back. *Canonical*
 * (`identity`) leaves cache marks out and spells string content as one text block, since a host may
 * move a mark or respell a string from turn to turn; counts, checkpoints, prefix comparison and unique
 * savings use it. Identity is not position: a message may occur twice in a list.
 */

/** A provider's wire form. */
export type DialectName = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'bedrock';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

export interface Text {
  readonly kind: 'text';
  readonly text: string;
}

export interface Thinking {
  readonly kind: 'thinking';
  readonly text: string;
  /** The provider's signature or encrypted payload, where there is one. */
  readonly signature?: string;
  /** The exact JSON text of the block. */
  readonly raw: string;
}

export interface ToolCall {
  readonly kind: 'tool-call';
  /** Where the wire has no ids (Gemini), the function's name: calls and results then pair in order. */
  readonly id: string;
  readonly name: string;
  /** The arguments as recorded: the JSON text on wires that carry an object, else the string. */
  readonly arguments: string;
  /** Executed by the provider; its result stands in the same assistant message. */
  readonly server?: true;
}

export interface ToolResult {
  readonly kind: 'tool-result';
  /** Id of the call that it answers; the function's name where the wire has no ids. */
  readonly id: string;
  /** The text parts, in order; a string content is one part. */
  readonly texts: readonly string[];
  readonly media: readonly Media[];
  readonly isError: boolean;
  readonly server?: true;
}

export interface Media {
  readonly kind: 'media';
  readonly type: 'image' | 'document' | 'audio' | 'video';
  /** Pixel size, where it can be read from the data. */
  readonly width?: number;
  readonly height?: number;
  /** MIME type, where known. */
  readonly mimeType?: string;
  /** Base64 data, or undefined for a reference. */
  readonly data?: string;
  /** Where a reference points: a URL or a provider's file id. */
  readonly reference?: string;
  /** Content of a plain-text document, which the model reads as text. */
  readonly text?: string;
  /** The exact JSON text of the block. */
  readonly raw: string;
}

/** What no dialect models: kept, counted by nobody, written back as it was. */
export interface Other {
  readonly kind: 'other';
  readonly type: string;
  readonly raw: string;
}

export type Block = Text | Thinking | ToolCall | ToolResult | Media | Other;

/**
 * What canonically equal messages share. `memo` holds facts that are computed once per distinct message
 * (token counts, masked forms, scores); only the module that owns a key reads or writes it.
 */
export interface Identity {
  /** SHA-256 of dialect and canonical text, 32 hexadecimal digits of it. */
  readonly hash: string;
  readonly memo: Map<string, unknown>;
}

export interface Message {
  readonly role: Role;
  readonly blocks: readonly Block[];
  /** Exact JSON text on the wire; on `openai-responses` one or several items joined by commas. */
  readonly raw: string;
  readonly identity: Identity;
}

/** True when both are the same message but for cache marks and the spelling of string content. */
export function sameMessage(a: Message, b: Message): boolean {
  return a === b || a.identity === b.identity || a.identity.hash === b.identity.hash;
}

/** Number of leading messages that both lists share canonically. */
export function commonPrefix(a: readonly Message[], b: readonly Message[]): number {
  const limit = Math.min(a.length, b.length);
  for (let index = 0; index < limit; index++) {
    const left = a[index];
    const right = b[index];
    if (left === undefined || right === undefined || !sameMessage(left, right)) return index;
  }
  return limit;
}

/** The text parts of a tool result as the model reads them, joined by line ends. */
export function resultText(result: ToolResult): string {
  return result.texts.length === 1 ? (result.texts[0] ?? '') : result.texts.join('\n');
}

/** Text of the text blocks, joined by line ends; thinking, calls and results are left out. */
export function plainText(message: Message): string {
  const parts: string[] = [];
  for (const block of message.blocks) if (block.kind === 'text') parts.push(block.text);
  return parts.join('\n');
}

export function hasToolCall(message: Message): boolean {
  return message.blocks.some((block) => block.kind === 'tool-call' && block.server !== true);
}

export function hasToolResult(message: Message): boolean {
  return message.blocks.some((block) => block.kind === 'tool-result' && block.server !== true);
}

/** A turn of the person: a user message with anything but tool results. */
export function isUserTurn(message: Message): boolean {
  if (message.role !== 'user') return false;
  for (const { kind } of message.blocks) if (kind === 'text' || kind === 'media') return true;
  return false;
}
