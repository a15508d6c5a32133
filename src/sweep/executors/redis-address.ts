import { HarnessError } from '../../errors.ts';

/** Where a Redis is. `shown` is what messages may say of it: never its user or password. */
export interface RedisAddress {
  readonly url: string;
  readonly shown: string;
  /** The password in the address; to be kept out of everything that is written. */
  readonly password: string | undefined;
}

/** Reads `redis://[user:password@]host[:port][/db]`, or `rediss://` for TLS. Throws HarnessError `usage`. */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isRedis = url?.protocol === 'redis:' || url?.protocol === 'rediss:';
  if (url === undefined || !isRedis || url.hostname === '' || !/^(?:\/\d*)?$/.test(url.pathname)) {
    // Not shown: what is no address may still hold a password.
    const message =
      'the address of the Redis cannot be read, expected redis://[user:password@]host[:port][/db], or rediss:// for TLS';
    throw new HarnessError('usage', message);
  }
  const port = url.port === '' ? '6379' : url.port;
  const password = url.password === '' ? undefined : decoded(url.password);
  return { url: text, shown: `${url.hostname}:${port}`, password };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
