import type { DialectName } from '../transcript/message.ts';
import { isObject, type JsonObject } from './json-object.ts';
import { stringOf } from './parts.ts';
import { targets } from './translate-targets.ts';
import { legalName } from './translate-turns.ts';

/** A tool as every wire can declare it. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, an object. */
  readonly schema: JsonObject;
}

/** Wires in which declarations can be written. */
export type DeclaringWire = 'anthropic' | 'openai-chat';

/**
 * Reads the tool declarations of a request body. What the provider runs itself (a web search) has no
 * schema and is left out, since another provider does not have it; a tool that takes free text becomes one
 * with a single argument `input`. Sources: the API references.
 *
 * @param json the value of `tools` (`toolConfig` on Bedrock)
 */
export function readToolDeclarations(json: string, dialect: DialectName): ToolDeclaration[] {
  const value = parsed(json);
  const entries = Array.isArray(value) ? value : isObject(value) ? listOf(value.tools) : [];
  return entries.flatMap((entry: unknown) => (isObject(entry) ? readers[dialect](entry) : []));
}

/** Names of all that a request body declares, what `readToolDeclarations` leaves out included. */
export function declaredNames(json: string, dialect: DialectName): ReadonlySet<string> {
  const value = parsed(json);
  const entries = Array.isArray(value) ? value : isObject(value) ? listOf(value.tools) : [];
  const names = entries.map((entry) => (isObject(entry) ? stringOf(entry.name ?? entry.type) : ''));
  const read = readToolDeclarations(json, dialect).map(({ name }) => name);
  return new Set([...names, ...read].filter((name) => name !== ''));
}

const FREE_TEXT: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
};

const readers: {
  readonly [Name in DialectName]: (entry: JsonObject) => ToolDeclaration[];
} = {
  anthropic: (entry) => (isObject(entry.input_schema) ? declared(entry, entry.input_schema) : []),
  'openai-chat': (entry) => {
    if (isObject(entry.custom)) return declared(entry.custom, FREE_TEXT);
    return isObject(entry.function) ? declared(entry.function, entry.function.parameters) : [];
  },
  'openai-responses': (entry) => {
    if (entry.type === 'custom') return declared(entry, FREE_TEXT);
    return entry.type === 'function' ? declared(entry, entry.parameters) : [];
  },
  gemini: (entry) =>
    listOf(entry.functionDeclarations ?? entry.function_declarations).flatMap((own: unknown) =>
      isObject(own)
        ? declared(own, own.parametersJsonSchema ?? lowerCaseTypes(own.parameters))
        : [],
    ),
  bedrock: ({ toolSpec }) => {
    if (!isObject(toolSpec)) return [];
    const { inputSchema } = toolSpec;
    return declared(toolSpec, isObject(inputSchema) ? inputSchema.json : undefined);
  },
};

function declared(entry: JsonObject, schema: unknown): ToolDeclaration[] {
  const name = stringOf(entry.name);
  if (name === '') return [];
  const description = stringOf(entry.description);
  return [
    {
      name,
      ...(description === '' ? {} : { description }),
      schema: isObject(schema) ? schema : { type: 'object', properties: {} },
    },
  ];
}

/** Gemini spells the types of a schema in capitals. */
function lowerCaseTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerCaseTypes);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === 'type' && typeof inner === 'string' ? inner.toLowerCase() : lowerCaseTypes(inner),
    ]),
  );
}

/** One declaration as JSON text. Its name is respelled as `translate` respells the names of calls. */
export function writeToolDeclaration(
  { name: recorded, description, schema }: ToolDeclaration,
  wire: DeclaringWire,
): string {
  const name = legalName(recorded, targets[wire]);
  const about = description === undefined ? {} : { description };
  const parameters = schema.type === undefined ? { type: 'object', ...schema } : schema;
  switch (wire) {
    case 'anthropic':
      return JSON.stringify({ name, ...about, input_schema: parameters });
    case 'openai-chat':
      return JSON.stringify({ type: 'function', function: { name, ...about, parameters } });
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
