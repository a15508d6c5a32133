import { Redis } from 'ioredis';
import { HarnessError, messageOf } from '../../errors.ts';

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

/** Longest wait between two attempts to connect, in milliseconds. */
const LONGEST_WAIT = 2000;

/** Answers of a Redis that another attempt will not change. */
const REFUSED = /WRONGPASS|NOAUTH|NOPERM|invalid password|without any password/i;

/**
 * Connections to one Redis that outlive its restarts: what is asked meanwhile waits. Each outage is told once,
 * and its end.
 */
export class RedisLink {
  readonly address: RedisAddress;
  readonly #say: (line: string) => void;
  readonly #open = new Set<Redis>();
  #isDown = false;
  #refused: (error: HarnessError) => void = () => {};

  constructor(address: RedisAddress, say: (line: string) => void) {
    this.address = address;
    this.#say = say;
  }

  /** A connection that is there. Rejects with `redis.refused`, or with the reason of `stop`. */
  async connect(stop: AbortSignal): Promise<Redis> {
    const redis = new Redis(this.address.url, {
      maxRetriesPerRequest: null,
      keepAlive: 10_000,
      retryStrategy: (attempt) => Math.min(100 * attempt, LONGEST_WAIT),
    });
    this.#open.add(redis);
    redis.on('error', (error) => this.note(error));
    redis.on('ready', () => this.#up());
    const ended = new Promise<never>((_, reject) => {
      this.#refused = reject;
      if (stop.aborted) reject(stop.reason);
      stop.addEventListener('abort', () => reject(stop.reason), { once: true });
    });
    // Later refusals end what is asked, not the process.
    ended.catch(() => {});
    await Promise.race([redis.ping(), ended]);
    return redis;
  }

  /** Tells of an error of a connection, once for each outage. */
  note(error: unknown): void {
    const text = this.#clean(messageOf(error));
    if (REFUSED.test(text)) {
      const message = `the Redis at ${this.address.shown} refuses the connection (${text}); check user and password of its address`;
      this.#refused(new HarnessError('redis.refused', message));
      return;
    }
    if (this.#isDown) return;
    this.#isDown = true;
    this.#say(`the Redis at ${this.address.shown} cannot be reached (${text}); trying again`);
  }

  #up(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#say(`the Redis at ${this.address.shown} is there again`);
  }

  /** Tries again what can be asked twice, for a minute. Rejects with `redis.refused`. */
  async retrying<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask();
      } catch (error) {
        const text = this.#clean(messageOf(error));
        if (attempt === MOST_ATTEMPTS || REFUSED.test(text)) {
          const message = `the Redis at ${this.address.shown} does not do what is asked: ${text}`;
          throw new HarnessError('redis.refused', message, { cause: error });
        }
        if (attempt === 1) {
          this.#say(`the Redis at ${this.address.shown} did not answer (${text}); trying again`);
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT));
      }
    }
  }

  #clean(text: string): string {
    const { password } = this.address;
    const line = text.replace(/\s+/g, ' ').trim() || 'no connection';
    return password === undefined ? line : line.replaceAll(password, '[redacted]');
  }

  close(): void {
    for (const redis of this.#open) redis.disconnect();
  }
}

const RETRY_WAIT = 1000;
const MOST_ATTEMPTS = 60;
