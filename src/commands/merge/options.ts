import { HarnessError } from '../../errors.ts';

export interface MergeOptions {
  /** CSV files of the shards. */
  readonly shards: readonly string[];
  /** Folder of the merged run; undefined: where runs are. */
  readonly out: string | undefined;
  readonly name: string | undefined;
  /** Accepts shards with failed cells. */
  readonly allowFailed: boolean;
  readonly json: boolean;
}

/** Throws HarnessError `usage` where no shard is named, or an option is given twice. */
export function mergeOptions(
  shards: readonly string[],
  parsed: Readonly<Record<string, unknown>>,
): MergeOptions {
  if (shards.length === 0) {
    const message = 'no shard is named: give the CSV files of all shards of a sweep';
    throw new HarnessError('usage', message);
  }
  return {
    shards,
    out: word('out', parsed.out),
    name: word('name', parsed.name),
    allowFailed: parsed.allowFailed === true,
    json: parsed.json === true,
  };
}

function word(option: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new HarnessError('usage', `--${option} was given more than once: give it once`);
}
