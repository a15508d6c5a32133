import type { MessageTable } from '../transcript/intern.ts';
import type { DialectName } from '../transcript/message.ts';
import type { Envelope } from '../transcript/transcript.ts';
import { dialectOf } from '../wire/catalog.ts';

/** A tool as an agent declares it, whatever the wire; `parameters` is a JSON schema. */
export interface Tool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters?: unknown;
}

/** What a recording says of a request beside its messages. */
export interface RequestHead {
  readonly model?: string | undefined;
  /** Text of the system prompt, for a wire that keeps it apart. */
  readonly system?: string | undefined;
  readonly tools?: readonly Tool[] | undefined;
}

/**
 * The envelope of a request whose parts a recording has, and not its bytes: written as the wire has
 * them. Undefined when there is neither a system prompt nor a tool.
 */
export function writeEnvelope(
  name: DialectName,
  head: RequestHead,
  table: MessageTable,
): Envelope | undefined {
  const isBare = head.system === undefined && (head.tools ?? []).length === 0;
  return isBare ? undefined : writeBodyEnvelope(name, head, table);
}

/** The same, also where there is nothing but the list: for a recording of whole requests. */
export function writeBodyEnvelope(
  name: DialectName,
  head: RequestHead,
  table: MessageTable,
): Envelope {
  const tools = head.tools ?? [];
  const body = JSON.stringify({
    ...(head.model === undefined || name === 'gemini' ? {} : { [modelKey(name)]: head.model }),
    ...(head.system === undefined ? {} : systemOf(name, head.system)),
    [dialectOf(name).listKey]: [],
    ...(tools.length === 0 ? {} : toolsOf(name, tools)),
  });
  return dialectOf(name).parse(body, table).envelope;
}

/** True where the system prompt stands apart from the list. */
export function hasSystemApart(name: DialectName): boolean {
  return name !== 'openai-chat';
}

function modelKey(name: DialectName): string {
  return name === 'bedrock' ? 'modelId' : 'model';
}

function systemOf(name: DialectName, text: string): object {
  switch (name) {
    case 'anthropic':
      return { system: text };
    case 'openai-chat':
      return {};
    case 'openai-responses':
      return { instructions: text };
    case 'gemini':
      return { systemInstruction: { parts: [{ text }] } };
    case 'bedrock':
      return { system: [{ text }] };
  }
}

function toolsOf(name: DialectName, tools: readonly Tool[]): object {
  switch (name) {
    case 'anthropic':
      return {
        tools: tools.map(({ parameters, ...rest }) => ({
          ...rest,
          input_schema: parameters ?? { type: 'object' },
        })),
      };
    case 'openai-chat':
      return { tools: tools.map((tool) => ({ type: 'function', function: tool })) };
    case 'openai-responses':
      return { tools: tools.map((tool) => ({ type: 'function', ...tool })) };
    case 'gemini':
      return { tools: [{ functionDeclarations: tools }] };
    case 'bedrock':
      return {
        toolConfig: {
          tools: tools.map(({ parameters, ...rest }) => ({
            toolSpec: { ...rest, inputSchema: { json: parameters ?? { type: 'object' } } },
          })),
        },
      };
  }
}
