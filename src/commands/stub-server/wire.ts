/** What the server needs to know of a wire, apart from which model answers. */
import type { ToolUse, WireName } from '../../model/model.ts';
import type { Message } from '../../transcript/message.ts';

/** A request for a reply, as far as the stub heeds it. */
export interface ServedRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly maxOutputTokens: number;
  readonly messages: readonly Message[];
  /** Text of the system prompt: top-level, or of the leading system messages. */
  readonly systemText: string;
  readonly tools: readonly DeclaredTool[];
  /** Which tool must or may be called. */
  readonly toolChoice: ToolChoice;
  /** JSON texts, as they were sent. */
  readonly raw: { readonly messages: string; readonly system?: string; readonly tools?: string };
  /** What a prompt cache compares, in order: tools, system, then the messages' blocks. */
  readonly parts: readonly CachePart[];
  /** OpenAI's `stream_options.include_usage`; always so on Anthropic. */
  readonly streamUsage: boolean;
}

/** JSON text of a part, its cache mark left out. */
export interface CachePart {
  readonly text: string;
  readonly marked: boolean;
}

export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its arguments, unchecked. */
  readonly schema: unknown;
}

export type ToolChoice =
  | { readonly kind: 'auto' | 'none' | 'any' }
  | { readonly kind: 'tool'; readonly name: string };

/** What the stub says, in no wire's form. */
export interface Answer {
  readonly text: string;
  readonly toolCalls: readonly ToolUse[];
  /** Everything that was sent; what was read from or written to the cache is in it. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** A request that the provider would refuse. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The parameter at fault, where there is one. */
  readonly param?: string;
}

export class RefusedRequest extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export interface ServedWire {
  readonly name: WireName;
  /**
   * Reads the body of a request.
   * @throws RefusedRequest
   */
  read(body: string): ServedRequest;
  /** The response body. `id` is a hash of the request. */
  respond(request: ServedRequest, answer: Answer, id: string): unknown;
  /** The text of the event stream, in pieces as they would arrive. */
  stream(request: ServedRequest, answer: Answer, id: string): readonly string[];
  /** The provider's error body. */
  problem(refusal: Refusal, id: string): unknown;
  /** The list of models. */
  models(names: readonly string[]): unknown;
}

/** Pieces of a text for a stream; they join to the text and split no code point. */
export function piecesOf(text: string, length = 24): readonly string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'gu')) ?? [];
}
