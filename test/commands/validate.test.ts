import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { validateCommand } from '../../src/commands/validate.ts';
import { HarnessError } from '../../src/errors.ts';

let folder = '';
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'validate-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

let written = 0;
/** A folder of its own with these files; texts are written as they are, values as JSON. */
function files(contents: { readonly [name: string]: unknown }): string {
  const own = path.join(folder, String(written++));
  fs.mkdirSync(own);
  for (const [name, content] of Object.entries(contents)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 1);
    fs.writeFileSync(path.join(own, name), text);
  }
  return own;
}

const orphan = [
  { role: 'user', content: 'x' },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't\u001b1', content: 'y' }] },
];
const legal = { messages: [{ role: 'user', content: 'x' }], system: 'You search.', max_tokens: 5 };

describe('validate', () => {
  it('names rule, place, excerpt, reason and fix, and exits 100', async () => {
    const path_ = files({ 'a.json': orphan });
    const { exitCode, output } = await validateCommand({ paths: [path_] });
    expect(exitCode).toBe(100);
    expect(output).toContain('a.json: 2 errors, 0 warnings in 2 messages (anthropic, sendable)');
    expect(output).toContain('error A-PAIR-2 at message 1, block 0: tool_result for "t\\u001b1"');
    expect(output).toContain('found: {"type":"tool_result","tool_use_id":"t\\u001b1"');
    expect(output).toContain(
      'why: A tool_result answers a tool_use of the previous assistant turn.',
    );
    expect(output).toContain('usual fix: Drop the result together with its call.');
    expect(output).not.toContain('\u001b');
  });

  it('says the same as JSON', async () => {
    const own = files({ 'a.json': orphan, 'b.json': legal });
    const { exitCode, output } = await validateCommand({ paths: [own], json: true });
    expect(exitCode).toBe(100);
    const report = JSON.parse(output);
    expect(report).toMatchObject({ errors: 2, warnings: 0, unreadable: [] });
    expect(report.files).toHaveLength(2);
    expect(report.files[0].violations[1]).toMatchObject({ rule: 'A-PAIR-2', message: 1, block: 0 });
    expect(report.files[1].violations).toEqual([]);
  });

  it('exits 0 for legal lists and for warnings', async () => {
    const warned = [
      { role: 'assistant', content: 'x' },
      { role: 'user', content: [{ type: 'tool_use' }] },
    ];
    expect(await validateCommand({ paths: [files({ 'a.json': legal })] })).toMatchObject({
      exitCode: 0,
    });
    const { output, exitCode } = await validateCommand({
      paths: [files({ 'a.json': [warned[0]] })],
      dialect: 'anthropic',
    });
    expect(exitCode).toBe(0);
    expect(output).toContain('warning A-FIRST-1');
  });

  it.each([
    ['gemini', { contents: [{ role: 'user', parts: [{ text: 'x' }] }] }],
    ['openai-responses', { input: [{ role: 'user', content: 'x' }] }],
    ['openai-responses', { model: 'm', input: 'x' }],
    ['bedrock', { messages: [{ role: 'user', content: [{ text: 'x' }] }] }],
    [
      'openai-chat',
      [
        { role: 'user', content: 'x' },
        { role: 'tool', content: '' },
      ],
    ],
    ['openai-chat', { model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'x' }] }],
    ['anthropic', [{ role: 'assistant', content: [{ type: 'thinking' }] }]],
  ])('tells %s by itself', async (dialect, body) => {
    const { output } = await validateCommand({ paths: [files({ 'a.json': body })], json: true });
    expect(JSON.parse(output).files[0].dialect).toBe(dialect);
  });

  it('takes fields of the request into account', async () => {
    const body = {
      messages: [...legal.messages, { role: 'assistant', content: 'y' }],
      system: 's',
    };
    const exits = ['claude-opus-5-5', 'claude-sonnet-4-5'].map(async (model) => {
      const paths = [files({ 'a.json': { ...body, model } })];
      return (await validateCommand({ paths })).exitCode;
    });
    expect(await Promise.all(exits)).toEqual([100, 0]);
  });

  it('checks the exact text of a message', async () => {
    const text = '{"messages":[{"role":"user","content":"\\ud83c"}]}';
    const { output } = await validateCommand({
      paths: [files({ 'a.json': text })],
      dialect: 'openai-chat',
    });
    expect(output).toContain('X-UNI-1 at message 0: lone surrogate U+D83C');
  });

  it('reports a file that it cannot read with its line, exits 2, and goes on', async () => {
    const own = files({
      'a.json': '{"messages":\n [}',
      'b.json': orphan,
      'c.json': [1],
      'd.json': {},
    });
    fs.writeFileSync(path.join(own, 'e.json'), Buffer.from([0x22, 0xff, 0x22]));
    const { exitCode, output } = await validateCommand({ paths: [own, path.join(own, 'none')] });
    expect(exitCode).toBe(2);
    expect(output).toMatch(/a\.json:2:3: expected JSON/);
    expect(output).toContain('b.json: 2 errors');
    expect(output).toMatch(/skipped: .*c\.json:1: cannot tell the dialect/);
    expect(output).toMatch(/skipped: .*d\.json:1: cannot tell the dialect/);
    expect(output).toMatch(/error: .*e\.json: the file is not UTF-8/);
    expect(output).toMatch(/none: no such file or folder/);
    expect(output).toContain('1 list checked: 2 errors, 0 warnings, 3 unreadable files');
  });

  it('refuses options that it does not know, with the nearest', async () => {
    const refused = async (options: Parameters<typeof validateCommand>[0]) =>
      validateCommand(options).then(
        () => 'accepted',
        (error: unknown) =>
          error instanceof HarnessError ? `${error.code}: ${error.message}` : 'x',
      );
    expect(await refused({})).toMatch(/^usage: nothing to validate/);
    expect(await refused({ paths: ['x'], dialect: 'antropic' })).toMatch(
      /did you mean "anthropic"/,
    );
    expect(await refused({ paths: ['x'], mode: 'sendabel' })).toMatch(/did you mean "sendable"/);
    expect(await refused({ cases: 'x', mode: 'prefix' })).toMatch(/leave out --mode/);
  });
});

