import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { oneOf, positive } from './option-values.ts';

export interface GateOptions {
  readonly part: 'all' | 'contract' | 'cells';
  readonly runs: number | undefined;
  readonly seed: number | undefined;
  readonly component: string | undefined;
  readonly configs: readonly string[];
  readonly dialects: readonly string[];
  readonly transcripts: readonly string[];
  readonly snapshot: string | undefined;
  readonly update: boolean;
  readonly strict: boolean;
  readonly junit: string | undefined;
  readonly github: boolean;
  readonly json: boolean;
}

const words = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((value) => [value].flat());

const PARTS = ['all', 'contract', 'cells'] as const;

const raw = z.object({
  part: z
    .string()
    .optional()
    .transform((value = 'all') => oneOf('part', value, PARTS)),
  runs: z
    .string()
    .transform((value) => positive('runs', value))
    .optional(),
  seed: z
    .string()
    .transform((value) => wholeNumber('seed', value))
    .optional(),
  component: z.string().optional(),
  config: words,
  dialect: words,
  transcripts: words,
  snapshot: z.string().optional(),
  update: z.boolean().default(false),
  strict: z.boolean().default(false),
  junit: z.string().optional(),
  github: z.boolean().default(false),
  json: z.boolean().default(false),
});

/** Throws HarnessError `usage` for an option that is given twice or has a wrong value. */
export function gateOptions(parsed: Readonly<Record<string, unknown>>): GateOptions {
  const result = raw.safeParse(parsed);
  if (!result.success) {
    const [issue] = result.error.issues;
    const name = String(issue?.path[0] ?? '');
    const isRepeated = Array.isArray(parsed[name]);
    const what = isRepeated ? 'given several times, expected once' : issue?.message;
    throw new HarnessError('usage', `--${name} is wrong: ${what ?? 'not understood'}`);
  }
  const { config, dialect, runs, seed, component, snapshot, junit, ...rest } = result.data;
  const split = (values: readonly string[]) => values.flatMap((value) => value.split(','));
  return {
    ...rest,
    runs,
    seed,
    component,
    snapshot,
    junit,
    configs: split(config),
    dialects: split(dialect),
  };
}

function wholeNumber(option: string, value: string): number {
  if (/^-?\d{1,10}$/.test(value)) return Number(value);
  throw new HarnessError('usage', `--${option} is '${value}', expected a whole number`);
}
