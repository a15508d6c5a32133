import { HarnessError } from '../../errors.ts';
import { formats } from '../../recordings/formats/catalog.ts';
import type { ReadOptions } from '../../recordings/read.ts';
import { oneOf } from '../option-values.ts';

export interface ImportOptions {
  /** Files, folders, globs. */
  readonly patterns: readonly string[];
  readonly format: NonNullable<ReadOptions['format']>;
  /** Shows what is there and writes nothing. */
  readonly list: boolean;
  /** Also what became of the records of each file. */
  readonly loss: boolean;
  readonly out: string | undefined;
  readonly redact: boolean;
  /** Home directories and names of users too. */
  readonly redactHome: boolean;
  /** File with the key of the placeholders. */
  readonly redactKey: string | undefined;
  readonly force: boolean;
  readonly json: boolean;
}

/** @throws HarnessError `usage` */
export function importOptions(
  words: readonly string[],
  options: Readonly<Record<string, unknown>>,
): ImportOptions {
  const list = options.list === true;
  const out = once(options.out);
  const redactKey = once(options.redactKey);
  const redactHome = options.redactHome === true;
  const redact = options.redact === true || redactHome;
  const names = ['auto', ...formats.map(({ name }) => name)] as const;
  if (words.length === 0) throw usage('name the recordings: files, folders or quoted globs');
  if (list && out !== undefined) throw usage('--list writes nothing: leave --out out, or --list');
  if (!list && out === undefined) {
    throw usage('say where to write with --out DIR, or --list to see what is there');
  }
  if (redactKey !== undefined && !redact)
    throw usage('--redact-key has no effect without --redact');
  if (list && redact) throw usage('--redact has no effect with --list, which shows no contents');
  return {
    patterns: words,
    format: oneOf('format', once(options.format) ?? 'auto', names),
    list,
    loss: options.loss === true,
    out,
    redact,
    redactHome,
    redactKey,
    force: options.force === true,
    json: options.json === true,
  };
}

function usage(message: string): HarnessError {
  return new HarnessError('usage', `${message} (npm run import -- --help)`);
}

function once(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw usage('an option was given more than once: give it once');
}
