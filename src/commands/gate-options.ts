import { z } from 'zod';
import { HarnessError } from '../errors.ts';

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

const raw = z.object({
  part: z.enum(['all', 'contract', 'cells']).default('all'),
  runs: z.coerce.number().int().min(1).optional(),
  seed: z.coerce.number().int().optional(),
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
    throw new HarnessError('usage', `--${name} is wrong: ${issue?.message ?? 'not understood'}`);
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
