import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fixtureTasks } from '../../src/commands/fixtures/catalog.ts';
import { type RecordFixturesResult, recordFixtures } from '../../src/commands/record-fixtures.ts';
import { containsIdentifier, identifiersIn } from '../../src/text/identifiers.ts';
import { countTokens } from '../../src/text/tokens.ts';
import {
  blocksOf,
  type CapturedMessage,
  callsOf,
  canonical,
  readSessions,
  responseMessage,
  resultsOf,
  textsOf,
  unsendable,
} from './captured-sessions.ts';

const committed = join(import.meta.dirname, '../../fixtures/transcripts');
const sessions = readSessions(committed);

const tokensOf = (messages: readonly CapturedMessage[]): number =>
  messages.flatMap(textsOf).reduce((sum, text) => sum + countTokens(text), 0);

describe('recording again', () => {
  let folder: string;
  let recorded: RecordFixturesResult;

  beforeAll(async () => {
    // A temporary path with a space, another locale, time zone and umask: none of it may show.
    folder = mkdtempSync(join(os.tmpdir(), 'record again '));
    vi.stubEnv('TMPDIR', folder);
    vi.stubEnv('LANG', 'de_DE.UTF-8');
    vi.stubEnv('LC_ALL', 'de_DE.UTF-8');
    vi.stubEnv('TZ', 'Asia/Tokyo');
    vi.stubEnv('NODE_OPTIONS', '--stack-trace-limit=3');
    const umask = process.umask(0o077);
    try {
      recorded = await recordFixtures({ out: join(folder, 'out') });
    } finally {
      process.umask(umask);
      vi.unstubAllEnvs();
    }
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('gives the committed bytes, and leaves no temporary folder', () => {
    expect(recorded.ok).toBe(true);
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(readdirSync(committed).sort());
    for (const { file, text } of sessions) {
      expect(readFileSync(join(folder, 'out', file), 'utf8') === text, file).toBe(true);
    }
    expect(readdirSync(folder)).toEqual(['out']);
  });

  test('the reward is what the check of the task said', () => {
    for (const { task, reward, checkOutput } of recorded.fixtures) {
      expect(checkOutput.trim() === 'passed', `${task}: ${checkOutput}`).toBe(reward === 1);
    }
  });

  test('--check names the first line that differs and a missing file, and writes neither', async () => {
    const tasks = ['reconcile-ledger-csv', 'migrate-service-config'];
    const changed = join(folder, 'out', 'reconcile-ledger-csv.jsonl');
    const lines = readFileSync(changed, 'utf8').split('\n');
    const text = lines.map((line, index) => (index === 4 ? line.replace('bank', 'Bank') : line));
    writeFileSync(changed, text.join('\n'));
    rmSync(join(folder, 'out', 'migrate-service-config.jsonl'));
    const result = await recordFixtures({ out: join(folder, 'out'), check: true, tasks });
    expect(result.ok).toBe(false);
    expect(result.fixtures.map(({ state }) => state)).toEqual([
      { kind: 'different', line: 5 },
      { kind: 'missing' },
    ]);
    expect(result.lines[0]).toContain('reconcile-ledger-csv.jsonl:5');
    expect(readFileSync(changed, 'utf8')).toBe(text.join('\n'));
    expect(readdirSync(join(folder, 'out'))).not.toContain('migrate-service-config.jsonl');
  });

  test('--check of one line more or less is a difference too', async () => {
    const out = join(folder, 'cut');
    const tasks = ['reconcile-ledger-csv'];
    await recordFixtures({ out, tasks });
    const file = join(out, 'reconcile-ledger-csv.jsonl');
    const text = readFileSync(file, 'utf8');
    const count = text.split('\n').length - 1;
    writeFileSync(file, `${text}{}\n`);
    const longer = await recordFixtures({ out, tasks, check: true });
    expect(longer.fixtures[0]?.state).toEqual({ kind: 'different', line: count + 1 });
    writeFileSync(file, text.slice(0, text.trimEnd().lastIndexOf('\n') + 1));
    const shorter = await recordFixtures({ out, tasks, check: true });
    expect(shorter.fixtures[0]?.state).toEqual({ kind: 'different', line: count });
  });

  test('an unknown task is a usage error with the nearest name', async () => {
    await expect(recordFixtures({ tasks: ['fix-invoice-roundin'] })).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('did you mean fix-invoice-rounding?'),
    });
  });
});

