import type { ToolUse } from '../../model/model.ts';
import { asArray, asObject, asString, isObject, type JsonObject } from '../../shape/json-values.ts';
import type { DeclaredTool } from './wire.ts';

/**
 * The call with arguments that its tool's schema takes. The stub knows a tool by its name alone; where it
 * names a property that the schema does not have, what it means goes into the required ones.
 */
export function fitted(call: ToolUse, tools: readonly DeclaredTool[]): ToolUse {
  const schema = asObject(tools.find(({ name }) => name === call.name)?.schema);
  const properties = asObject(schema.properties);
  const given = parsed(call.arguments);
  const required = asArray(schema.required).map(String);
  const isWhole = required.every((name) => given !== undefined && name in given);
  const isKnown = Object.keys(given ?? {}).every((name) => name in properties);
  if (given === undefined || (isWhole && isKnown)) return call;
  const [meant] = Object.values(given).filter((value) => typeof value === 'string');
  const known = Object.entries(given).filter(([name]) => name in properties);
  const filled = { ...argumentsFor(schema, meant), ...Object.fromEntries(known) };
  return { ...call, arguments: JSON.stringify(filled) };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The required properties, strings filled with `value`; where none is required, the first property. */
export function argumentsFor(schema: unknown, value: string | undefined): JsonObject {
  return objectFor(asObject(schema), value, 0);
}

const DEEPEST = 4;

function objectFor(schema: JsonObject, value: string | undefined, depth: number): JsonObject {
  const properties = asObject(schema.properties);
  const required = asArray(schema.required).filter((name) => typeof name === 'string');
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(
    names.map((name) => [name, valueFor(asObject(properties[name]), value, depth + 1)]),
  );
}

function valueFor(schema: JsonObject, value: string | undefined, depth: number): unknown {
  if (schema.const !== undefined) return schema.const;
  const [first] = asArray(schema.enum);
  if (first !== undefined) return first;
  if (schema.default !== undefined) return schema.default;
  const [choice] = asArray(schema.anyOf ?? schema.oneOf);
  if (choice !== undefined && depth < DEEPEST) return valueFor(asObject(choice), value, depth + 1);
  const type = asString(schema.type) ?? asString(asArray(schema.type)[0]) ?? 'string';
  switch (type) {
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return depth < DEEPEST ? [valueFor(asObject(schema.items), value, depth + 1)] : [];
    case 'object':
      return depth < DEEPEST ? objectFor(schema, value, depth) : {};
    default:
      return value ?? 'value';
  }
}
