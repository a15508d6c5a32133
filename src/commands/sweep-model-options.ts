import { z } from 'zod';
import { HarnessError } from '../errors.ts';
import { stubNames } from '../model/stub.ts';
import { decimal, oneOf, positive } from './option-values.ts';

/** Modes of `--model` that need no network and no cassette. */
export const offlineModes = [...stubNames, 'none'] as const;
export type OfflineMode = (typeof offlineModes)[number];

/** All modes of `--model` of a sweep. */
export const modelModes = [...offlineModes, 'live', 'record', 'replay'] as const;
export type ModelMode = (typeof modelModes)[number];

/** What a call becomes that a cassette does not hold. */
export const missRules = ['error', 'live', 'stub', 'skip'] as const;
export type MissRule = (typeof missRules)[number];

/** Calls at once to one endpoint. */
const DEFAULT_CONCURRENCY = 4;

/** Whom components ask, and what it may cost. */
export interface ModelOptions {
  readonly model: ModelMode;
  /** Given with `record` and `replay`, and only then. */
  readonly cassette: string | undefined;
  readonly onMiss: MissRule;
  /** Calls at once to one endpoint. */
  readonly concurrency: number;
  /** USD; undefined: no limit. */
  readonly maxUsd: number | undefined;
  /** Price table of the user's. */
  readonly prices: string | undefined;
  /** Requests that are sampled of each cell for next-action agreement; 0: not measured. */
  readonly agreement: number;
  /** Dropped spans of each cell that are asked about; 0: not measured. */
  readonly probes: number;
  readonly agreementSeed: number;
}

export const rawModelOptions = {
  model: z.string().default('stub'),
  cassette: z.string().optional(),
  onMiss: z.string().optional(),
  concurrency: z.string().optional(),
  maxUsd: z.string().optional(),
  prices: z.string().optional(),
  agreement: z.string().optional(),
  probes: z.string().optional(),
  agreementSeed: z.string().optional(),
};

type Raw = z.output<z.ZodObject<typeof rawModelOptions>>;

/** Throws HarnessError `usage` for a wrong value, and for an option that has no effect in this mode. */
export function modelOptions(raw: Raw): ModelOptions {
  const model = oneOf('model', raw.model, modelModes);
  const options: ModelOptions = {
    model,
    cassette: raw.cassette,
    onMiss: raw.onMiss === undefined ? 'error' : oneOf('on-miss', raw.onMiss, missRules),
    concurrency:
      raw.concurrency === undefined
        ? DEFAULT_CONCURRENCY
        : positive('concurrency', raw.concurrency),
    maxUsd: raw.maxUsd === undefined ? undefined : decimal('max-usd', raw.maxUsd),
    prices: raw.prices,
    agreement: raw.agreement === undefined ? 0 : whole('agreement', raw.agreement),
    probes: raw.probes === undefined ? 0 : whole('probes', raw.probes),
    agreementSeed: raw.agreementSeed === undefined ? 0 : whole('agreement-seed', raw.agreementSeed),
  };
  checkCassette(options, raw);
  checkPaid(options, raw);
  checkTurns(options, raw);
  return options;
}

/** True where a call can reach a provider. */
export function callsProviders({ model, onMiss }: Pick<ModelOptions, 'model' | 'onMiss'>): boolean {
  return model === 'live' || model === 'record' || (model === 'replay' && onMiss === 'live');
}

function checkCassette({ model, cassette }: ModelOptions, raw: Raw): void {
  const usesCassette = model === 'record' || model === 'replay';
  if (usesCassette && cassette === undefined) {
    const message = `--model ${model} needs the file of the answers: give --cassette FILE`;
    throw new HarnessError('usage', message);
  }
  if (!usesCassette && cassette !== undefined) {
    const message = `--cassette has no effect under --model ${model}: give --model record or --model replay`;
    throw new HarnessError('usage', message);
  }
  if (model !== 'replay' && raw.onMiss !== undefined) {
    const message = `--on-miss says what becomes of a call that a cassette does not hold: it needs --model replay, not ${model}`;
    throw new HarnessError('usage', message);
  }
}

function checkPaid(options: ModelOptions, raw: Raw): void {
  if (callsProviders(options)) return;
  const given = raw.maxUsd !== undefined ? 'max-usd' : 'concurrency';
  if (raw.maxUsd === undefined && raw.concurrency === undefined) return;
  const { model, onMiss } = options;
  const mode = model === 'replay' ? `replay --on-miss ${onMiss}` : model;
  const message = `--${given} has no effect under --model ${mode}, which asks no provider: leave it out, or give --model live, record, or replay --on-miss live`;
  throw new HarnessError('usage', message);
}

function checkTurns({ model, agreement, probes }: ModelOptions, raw: Raw): void {
  const isAsked = agreement > 0 || probes > 0;
  if (isAsked && model === 'none') {
    const option = agreement > 0 ? 'agreement' : 'probes';
    const message = `--${option} asks a model, and --model none has none: give --model stub, live, record or replay`;
    throw new HarnessError('usage', message);
  }
  if (!isAsked && raw.agreementSeed !== undefined) {
    const message = '--agreement-seed has no effect without --agreement N or --probes N';
    throw new HarnessError('usage', message);
  }
}

function whole(option: string, value: string): number {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw new HarnessError('usage', `--${option} is '${value}', expected a whole number from 0`);
}
