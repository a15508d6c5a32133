import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { type BoundComponent, bindComponent } from '../../src/compaction/bound.ts';
import { external } from '../../src/compaction/external.ts';
import type { ExternalCall } from '../../src/compaction/external-call.ts';
import { externalCalls } from '../../src/compaction/external-host.ts';
import { Lineage, runPipeline } from '../../src/compaction/pipeline.ts';
import { addedViolations, validate } from '../../src/shape/validate.ts';
import type { Message } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { temporaryFolder } from '../support/folder.ts';
import { verdictOf } from '../support/replay-lists.ts';
import {
  type Conversation,
  conversation,
  type WireDialect,
  workSession,
} from '../support/wire-steps.ts';
import { failure, only } from './preset-support.ts';

const folder = temporaryFolder();

/** A program of the test: Node code that has the body as `body` and replies with `reply(value)`. */
function program(code: string): readonly string[] {
  const file = join(folder, `program-${programs++}.mjs`);
  writeFileSync(
    file,
    `import { readFileSync } from 'node:fs';
const text = readFileSync(0, 'utf8');
const body = JSON.parse(text);
const reply = (value) => process.stdout.write(typeof value === 'string' ? value : JSON.stringify(value));
${code}`,
  );
  return ['node', file];
}
let programs = 0;

const variables = { PATH: process.env.PATH, SECRET: 'hidden', GRANTED: 'seen' };
const calls = externalCalls({ folder, variables });

function bound(settings: object): BoundComponent {
  const outcome = bindComponent(external, 'external', settings);
  if (!outcome.ok) throw outcome.error;
  return outcome.bound;
}

const session = (dialect: WireDialect = 'anthropic') =>
  conversation(dialect, workSession(dialect, 4));

/** Runs requests of one lineage through `external`; the shape guard is on. */
async function rewrite(
  settings: object,
  { messages, dialect, table }: Conversation = session(),
  { count = 1, call = calls }: { count?: number; call?: ExternalCall } = {},
) {
  const lineage = new Lineage();
  const errors = (list: readonly Message[]) =>
    validate({ dialect, messages: list, context: {} }).filter(
      ({ severity }) => severity === 'error',
    );
  const verdicts: string[] = [];
  let after = messages;
  for (let index = 0; index < count; index++) {
    const result = await runPipeline(messages, lineage, {
      steps: [bound(settings)],
      dialect: dialectOf(dialect),
      table,
      counting: { tokenizer: 'o200k_base', dialect, thinking: 'all' },
      contextWindow: undefined,
      models: () => undefined,
      sample: 0,
      callExternal: call,
      addedViolations: (before, rewritten) =>
        addedViolations(errors(before), errors(rewritten)).map(({ rule }) => rule),
    });
    const [report] = result.steps;
    if (report !== undefined) verdicts.push(verdictOf(report));
    after = result.messages;
  }
  return { verdict: verdicts[0], verdicts, after, messages };
}

const keepsTail = 'body.messages.splice(1, 2); reply(body);';

