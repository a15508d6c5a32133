import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { Redis } from 'ioredis';

/** The `redis-server` of this machine; undefined where it has none. */
export const redisProgram = (process.env.PATH ?? '')
  .split(delimiter)
  .concat('/usr/bin')
  .map((folder) => join(folder, 'redis-server'))
  .find(existsSync);

/** A Redis of the test's own that keeps what it was told over a restart. */
export class TestRedis {
  readonly port: number;
  readonly url: string;
  readonly #folder: string;
  readonly #password: string | undefined;
  #process: ChildProcess | undefined;

  private constructor(port: number, folder: string, password: string | undefined) {
    this.port = port;
    this.#folder = folder;
    this.#password = password;
    this.url = `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`;
  }

  static async start(folder: string, password?: string): Promise<TestRedis> {
    const redis = new TestRedis(await freePort(), folder, password);
    await redis.start();
    return redis;
  }

  async start(): Promise<void> {
    const words = ['--port', String(this.port), '--dir', this.#folder, '--save', ''];
    words.push('--appendonly', 'yes', '--appendfsync', 'always', '--bind', '127.0.0.1');
    if (this.#password !== undefined) words.push('--requirepass', this.#password);
    this.#process = spawn(redisProgram ?? '', words, { stdio: 'ignore' });
    await this.with((client) => client.ping());
  }

  async stop(): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null) return;
    const closed = once(child, 'close');
    child.kill('SIGTERM');
    await closed;
  }

  /** Everything that it was ever told to keep. */
  written(): string {
    const names = readdirSync(this.#folder, { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => name.endsWith('.aof'));
    return files.map((name) => readFileSync(join(this.#folder, name), 'latin1')).join('');
  }

  async with<T>(ask: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
    client.on('error', () => {});
    try {
      return await ask(client);
    } finally {
      client.disconnect();
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