describe.each(sessions)('$file', ({ file, text, captures, last, messages }) => {
  test('carries task, session and agent on every line, the reward on the last', () => {
    const task = file.replace('.jsonl', '');
    expect(new Set(captures.map((capture) => capture.task))).toEqual(new Set([task]));
    expect(new Set(captures.map(({ session }) => session)).size).toBe(1);
    expect(captures.every(({ model, body }) => model === body.model)).toBe(true);
    expect(captures.slice(0, -1).every(({ reward }) => reward === undefined)).toBe(true);
    expect(last.reward).toBeDefined();
  });

  test('each request extends the one before by its response, and the head stays', () => {
    captures.slice(1).forEach((capture, index) => {
      const before = captures[index];
      if (before === undefined) throw new Error('no predecessor');
      const expected = [...before.body.messages, responseMessage(before)].map(canonical);
      expect(capture.body.messages.slice(0, expected.length).map(canonical)).toEqual(expected);
      const { messages: _, ...head } = capture.body;
      const { messages: __, ...headBefore } = before.body;
      expect(head).toEqual(headBefore);
    });
  });

  test('every request is sendable', () => {
    for (const { provider, body } of captures) {
      expect(unsendable(provider, body.messages)).toEqual([]);
      if (provider === 'anthropic') expect(JSON.stringify(body.system)).toContain('workspace');
      else expect(body.messages[0]?.role).toBe('system');
    }
  });

  test('has 25 to 80 messages and 8k to 60k tokens, 5,000 of them by the middle', () => {
    expect(messages.length).toBeGreaterThanOrEqual(25);
    expect(messages.length).toBeLessThanOrEqual(80);
    expect(tokensOf(messages)).toBeGreaterThanOrEqual(8_000);
    expect(tokensOf(messages)).toBeLessThanOrEqual(60_000);
    const middle = captures[Math.floor(captures.length / 2)];
    expect(tokensOf(middle?.body.messages ?? [])).toBeGreaterThanOrEqual(5_000);
  });

  test('later actions use identifiers that earlier outputs brought', () => {
    let outputs = '';
    let grounded = 0;
    for (const message of messages) {
      for (const { argumentsText } of callsOf(message)) {
        const names = identifiersIn(argumentsText).map(({ value }) => value);
        if (names.some((name) => containsIdentifier(outputs, name))) grounded += 1;
      }
      for (const result of resultsOf(message)) outputs += `${result.text}\n`;
    }
    expect(grounded).toBeGreaterThanOrEqual(6);
  });

  test('shows nothing of the machine, and no torn character', () => {
    expect(text).not.toMatch(/\/tmp|\/var\/folders|\/home\/|\/Users\/|file:\/\/|node:internal/);
    expect(text).not.toContain('record-fixtures-');
    expect(text).not.toMatch(/\\u[dD][89a-fA-F]/);
    expect(text).not.toContain('\ufffd');
    expect(text).toContain(`/workspace/${last.task}`);
  });
});