describe('a command', () => {
  it.each(['anthropic', 'openai-chat'] as const)(
    'gets the body on stdin and replies it on stdout (%s)',
    async (dialect) => {
      const one = session(dialect);
      const first = dialect === 'anthropic' ? 1 : 2;
      const command = program(`body.messages.splice(${first}, 2); reply(body);`);
      const { verdict, after, messages } = await rewrite({ command }, one);
      expect(verdict).toBe('changed');
      // The kept messages are the recorded objects, with spacing that JSON.stringify has lost.
      const kept = messages.filter((_, index) => index < first || index >= first + 2);
      expect(after).toHaveLength(kept.length);
      for (const [index, message] of after.entries()) expect(message).toBe(kept[index]);
    },
  );

  it('as one text is read by a shell, as a list by none', async () => {
    expect((await rewrite({ command: 'cat | cat' })).verdict).toBe('unchanged');
    expect((await rewrite({ command: ['cat', '|', 'cat'] })).verdict).toBe('external:exit');
  });

  it('sees the variables that are granted to it, and no other', async () => {
    const file = join(folder, 'seen.json');
    const code = `import('node:fs').then(({ writeFileSync }) => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.env)));\nreply(text);`;
    await rewrite({ command: program(code), env: ['GRANTED'] });
    const seen: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect(seen).toMatchObject({ GRANTED: 'seen', PATH: process.env.PATH });
    expect(seen).not.toHaveProperty('SECRET');
  });

  it('may rewrite a message; what it dropped cannot be got back', async () => {
    const code = "body.messages[2].content[0].content = 'short'; reply(body);";
    const { verdict, after, messages } = await rewrite({ command: program(code) });
    expect(verdict).toBe('changed');
    expect(after.filter((message, index) => message !== messages[index])).toHaveLength(1);
    expect(bound({ command: 'cat' }).stashes).toBe(false);
  });

  it.each([
    ['a code that is not 0', { command: program('process.exit(3);') }, 'external:exit'],
    ['a signal', { command: program("process.kill(process.pid, 'SIGKILL');") }, 'external:exit'],
    [
      'a crash after half a reply',
      { command: program('reply(text.slice(0, 90)); throw 1;') },
      'external:exit',
    ],
    ['no program of its name', { command: ['no-such-program-here'] }, 'external:start'],
    ['nothing', { command: program('') }, 'external:reply'],
    ['garbage', { command: program("reply('not json');") }, 'external:reply'],
    ['half a body', { command: program('reply(text.slice(0, -20));') }, 'external:reply'],
    ['a list', { command: program('reply(body.messages);') }, 'external:reply'],
    ['an empty list', { command: program('reply({ messages: [] });') }, 'external:reply'],
    ['messages that are none', { command: program('reply({ messages: [1] });') }, 'external:reply'],
    [
      'bytes that are no text',
      { command: program('process.stdout.write(Buffer.from([0xff, 0xfe]));') },
      'external:reply',
    ],
    [
      'another wire',
      {
        command: program(
          "reply({ messages: [{ role: 'user', content: 'x' }, { role: 'tool', tool_call_id: 'a', content: 'b' }] });",
        ),
      },
      'external:reply',
    ],
    ['the body as it was', { command: program('reply(text);') }, 'unchanged'],
    [
      'the body spelled anew',
      { command: program('reply(JSON.stringify(body, null, 3));') },
      'unchanged',
    ],
    [
      'more than there was',
      { command: program("body.messages[0].content += ' word'.repeat(4000); reply(body);") },
      'grew',
    ],
    [
      'a list without a result',
      { command: program('body.messages.splice(2, 1); reply(body);') },
      'shape:A-PAIR-1',
    ],
    [
      'a list without a call',
      { command: program('body.messages.splice(1, 1); reply(body);') },
      'shape:A-PAIR-2',
    ],
  ])('that replies with %s', async (_, settings, verdict) => {
    const replayed = await rewrite(settings);
    expect(replayed.verdict).toBe(verdict);
    if (verdict !== 'changed') expect(replayed.after).toBe(replayed.messages);
  });

  it('that hangs is killed with all that it started', async () => {
    const file = join(folder, 'alive');
    const child = `setInterval(() => require('node:fs').writeFileSync(${JSON.stringify(file)}, String(Date.now())), 50)`;
    const code = `import('node:child_process').then(({ spawn }) => spawn('node', ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }));\nsetInterval(() => {}, 1000);`;
    const start = performance.now();
    const { verdict } = await rewrite({ command: program(code), timeout: 3 });
    expect(verdict).toBe('external:timeout');
    expect(performance.now() - start).toBeLessThan(15_000);
    await wait(1500);
    const last = readFileSync(file, 'utf8');
    await wait(1000);
    expect(readFileSync(file, 'utf8')).toBe(last);
  });

  it('that does not read its input still replies', async () => {
    mkdirSync(join(folder, 'sub'), { recursive: true });
    const reply = '{"messages":[{"role":"user","content":"all is said"}]}';
    const { verdict, after } = await rewrite({ command: `echo '${reply}'` });
    expect(verdict).toBe('changed');
    expect(after).toHaveLength(1);
  });

  it('that writes a gigabyte is stopped', async () => {
    const code =
      "const chunk = 'x'.repeat(1 << 20); let left = 1024; const more = () => { while (left-- > 0) if (!process.stdout.write(chunk)) return process.stdout.once('drain', more); }; more();";
    const { verdict } = await rewrite({ command: program(code) });
    expect(verdict).toBe('external:too_large');
  });

  it('that fails three times in a row is not asked again in its lineage', async () => {
    const { verdicts } = await rewrite({ command: program('process.exit(1);') }, session(), {
      count: 5,
    });
    expect(verdicts).toEqual([...Array(3).fill('external:exit'), 'failed_before', 'failed_before']);
  });
});

