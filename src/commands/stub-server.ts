/** `stub-server`: serves the stub models over HTTP until it is stopped. */
import { HarnessError } from '../errors.ts';
import { type StubName, stubNames } from '../model/stub.ts';
import { visible } from '../text/visible.ts';
import type { Environment, ExitCode } from './environment.ts';
import { MISBEHAVE_HEADER, parseMisbehaviour } from './stub-server/misbehaviour.ts';
import type { SeenRequest } from './stub-server/seen.ts';
import { type StubServer, startStubServer } from './stub-server/server.ts';

export interface StubServerCommandOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly model: StubName;
  readonly key: string | undefined;
  /** Script of misbehaviour, e.g. `429:2,drop`. */
  readonly fail: string | undefined;
  readonly promptCache: boolean;
}

/** @throws HarnessError `usage` */
export function stubServerOptions(
  options: Readonly<Record<string, unknown>>,
): StubServerCommandOptions {
  const { port = 0, model = 'stub', key, fail } = options;
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535) {
    throw new HarnessError('usage', `--port ${port}: expected a number from 0 (any) to 65535`);
  }
  const name = stubNames.find((known) => known === model);
  if (name === undefined) {
    throw new HarnessError('usage', `--model ${model}: expected one of ${stubNames.join(', ')}`);
  }
  return {
    port: number,
    model: name,
    key: key === undefined ? undefined : String(key),
    fail: fail === undefined ? undefined : String(fail),
    promptCache: options.promptCache === true,
  };
}

/** Rejects with HarnessError `usage` where the port is taken or the script cannot be read. */
export async function stubServer(
  options: StubServerCommandOptions,
  { stdout, stderr, signal }: Environment,
): Promise<ExitCode> {
  const { port, model, key, fail, promptCache } = options;
  const server = await startStubServer({
    port,
    model,
    promptCache,
    misbehave: fail === undefined ? [] : parseMisbehaviour(fail),
    onEnd: (seen) => stderr.write(`${describe(seen)}\n`),
    ...(key === undefined ? {} : { key }),
  });
  stdout.write(`${introduction(server, model, key !== undefined)}\n`);
  if (!signal.aborted) {
    await new Promise((stopped) => signal.addEventListener('abort', stopped, { once: true }));
  }
  await server.close();
  stderr.write(`stopped after ${server.seen.length} requests\n`);
  return 0;
}

function introduction({ url }: StubServer, model: StubName, needsKey: boolean): string {
  const key = needsKey ? 'the key given with --key' : 'any key';
  return [
    `The model ${model} is served on ${url} (Ctrl-C ends it). Point a client to it, with ${key}:`,
    '',
    `  ANTHROPIC_BASE_URL=${url}       POST ${url}/v1/messages`,
    `  OPENAI_BASE_URL=${url}/v1       POST ${url}/v1/chat/completions`,
    `  CHEAP_MODEL=${model} CHEAP_MODEL_BASE=${url}`,
    '',
    `Header ${MISBEHAVE_HEADER} asks for a misbehaviour: 429:2, 529, slow:500, hang, drop, cut, malformed, …`,
  ].join('\n');
}

function describe({ method, path, status, misbehaviour, aborted }: SeenRequest): string {
  const asked = misbehaviour === 'ok' ? '' : ` (${misbehaviour})`;
  const end = aborted ? `${status ?? 'no answer'}, not taken whole` : String(status);
  return `${visible(`${method} ${path}`)} → ${end}${asked}`;
}
