import type { Config } from '../compaction/config.ts';
import type { Shard } from '../sweep/shard.ts';
import { BASELINE } from './defaults.ts';

/** Names up to three configs; a matrix of many is named by its first. */
export function sweepName(configs: readonly Pick<Config, 'name'>[]): string {
  const names = configs.map(({ name }) => name).filter((name) => name !== BASELINE);
  if (names.length === 0) return BASELINE;
  if (names.length <= 3) return names.join('+');
  return `${names[0]}+${names.length - 1}-more`;
}

/** The name with the shard in it, so that the files of all shards can lie in one folder. */
export function nameOfShard(name: string, shard: Shard | undefined): string {
  if (shard === undefined) return name;
  const digits = String(shard.count).length;
  return `${name.slice(0, 60)}-shard-${String(shard.index).padStart(digits, '0')}-of-${shard.count}`;
}