const right = {
  provider: 'anthropic',
  rule: 'A-PAIR-1',
  messages: orphan,
  valid: false,
  expected_violation: 'A-PAIR-2',
  also_violates: ['A-ID-1'],
};

describe('validate --cases', () => {
  it('says how many cases are as labelled', async () => {
    const cases = files({ 'a.json': right });
    expect(await validateCommand({ cases })).toEqual({
      exitCode: 0,
      output: '1 of 1 case as labelled, 0 different, 0 broken',
    });
  });

  it.each([
    ['a violation that is not expected', { ...right, also_violates: [] }],
    ['a violation that is not reported', { ...right, also_violates: ['A-ID-1', 'A-PAIR-1'] }],
    ['a valid list with an error', { ...right, valid: true, expected_violation: null }],
    ['an error where a warning is labelled', { ...right, severity: 'warning' }],
    ['a warning that is not reported', { ...right, messages: legal.messages, severity: 'warning' }],
  ])('exits 100 for %s', async (_, value) => {
    const { exitCode, output } = await validateCommand({ cases: files({ 'a.json': value }) });
    expect(exitCode).toBe(100);
    expect(output).toMatch(/a\.json: expected .*, reported /);
    expect(output).toContain('0 of 1 case as labelled, 1 different, 0 broken');
  });

  it('reports a broken case with file and line, exits 2, and goes on', async () => {
    const cases = files({
      'a.json': '{\n "provider": "anthropic",\n',
      'b.json': '{\n "provider": "anthropic",\n "messages": {},\n "valid": true\n}',
      'c.json': { ...right, provider: 'antropic' },
      'd.json': right,
    });
    const { exitCode, output } = await validateCommand({ cases });
    expect(exitCode).toBe(2);
    expect(output).toMatch(/a\.json:\d+:\d+: the JSON ends too early/);
    expect(output).toMatch(/b\.json:3: not a shape case: messages/);
    expect(output).toMatch(/c\.json:2: unknown provider "antropic"; did you mean "anthropic"/);
    expect(output).toContain('1 of 4 cases as labelled, 0 different, 3 broken');
  });

  it('exits 2 for a folder without cases', async () => {
    expect(await validateCommand({ cases: files({}) })).toMatchObject({ exitCode: 2 });
    expect(await validateCommand({ cases: path.join(folder, 'none') })).toMatchObject({
      exitCode: 2,
    });
  });

  it('applies the rules of any provider alone to a case that names none', async () => {
    const cut = '{"role":"user","content":"cut \\ud83d"}';
    const cases = files({
      'a.json': {
        provider: 'any',
        messages: [{ role: 'assistant', content: null }, JSON.parse(cut)],
        valid: false,
        expected_violation: 'X-UNI-1',
      },
    });
    expect(await validateCommand({ cases })).toMatchObject({ exitCode: 0 });
  });

  it('compares the bytes of both lists, or of texts that the case gives apart', async () => {
    const bytes = {
      provider: 'openai-chat',
      check: 'bytes',
      valid: false,
      expected_violation: 'X-BYTE-1',
    };
    const before = { role: 'user', content: 'x' };
    const after = { content: 'x', role: 'user' };
    const texts = {
      raw_before: '{"role":"user","content":1e3}',
      raw_after: '{"role":"user","content":1000}',
    };
    const cases = files({
      'a.json': { ...bytes, messages: [after], messages_before: [before] },
      'b.json': { ...bytes, messages: [before], messages_before: [before], valid: true },
      'c.json': { ...bytes, messages: [before], context: texts },
      'd.json': {
        ...bytes,
        messages: [before],
        context: { ...texts, raw_after: texts.raw_before },
        valid: true,
      },
      'e.json': { ...bytes, messages_before: null, also_violates: null, context: texts },
      'f.json': { ...bytes, provider: 'anthropic', messages: [], context: texts },
      'g.json': {
        ...bytes,
        messages: [before],
        context: {
          body_before: `{"model":"m","messages":[${texts.raw_before},{"role":"user","content":"old"}]}`,
          body_after: `{"model":"m","messages":[${texts.raw_after},{"role":"user","content":"new"}]}`,
        },
      },
    });
    expect(await validateCommand({ cases })).toMatchObject({ exitCode: 0 });
  });
});
