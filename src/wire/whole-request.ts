import type { MessageTable } from '../transcript/intern.ts';
import type { DialectName, Message } from '../transcript/message.ts';
import type { Envelope } from '../transcript/transcript.ts';
import { encodeList } from './dialect.ts';
import { isObject } from './json-object.ts';
import { elements, rootSpan, slice } from './json-spans.ts';
import {
  type DeclaringWire,
  declaredNames,
  readToolDeclarations,
  type ToolDeclaration,
  writeToolDeclaration,
} from './tool-declarations.ts';
import { translate } from './translate.ts';

/** JSON texts of a request body's parts. */
export interface WholeRequest {
  readonly messages: string;
  readonly system?: string;
  readonly tools?: string;
}

export interface WholeRequestOptions {
  readonly from: DialectName;
  readonly to: DeclaringWire;
  /** What stood around the list: its system prompt and tool declarations are taken over. */
  readonly envelope?: Envelope;
  /** Declared behind those of the envelope; one whose name is declared already is left out. */
  readonly tools?: readonly ToolDeclaration[];
  readonly table: MessageTable;
}

/**
 * A request as another wire sends it. Into its own wire its texts are those that were recorded; else it is
 * translated: the list by `translate`, the top-level system prompt as text (in front of the list where the
 * wire has no place for it), the declarations without those of the provider's own tools.
 */
export function wholeRequest(
  messages: readonly Message[],
  options: WholeRequestOptions,
): WholeRequest {
  const { from, to, envelope, table } = options;
  const translation = translate(messages, from, to, table);
  const tools = toolsText(options);
  const declared = tools === undefined ? {} : { tools };
  if (from === to) {
    const own = envelope?.system === undefined ? {} : { system: envelope.system };
    return { messages: encodeList(messages), ...own, ...declared };
  }
  const texts = [systemText(envelope?.system), translation.system ?? ''];
  const system = texts.filter((text) => text.trim() !== '').join('\n\n');
  const list = translation.messages.map(({ raw }) => raw);
  if (system === '') return { messages: `[${list.join(',')}]`, ...declared };
  if (to === 'anthropic') {
    return { messages: `[${list.join(',')}]`, system: JSON.stringify(system), ...declared };
  }
  const first = JSON.stringify({ role: 'system', content: system });
  return { messages: `[${[first, ...list].join(',')}]`, ...declared };
}

function toolsText({ from, to, envelope, tools = [] }: WholeRequestOptions): string | undefined {
  const recorded = envelope?.tools;
  const known = recorded === undefined ? [] : readToolDeclarations(recorded, from);
  const names =
    recorded !== undefined && from === to
      ? declaredNames(recorded, from)
      : new Set(known.map(({ name }) => name));
  const added = tools
    .filter(({ name }) => !names.has(name))
    .map((tool) => writeToolDeclaration(tool, to));
  const kept =
    recorded === undefined
      ? []
      : from === to
        ? elements(recorded, rootSpan(recorded)).map((span) => slice(recorded, span))
        : known.map((tool) => writeToolDeclaration(tool, to));
  const all = [...kept, ...added];
  return all.length === 0 ? undefined : `[${all.join(',')}]`;
}

/** The text of a system prompt: a string, text blocks, or Gemini's content with parts. */
function systemText(json: string | undefined): string {
  if (json === undefined) return '';
  const read = (value: unknown): string[] => {
    if (typeof value === 'string') return [value];
    if (Array.isArray(value)) return value.flatMap(read);
    if (!isObject(value)) return [];
    return read(value.text ?? value.parts ?? []);
  };
  return read(JSON.parse(json)).join('\n\n');
}
