import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { formats } from '../recordings/formats/catalog.ts';
import type { ReadOptions } from '../recordings/read.ts';
import { parseShard, type Shard } from '../sweep/shard.ts';
import { tokenizerNames } from '../text/tokens.ts';
import { oneOf, positive } from './option-values.ts';
import {
  type ExecutorOptions,
  executorOptions,
  rawExecutorOptions,
} from './sweep-executor-options.ts';
import { type ModelOptions, modelOptions, rawModelOptions } from './sweep-model-options.ts';

export interface SweepOptions extends ModelOptions, ExecutorOptions {
  /** Values of `--config`; empty when none was given. */
  readonly configs: readonly string[];
  readonly sets: readonly string[];
  /** Empty: the project's own fixtures. */
  readonly transcripts: readonly string[];
  readonly format: NonNullable<ReadOptions['format']>;
  readonly assumeModel: string | undefined;
  readonly tokenizer: (typeof tokenizerNames)[number];
  /** Undefined: one for each processor, with workers as many as are good. */
  readonly jobs: number | undefined;
  readonly samples: number;
  readonly guard: boolean;
  /** Whether the agent has the expand tool. */
  readonly expand: boolean;
  /** Adds the controls to every config. */
  readonly controls: boolean;
  /** The part of the transcripts to run; undefined: all. */
  readonly shard: Shard | undefined;
  /** `true`: the newest run with the same selection; a path: that run. */
  readonly resume: string | boolean;
  readonly out: string | undefined;
  readonly name: string | undefined;
  readonly list: boolean;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const words = z
  .union([z.string(), z.array(z.string())])
  .default([])
  .transform((value) => [value].flat());

const raw = z.object({
  config: words,
  set: words,
  transcripts: words,
  format: z.string().default('auto'),
  ...rawModelOptions,
  ...rawExecutorOptions,
  assumeModel: z.string().optional(),
  tokenizer: z.string().default('o200k_base'),
  jobs: z.string().optional(),
  samples: z.string().default('1'),
  guard: z.boolean().default(true),
  expand: z.string().default('off'),
  controls: z.boolean().default(false),
  shard: z.string().optional(),
  resume: z.union([z.boolean(), z.string()]).default(false),
  out: z.string().optional(),
  name: z.string().optional(),
  list: z.boolean().default(false),
  dryRun: z.boolean().default(false),
  json: z.boolean().default(false),
});

/**
 * Checks what the command line gave. Throws HarnessError `usage` for an option that is given twice or
 * has a wrong value.
 */
export function sweepOptions(parsed: Readonly<Record<string, unknown>>): SweepOptions {
  const result = raw.safeParse(parsed);
  if (!result.success) {
    const [issue] = result.error.issues;
    const name = dashed(String(issue?.path[0] ?? ''));
    const given = Array.isArray(parsed[String(issue?.path[0])])
      ? 'was given more than once'
      : 'is wrong';
    throw new HarnessError('usage', `--${name} ${given}: give it once, with one value`);
  }
  const { config, set, guard, ...rest } = result.data;
  const models = modelOptions(rest);
  return {
    ...rest,
    assumeModel: rest.assumeModel,
    out: rest.out,
    name: rest.name,
    configs: config.flatMap((value) => value.split(',')).filter((name) => name !== ''),
    sets: set,
    guard,
    expand: oneOf('expand', rest.expand, ['on', 'off']) === 'on',
    format: oneOf('format', rest.format, ['auto', ...formats.map(({ name }) => name)]),
    ...models,
    ...executorOptions(rest, models),
    tokenizer: oneOf('tokenizer', rest.tokenizer, tokenizerNames),
    jobs: rest.jobs === undefined ? undefined : positive('jobs', rest.jobs),
    samples: positive('samples', rest.samples),
    shard: rest.shard === undefined ? undefined : parseShard(rest.shard),
  };
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