describe('all ten together', () => {
  const calls = sessions.map(({ messages }) => messages.map(callsOf));
  const results = sessions.map(({ messages }) => messages.flatMap(resultsOf));

  test('one transcript a task, five in each dialect, six solved', () => {
    expect(sessions.map(({ last }) => last.task)).toEqual(
      fixtureTasks.map(({ name }) => name).sort(),
    );
    expect(sessions).toHaveLength(10);
    expect(sessions.filter(({ last }) => last.provider === 'anthropic')).toHaveLength(5);
    expect(sessions.filter(({ last }) => last.reward === 1)).toHaveLength(6);
    expect(sessions.filter(({ last }) => last.reward === 0)).toHaveLength(4);
    expect(new Set(sessions.map(({ last }) => last.session)).size).toBe(10);
  });

  test('at least eight reach 6,000 tokens and ten messages by the middle', () => {
    const early = sessions.filter(({ captures }) => {
      const middle = captures[Math.floor(captures.length / 2)]?.body.messages ?? [];
      return middle.length >= 10 && tokensOf(middle) >= 6_000;
    });
    expect(early.length).toBeGreaterThanOrEqual(8);
  });

  test('are less than 12 MB', () => {
    const bytes = sessions.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThan(12_000_000);
  });

  test('parallel calls in several', () => {
    const parallel = calls.filter((turns) => turns.some((turn) => turn.length > 1));
    expect(parallel.length).toBeGreaterThanOrEqual(5);
  });

  test.each(['anthropic', 'openai'] as const)(
    'system messages recur mid-list in %s',
    (provider) => {
      const recurring = sessions.filter(
        ({ last, messages }) =>
          last.provider === provider &&
          messages.slice(1).filter(({ role }) => role === 'system').length >= 3,
      );
      expect(recurring.length).toBeGreaterThanOrEqual(1);
    },
  );

  test('signed thinking in every turn of two sessions', () => {
    const thinking = sessions.filter(({ messages }) => {
      const turns = messages.filter(({ role }) => role === 'assistant');
      return turns.every((turn) => {
        const [first] = blocksOf(turn);
        return first?.type === 'thinking' && /^[\w+/]+=*$/.test(String(first.signature));
      });
    });
    expect(thinking).toHaveLength(2);
    for (const { last } of thinking) expect(last.body.thinking).toBeDefined();
  });

  test('an error result with text', () => {
    const failed = results.flat().filter((result) => result.failed);
    expect(failed.length).toBeGreaterThanOrEqual(1);
    expect(failed.every(({ text, images }) => text.trim() !== '' && images === 0)).toBe(true);
    expect(failed.some(({ text }) => text.startsWith('Error: '))).toBe(true);
  });

  test('an output over 10,000 tokens', () => {
    expect(results.flat().some(({ text }) => countTokens(text) > 10_000)).toBe(true);
  });

  test('the same file read three times in one session', () => {
    const most = calls.map((turns) => {
      const reads = new Map<string, number>();
      for (const { name, argumentsText } of turns.flat()) {
        if (name === 'read_file') reads.set(argumentsText, (reads.get(argumentsText) ?? 0) + 1);
      }
      return Math.max(...reads.values());
    });
    expect(Math.max(...most)).toBe(3);
  });

  test('a real image: the PNG inflates to its declared size', async () => {
    const { inflateSync } = await import('node:zlib');
    const images = sessions.flatMap(({ text }) => [
      ...text.matchAll(/"media_type":"image\/png","data":"([\w+/=]+)"/g),
    ]);
    expect(images.length).toBeGreaterThanOrEqual(1);
    const bytes = Buffer.from(images[0]?.[1] ?? '', 'base64');
    expect(bytes.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
    const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    const start = bytes.indexOf('IDAT') + 4;
    const pixels = inflateSync(bytes.subarray(start, start + bytes.readUInt32BE(start - 8)));
    expect(pixels.length).toBe((width + 1) * height);
  });

  test('emoji and CJK in calls and outputs', () => {
    const outputs = results.flat().map(({ text }) => text);
    const sent = calls.flat(2).map(({ argumentsText }) => argumentsText);
    for (const texts of [outputs, sent]) {
      expect(texts.some((text) => /\p{Emoji_Presentation}/u.test(text))).toBe(true);
      expect(texts.some((text) => /[\u4e00-\u9fff]/.test(text))).toBe(true);
    }
    expect(outputs.some((text) => /[\uac00-\ud7a3]/.test(text))).toBe(true);
  });

  test('the user follows up in the middle of at least five', () => {
    const followed = sessions.filter(({ messages }) => {
      const turns = messages.filter((one) => one.role === 'user' && resultsOf(one).length === 0);
      return turns.length >= 2;
    });
    expect(followed.length).toBeGreaterThanOrEqual(5);
  });

  test('cache marks: one on the system prompt, one on the last user turn of each request', () => {
    for (const { captures, last } of sessions) {
      if (last.provider !== 'anthropic') continue;
      for (const { body } of captures) {
        const marked = body.messages.filter((one) =>
          blocksOf(one).some((entry) => 'cache_control' in entry),
        );
        const users = body.messages.filter(({ role }) => role === 'user');
        expect(marked).toEqual(users.slice(-1));
        expect(JSON.stringify(body).split('"cache_control"')).toHaveLength(3);
      }
    }
  });
});

describe('the checks of this file can fail', () => {
  const session = sessions.find(({ last }) => last.provider === 'anthropic');
  const { messages = [], last } = session ?? {};

  test('dropping any message but the first and the last plain ones is seen', () => {
    let seen = 0;
    messages.forEach((message, index) => {
      if (callsOf(message).length === 0 && resultsOf(message).length === 0) return;
      const without = messages.filter((_, other) => other !== index);
      expect(unsendable(last?.provider ?? 'anthropic', without), `without ${index}`).not.toEqual(
        [],
      );
      seen += 1;
    });
    expect(seen).toBeGreaterThanOrEqual(20);
  });

  test('a system message before a tool result is seen', () => {
    const at = messages.findIndex((message) => resultsOf(message).length > 0);
    const reminder: CapturedMessage = { role: 'system', content: 'x' };
    const moved = [...messages.slice(0, at), reminder, ...messages.slice(at)];
    expect(unsendable('anthropic', moved)).not.toEqual([]);
  });
});
