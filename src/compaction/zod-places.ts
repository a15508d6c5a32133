import { z } from 'zod';
import { nearestName } from '../errors.ts';
import { dotted, type Located, locate } from './located.ts';
import { type Problems, shown } from './problems.ts';

/** Adds what a schema found wrong with `node`, each at the place where it was written. */
export function addIssues(
  error: z.ZodError,
  schema: z.ZodType,
  node: Located,
  problems: Problems,
): void {
  for (const issue of error.issues) {
    const { node: found, missing } = locate(node, issue.path);
    const expectedSchema = schemaAt(schema, issue.path);
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) addUnknownKey(key, found, keysOf(expectedSchema), problems);
      continue;
    }
    const key = dotted(found.at.key, missing);
    const expected =
      (issue.code === 'custom' ? undefined : describeSchema(expectedSchema, issue.code)) ??
      issue.message;
    const what = missing.length > 0 ? 'nothing' : describeFound(found, expectedSchema);
    problems.add(
      'config.value',
      `${key}: found ${what}, expected ${expected}${suggestion(found, expectedSchema)}`,
      missing.length > 0 ? { ...found.at, key } : found.at,
    );
  }
}

function addUnknownKey(
  key: string,
  parent: Located,
  known: readonly string[],
  problems: Problems,
): void {
  const entry = parent.kind === 'map' ? parent.entries.get(key) : undefined;
  const full = dotted(parent.at.key, [key]);
  const at = entry?.keyAt ?? { ...parent.at, key: full };
  problems.add('config.key', unknownKeyMessage(full, key, known), at);
}

/** `unknown key "a.kep_last"; did you mean "keep_last"? Keys here: …` */
function unknownKeyMessage(full: string, key: string, known: readonly string[]): string {
  const near = nearestName(key, known);
  const hint = near === undefined ? '' : `; did you mean "${near}"?`;
  return `unknown key ${shown(full)}${hint === '' ? '.' : hint} Keys here: ${known.join(', ')}`;
}

/** Keys of a mapping's schema in the order of its declaration; none for anything else. */
export function keysOf(schema: z.ZodType | undefined): string[] {
  const inner = unwrap(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Paths of all settings that are single values: `[['keep_last'], ['trigger', 'min_messages'], …]`. */
export function leafPaths(schema: z.ZodType | undefined): string[][] {
  const inner = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) return [[]];
  return Object.keys(inner.shape).flatMap((key) =>
    leafPaths(schemaAt(inner, [key])).map((rest) => [key, ...rest]),
  );
}

function schemaAt(
  schema: z.ZodType | undefined,
  path: readonly PropertyKey[],
): z.ZodType | undefined {
  const [step, ...rest] = path;
  const inner = unwrap(schema);
  if (step === undefined) return inner;
  if (inner instanceof z.ZodObject) {
    const name = String(step);
    return Object.hasOwn(inner.shape, name)
      ? schemaAt(asSchema(inner.shape[name]), rest)
      : undefined;
  }
  if (inner instanceof z.ZodArray) return schemaAt(asSchema(inner.element), rest);
  if (inner instanceof z.ZodRecord) return schemaAt(asSchema(inner.valueType), rest);
  return undefined;
}

/** The schema under defaults and options. */
function unwrap(schema: z.ZodType | undefined): z.ZodType | undefined {
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable
  ) {
    return unwrap(asSchema(schema.unwrap()));
  }
  if (schema instanceof z.ZodPipe) return unwrap(asSchema(schema.in));
  return schema;
}

function asSchema(value: unknown): z.ZodType | undefined {
  return value instanceof z.ZodType ? value : undefined;
}

/** What a schema accepts, in words; undefined where only the schema's own message can say it. */
function describeSchema(
  schema: z.ZodType | undefined,
  issue: string | undefined,
): string | undefined {
  if (schema instanceof z.ZodEnum) return `one of ${schema.options.join(', ')}`;
  if (schema instanceof z.ZodNumber) return describeNumber(schema, issue);
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodURL) return 'a URL such as http://localhost:8080';
  if (schema instanceof z.ZodString) return 'a text that is not empty';
  if (schema instanceof z.ZodArray) return 'a list';
  if (schema instanceof z.ZodRecord) return 'a mapping';
  if (schema instanceof z.ZodObject) return `a mapping with keys from ${keysOf(schema).join(', ')}`;
  return undefined;
}

/** What `z.int()` allows anyway, so no bound worth telling. */
const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER;

function describeNumber(schema: z.ZodNumber, issue: string | undefined): string {
  const whole = schema.format?.includes('int') === true;
  const limits = [
    schema.minValue !== null && schema.minValue > Number.MIN_SAFE_INTEGER
      ? `at least ${schema.minValue}`
      : undefined,
    schema.maxValue !== null && (schema.maxValue < LARGEST_INTEGER || issue === 'too_big')
      ? `at most ${schema.maxValue}`
      : undefined,
  ].filter((limit) => limit !== undefined);
  const bounds = limits.length === 0 ? '' : `, ${limits.join(' and ')}`;
  return `${whole ? 'a whole number' : 'a number'}${bounds}`;
}

/** What stands there. A text in the place of a mapping may be an API key, so only its kind is told. */
function describeFound(node: Located, expected: z.ZodType | undefined): string {
  if (node.kind === 'map') return 'a mapping';
  if (node.kind === 'list') return 'a list';
  if (node.value === null) return 'nothing';
  if (isSecret(node)) return '***';
  if (isComposite(expected))
    return typeof node.value === 'string' ? 'a text' : `a ${typeof node.value}`;
  return typeof node.value === 'string' ? shown(node.value) : String(node.value);
}

function isComposite(schema: z.ZodType | undefined): boolean {
  return (
    schema instanceof z.ZodObject || schema instanceof z.ZodArray || schema instanceof z.ZodRecord
  );
}

/** Connection data of a model: a key pasted one line too low or too high must not be shown either. */
function isSecret(node: Located): boolean {
  return /(?:^|[._])(?:api_?key|auth|base_url)$/i.test(node.at.key ?? '');
}

function suggestion(node: Located, expected: z.ZodType | undefined): string {
  if (!(expected instanceof z.ZodEnum) || node.kind !== 'scalar') return '';
  if (typeof node.value !== 'string') return '';
  const near = nearestName(node.value, expected.options.map(String));
  return near === undefined ? '' : `; did you mean "${near}"?`;
}
