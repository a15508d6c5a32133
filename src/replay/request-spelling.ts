import type { WireName } from '../model/model.ts';
import { MessageTable } from '../transcript/intern.ts';
import type { Message } from '../transcript/message.ts';
import type { Request, Transcript } from '../transcript/transcript.ts';
import { dialectOf } from '../wire/catalog.ts';
import { declaredNames, type ToolDeclaration } from '../wire/tool-declarations.ts';
import { type WholeRequest, wholeRequest } from '../wire/whole-request.ts';
import { inferredTools } from './agreement-tools.ts';
import { expandDeclaration } from './expand-loop.ts';

/** Spells the requests of a transcript for a model's wire, with the tools that the agent had. */
export class RequestSpelling {
  readonly wire: WireName;
  readonly tools: 'recorded' | 'inferred';
  readonly #transcript: Transcript;
  readonly #inferred: readonly ToolDeclaration[];
  readonly #table = new MessageTable();

  constructor(transcript: Transcript, wire: WireName) {
    this.wire = wire;
    this.#transcript = transcript;
    const recorded = transcript.requests.find(({ envelope }) => envelope?.tools !== undefined);
    this.tools = recorded === undefined ? 'inferred' : 'recorded';
    this.#inferred = inferredFor(transcript, recorded?.envelope?.tools, wire);
  }

  /** @param withExpand declares the expand tool behind the agent's own. */
  whole(
    messages: readonly Message[],
    { envelope }: Pick<Request, 'envelope'>,
    withExpand = false,
  ): WholeRequest {
    return wholeRequest(messages, {
      from: this.#transcript.dialect,
      to: this.wire,
      ...(envelope === undefined ? {} : { envelope }),
      tools: [...this.#inferred, ...(withExpand ? [expandDeclaration] : [])],
      table: this.#table,
    });
  }

  /** The list with a question of the user's behind it. */
  asking(messages: readonly Message[], question: string): readonly Message[] {
    return dialectOf(this.#transcript.dialect).insertUserText(messages, question, [], this.#table);
  }
}

/**
 * Tools to declare beside the recorded ones: all that are called, where no declarations were recorded; on
 * another wire those called ones that were declared without a schema, as a provider's shell is.
 */
function inferredFor(
  transcript: Transcript,
  recorded: string | undefined,
  wire: WireName,
): readonly ToolDeclaration[] {
  if (recorded === undefined) return inferredTools(transcript);
  if (transcript.dialect === wire) return [];
  const names = declaredNames(recorded, transcript.dialect);
  return inferredTools(transcript).filter(({ name }) => names.has(name));
}
