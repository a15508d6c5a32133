import { z } from 'zod';
import { HarnessError, nearestName } from '../errors.ts';
import { stubNames } from '../model/stub.ts';
import { formats } from '../recordings/formats/catalog.ts';
import type { ReadOptions } from '../recordings/read.ts';
import { tokenizerNames } from '../text/tokens.ts';

/** Modes of `--model` that this version has. */
export const modelModes = [...stubNames, 'none'] as const;
export type ModelMode = (typeof modelModes)[number];

/** Modes that the design has and this version does not. */
const LATER_MODES = ['live', 'record', 'replay'];

export interface SweepOptions {
  /** Values of `--config`; empty when none was given. */
  readonly configs: readonly string[];
  readonly sets: readonly string[];
  /** Empty: the project's own fixtures. */
  readonly transcripts: readonly string[];
  readonly format: NonNullable<ReadOptions['format']>;
  readonly model: ModelMode;
  readonly assumeModel: string | undefined;
  readonly tokenizer: (typeof tokenizerNames)[number];
  /** Undefined: one for each processor. */
  readonly jobs: number | undefined;
  readonly samples: number;
  readonly guard: boolean;
  /** Whether the agent has the expand tool. */
  readonly expand: boolean;
  /** Adds the controls to every config. */
  readonly controls: boolean;
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
  model: z.string().default('stub'),
  assumeModel: z.string().optional(),
  tokenizer: z.string().default('o200k_base'),
  jobs: z.string().optional(),
  samples: z.string().default('1'),
  guard: z.boolean().default(true),
  expand: z.string().default('off'),
  controls: z.boolean().default(false),
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
    model: modelMode(rest.model),
    tokenizer: oneOf('tokenizer', rest.tokenizer, tokenizerNames),
    jobs: rest.jobs === undefined ? undefined : positive('jobs', rest.jobs),
    samples: positive('samples', rest.samples),
  };
}

function modelMode(value: string): ModelMode {
  if (LATER_MODES.includes(value)) {
    const message = `--model ${value} is not in this version; use one of ${modelModes.join(', ')}`;
    throw new HarnessError('usage', message);
  }
  return oneOf('model', value, modelModes);
}

function oneOf<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const begun = choices.find((choice) => choice.startsWith(value));
  const nearest = begun ?? nearestName(value, choices);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  const message = `--${option} is '${value}', expected one of ${choices.join(', ')}${hint}`;
  throw new HarnessError('usage', message);
}

function positive(option: string, value: string): number {
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new HarnessError('usage', `--${option} is '${value}', expected a whole number from 1`);
}

function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
