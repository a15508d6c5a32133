import { z } from 'zod';

/** One setting of a component, for the documentation. */
export interface ConfigKey {
  /** Dotted path inside of the component's block. */
  readonly path: string;
  /** The default as JSON; `none` where there is none, `required` where one must be given. */
  readonly fallback: string;
  /** What values it takes, in words. */
  readonly accepts: string;
  readonly meaning: string;
}

/** The part of a JSON schema that zod writes for settings. */
const jsonSchema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  anyOf: z.array(z.looseObject({ type: z.string().optional() })).optional(),
  default: z.unknown().optional(),
  description: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  format: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  required: z.array(z.string()).optional(),
});
type JsonSchema = z.output<typeof jsonSchema>;

/** Every single setting of a schema, in the order of its declaration. */
export function configKeys(schema: z.ZodType): ConfigKey[] {
  return keysOf(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), [], false);
}

function keysOf(value: unknown, path: readonly string[], isRequired: boolean): ConfigKey[] {
  const schema = jsonSchema.parse(value);
  if (schema.properties !== undefined) {
    const required = new Set(schema.required);
    return Object.entries(schema.properties).flatMap(([key, inner]) =>
      keysOf(inner, [...path, key], required.has(key)),
    );
  }
  const missing = isRequired ? 'required' : 'none';
  return [
    {
      path: path.join('.'),
      fallback: schema.default === undefined ? missing : JSON.stringify(schema.default),
      accepts: accepted(schema),
      meaning: schema.description ?? '',
    },
  ];
}

function accepted(schema: JsonSchema): string {
  if (schema.enum !== undefined) return schema.enum.map(String).join(', ');
  if (schema.anyOf !== undefined) {
    return schema.anyOf.map(({ type = 'anything' }) => words[type] ?? type).join(', or ');
  }
  if (schema.format === 'uri') return 'a URL';
  const { type = 'anything', minimum, exclusiveMinimum, maximum } = schema;
  const bounds = [
    minimum === undefined ? '' : `from ${minimum}`,
    exclusiveMinimum === undefined ? '' : `above ${exclusiveMinimum}`,
    maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? '' : `to ${maximum}`,
  ].filter((bound) => bound !== '');
  return [words[type] ?? type, ...bounds].join(' ');
}

const words: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  string: 'a text',
  array: 'a list of texts',
};