describe('an endpoint', () => {
  const seen: { url: string | undefined; method: string | undefined; body: string }[] = [];
  const server = createServer((request, response) => void serve(request, response));
  const listening = new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    });
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { url = '' } = request;
    seen.push({ url, method: request.method, body });
    if (url.startsWith('/status')) response.writeHead(500).end('{"messages":[]}');
    else if (url.startsWith('/garbage')) response.end('<html>');
    else if (url.startsWith('/drop')) request.socket.destroy();
    else if (url.startsWith('/cut')) {
      response.writeHead(200, { 'content-length': '9999' }).write('{"mess');
      setTimeout(() => response.destroy(), 100);
    } else if (url.startsWith('/slow')) response.write('{');
    else if (url.startsWith('/giant')) giant(response);
    else {
      const parsed = JSON.parse(body);
      parsed.messages.splice(1, url.startsWith('/torn') ? 1 : 2);
      response.end(JSON.stringify(parsed));
    }
  }

  function giant(response: ServerResponse): void {
    const chunk = 'x'.repeat(1 << 20);
    const more = (): void => {
      while (!response.destroyed) {
        if (!response.write(chunk)) {
          response.once('drain', more);
          return;
        }
      }
    };
    more();
  }

  it('gets the body by POST, with the provider in its address', async () => {
    const url = `${await listening}/compact?provider={provider}&wire={dialect}`;
    const { verdict, after, messages } = await rewrite({ url }, session('anthropic'));
    expect(verdict).toBe('changed');
    expect(after).toEqual([messages[0], ...messages.slice(3)]);
    const last = seen.at(-1);
    expect(last).toMatchObject({
      method: 'POST',
      url: '/compact?provider=anthropic&wire=anthropic',
    });
    expect(JSON.parse(last?.body ?? '').messages).toHaveLength(messages.length);
  });

  it.each([
    ['/status', 'external:status'],
    ['/garbage', 'external:reply'],
    ['/drop', 'external:transport'],
    ['/cut', 'external:transport'],
    ['/giant', 'external:too_large'],
    ['/torn', 'shape:A-PAIR-2'],
  ])('%s is %s', async (path, verdict) => {
    const { verdict: found, after, messages } = await rewrite({ url: (await listening) + path });
    expect(found).toBe(verdict);
    expect(after).toBe(messages);
  });

  it('that never ends its answer meets the limit', async () => {
    const start = performance.now();
    const { verdict } = await rewrite({ url: `${await listening}/slow`, timeout: 0.5 });
    expect(verdict).toBe('external:timeout');
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('where nobody listens cannot be reached', async () => {
    expect((await rewrite({ url: 'http://127.0.0.1:1/' })).verdict).toBe('external:transport');
  });
});

describe('the settings', () => {
  it('have the defaults of the design', async () => {
    const config = await only('pipeline: [external]\ncomponents: {external: {command: cat}}');
    expect(config.steps[0]?.settings).toMatchObject({ command: 'cat', timeout: 30, env: [] });
    expect(config.steps[0]?.settings).not.toHaveProperty('dialect');
  });

  it.each([
    ['{}', 'exactly one of command and url'],
    ['{command: cat, url: "http://x/"}', 'exactly one of command and url'],
    ['{command: []}', 'components.external.command'],
    ['{command: 7}', 'a text or a list of texts'],
    ['{url: "ftp://x/"}', 'http or https'],
    ['{url: "http://me:secret@x/"}', 'without credentials'],
    ['{command: cat, timeout: 0}', 'components.external.timeout'],
    ['{command: cat, timeout: 601}', 'at most 600'],
    ['{command: cat, dialect: claude}', 'one of anthropic, openai-chat'],
  ])('%s is an error', async (block, said) => {
    const error = await failure({
      inline: `pipeline: [external]\ncomponents: {external: ${block}}`,
    });
    expect(error.message).toContain(said);
    expect(error.message).not.toContain('secret');
  });

  it('dialect skips requests of another wire', async () => {
    const settings = { command: program(keepsTail), dialect: 'anthropic' };
    expect((await rewrite(settings, session('openai-chat'))).verdict).toBe('dialect');
    expect((await rewrite(settings, session('anthropic'))).verdict).toBe('changed');
  });

  it('trigger skips small requests', async () => {
    const settings = { command: 'cat', trigger: { min_messages: 100 } };
    expect((await rewrite(settings)).verdict).toBe('trigger:min_messages');
  });

  it('without a host that grants calls it is skipped', async () => {
    const { messages, table } = session();
    const { steps } = await runPipeline(messages, new Lineage(), {
      steps: [bound({ command: 'cat' })],
      dialect: dialectOf('anthropic'),
      table,
      counting: { tokenizer: 'o200k_base', dialect: 'anthropic', thinking: 'all' },
      contextWindow: undefined,
      models: () => undefined,
      sample: 0,
    });
    expect(steps[0]).toMatchObject({ kind: 'skipped', gate: 'no_external_calls' });
  });
});
