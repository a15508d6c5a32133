import { HarnessError } from '../errors.ts';
import type { Variables } from '../model/endpoint.ts';
import { parseRedisUrl, type RedisAddress } from '../sweep/executors/redis-address.ts';

/** The Redis of `--redis`, else of `REDIS_URL`, which no list of processes shows. Throws HarnessError `usage`. */
export function redisAddress(given: string | undefined, variables: Variables): RedisAddress {
  const text = given ?? variables.REDIS_URL;
  if (text !== undefined && text !== '') return parseRedisUrl(text);
  const message =
    'no Redis is named: give --redis redis://HOST:6379, or set REDIS_URL (for an address with a password)';
  throw new HarnessError('usage', message);
}
