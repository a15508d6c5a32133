import { HarnessError } from '../errors.ts';
import { oneOf } from './option-values.ts';
import { type OfflineMode, offlineModes } from './sweep-model-options.ts';
import { sweepOptions } from './sweep-options.ts';

export interface ShowOptions {
  readonly task: string;
  /** Name or file of one config. */
  readonly config: string;
  readonly sets: readonly string[];
  /** Undefined: the page of the whole cell. */
  readonly request: number | undefined;
  /** `M` or `M.B`: only this message, or block of it. */
  readonly block: string | undefined;
  /** Empty: the project's own fixtures. */
  readonly transcripts: readonly string[];
  readonly trial: string | undefined;
  readonly lineage: string | undefined;
  readonly model: OfflineMode;
  readonly expand: boolean;
  /** Whether secrets of common kinds are replaced. */
  readonly redact: boolean;
  readonly json: boolean;
}

/**
 * Checks what the command line gave. Throws HarnessError `usage` for an option that is given twice, is missing
 * or has a wrong value.
 */
export function showOptions(task: string, parsed: Readonly<Record<string, unknown>>): ShowOptions {
  const { request, block, trial, lineage, redact, ...rest } = parsed;
  // What both commands have is checked as for a sweep.
  const { configs, sets, transcripts, model, expand, json } = sweepOptions(rest);
  const [config, ...others] = configs;
  if (config === undefined || others.length > 0) {
    const found = config === undefined ? 'is missing' : `names ${configs.length} configs`;
    const message = `--config ${found}: give one, e.g. --config cg-summarize`;
    throw new HarnessError('usage', message);
  }
  const number = one('request', request);
  if (number !== undefined && !/^\d{1,9}$/.test(number)) {
    const message = `--request is '${number}', expected the number of a request, from 0`;
    throw new HarnessError('usage', message);
  }
  const named = one('block', block);
  if (named !== undefined && number === undefined) {
    const message = '--block names a message of one request: give --request K as well';
    throw new HarnessError('usage', message);
  }
  return {
    task,
    config,
    sets,
    request: number === undefined ? undefined : Number(number),
    block: named,
    transcripts,
    trial: one('trial', trial),
    lineage: one('lineage', lineage),
    model: oneOf('model', model, offlineModes),
    expand,
    redact: redact !== false,
    json,
  };
}

function one(option: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new HarnessError('usage', `--${option} was given more than once: give it once`);
}
