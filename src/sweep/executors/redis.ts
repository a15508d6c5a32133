import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { HarnessError, messageOf } from '../../errors.ts';
import type { RedisAddress } from './redis-address.ts';

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
    try {
      await unlessAborted(redis.ping(), stop);
    } catch (error) {
      stop.throwIfAborted();
      throw this.#refusal(error);
    }
    return redis;
  }

  /** Tells of an error of a connection, once for each outage. */
  note(error: unknown): void {
    if (this.#isDown) return;
    const text = this.#clean(messageOf(error));
    // Whoever asks is told.
    if (REFUSED.test(text)) return;
    this.#isDown = true;
    this.#say(`the Redis at ${this.address.shown} cannot be reached (${text}); trying again`);
  }

  #refusal(error: unknown): HarnessError {
    const text = this.#clean(messageOf(error));
    const hint = REFUSED.test(text) ? '; check user and password of its address' : '';
    const message = `the Redis at ${this.address.shown} refuses what is asked: ${text}${hint}`;
    return new HarnessError('redis.refused', message, { cause: error });
  }

  #up(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#say(`the Redis at ${this.address.shown} is there again`);
  }

  /**
   * Tries again what can be asked twice, for a minute of refusals, and waits for a Redis that is away. Rejects with
   * `redis.refused`, or with the reason of `patience` when that aborts.
   */
  async retrying<T>(ask: () => Promise<T>, patience: AbortSignal): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await unlessAborted(ask(), patience);
      } catch (error) {
        patience.throwIfAborted();
        const text = this.#clean(messageOf(error));
        if (attempt === MOST_ATTEMPTS || REFUSED.test(text)) throw this.#refusal(error);
        if (attempt === 1) {
          this.#say(`the Redis at ${this.address.shown} did not answer (${text}); trying again`);
        }
        await sleep(RETRY_WAIT, undefined, { signal: patience });
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

async function unlessAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let abort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
  });
  // What is given up must not end the process when its connection is closed.
  asked.catch(() => {});
  try {
    return await Promise.race([asked, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
