import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { openCassette } from '../../src/model/cassette.ts';
import { parseRows } from '../../src/rows/csv.ts';
import { readManifest } from '../../src/sweep/manifest.ts';
import { cli, onlyFile } from '../commands/cli.ts';
import { jsonl, outline, type Read, readFiles } from '../recordings/support.ts';
import { temporaryFolder } from '../support/folder.ts';

const folder = temporaryFolder();

const DEPTH = 100_000;
const lists = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;
const objects = `${'{"a":'.repeat(DEPTH)}1${'}'.repeat(DEPTH)}`;
const chat = (inner: string) => `{"model":"gpt-4.1","messages":[${inner}]}`;
const go = '{"role":"user","content":"go"}';
// Of another beginning, so that no other file goes on with it.
const good = chat('{"role":"user","content":"fine"}');
const called = (args: string) =>
  chat(
    `${go},{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}]},{"role":"tool","tool_call_id":"c","content":${JSON.stringify(lists)}}`,
  );

/** Each file is read, or told of by its name; the good one beside it is read. */
function expectToldOrRead(read: Read, file: string): void {
  const own = read.problems.filter(({ at }) => at.file === file);
  const transcripts = read.transcripts.filter(({ source }) => source.file === file);
  expect(own.length + transcripts.length).toBeGreaterThan(0);
  for (const { code } of own) expect(code).toMatch(/^input\./);
  expect(read.transcripts.map(({ source }) => source.file)).toContain('good.json');
}

describe('JSON nested 100,000 deep', () => {
  test.each([
    ['the list of a body', 'x.json', chat(lists)],
    ['a message', 'x.json', chat(`{"role":"user","content":"a","x":${lists}}`)],
    ['a content', 'x.json', chat(`{"role":"user","content":${lists}}`)],
    ['a file', 'x.json', lists],
    ['the lines of a file', 'x.jsonl', `${objects}\n${objects}\n`],
    [
      'a line',
      'x.jsonl',
      `{"body":${good}}\n{"body":${chat(`{"role":"user","content":${objects}}`)}}\n`,
    ],
    ['arguments that are text, and a result', 'x.json', called(JSON.stringify(objects))],
    ['arguments that are none', 'x.json', called(objects)],
    [
      'an input',
      'x.json',
      chat(
        `${go},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":${objects}}]}`,
      ),
    ],
  ])('in %s is read or told of', async (_, name, text) => {
    expectToldOrRead(await readFiles({ [name]: text, 'good.json': good }), name);
  });

  test('in arguments and results is compacted, checked and written like any other', async () => {
    const file = join(folder, 'deep.json');
    writeFileSync(file, called(JSON.stringify(objects)));
    const out = join(folder, 'deep');
    const configs = 'cg-summarize,cg-mask,cg-extract,cg-extract-code,cg-dedup';
    const { code } = await cli('sweep', '--config', configs, '--transcripts', file, '--out', out);
    expect(code).toBe(0);
    expect((await cli('validate', file)).code).not.toBe(1);
  });

  test.each([
    ['manifest', lists],
    ['manifest', `{"configs":${objects}}`],
  ])('in a %s is an error of its file', async (_, text) => {
    const file = join(folder, 'deep.manifest.json');
    writeFileSync(file, text);
    await expect(readManifest(file)).rejects.toMatchObject({ code: 'input.schema', at: { file } });
  });

  test('in a cassette or a row is an error of its line, or left as it is', () => {
    const file = join(folder, 'deep.cassette');
    writeFileSync(file, `${lists}\n${objects}\n`);
    expect(() => openCassette(file, 'replay')).toThrow(HarnessError);
    expect(() => parseRows(`task,config\n${lists},a\n`, file)).toThrow(HarnessError);
  });
});

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf'];

function unpolluted(): void {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect('polluted' in {}).toBe(false);
  expect(String({})).toBe('[object Object]');
}

/** A name wherever a recording has one, and a key of that name wherever it has an object. */
function named(name: string): string {
  const key = `"${name}":{"polluted":1}`;
  const call = `{"id":"${name}","type":"function","function":{"name":"${name}","arguments":"{\\"${name}\\":{\\"polluted\\":1}}"},${key}}`;
  const body = `{"model":"${name}",${key},"tools":[{"type":"function","function":{"name":"${name}","parameters":{"properties":{${key}}}}}],"messages":[{"role":"user","content":"go",${key}},{"role":"assistant","content":null,"tool_calls":[${call}]},{"role":"tool","tool_call_id":"${name}","content":"{\\"${name}\\": 1} of ${name}"}]}`;
  return `{"task":"${name}","trial":"${name}","session":"${name}","agent":"${name}","reward":1,${key},"body":${body}}\n`;
}

describe('names that every object has', () => {
  test.each(NAMES)('%s is a task, trial, tool, id, model and key like any other', async (name) => {
    const read = await readFiles({ 'x.jsonl': named(name) });
    unpolluted();
    expect(read.problems).toEqual([]);
    expect(read.transcripts).toMatchObject([{ task: name, trial: name }]);
    expect(outline(read.transcripts[0], 0).slice(1)).toEqual([
      `a:call ${name}`,
      `t:result ${name} {"${name}": 1} of ${name}`,
    ]);
  });

  test.each(NAMES)(
    'a role, type, grade or format of the name %s is none that is known',
    async (name) => {
      const files = {
        'role.json': chat(`${go},{"role":"${name}","content":"x"}`),
        'block.json': chat(`${go},{"role":"user","content":[{"type":"${name}","text":"x"}]}`),
        'item.json': `{"model":"gpt-5","input":[{"type":"message","role":"user","content":"go"},{"type":"${name}","call_id":"c"}]}`,
        'bedrock.json': `{"modelId":"x","messages":[{"role":"user","content":[{"image":{"format":"${name}","source":{"bytes":"aaaa"}}}]}],"inferenceConfig":{}}`,
        'graph.json': `{"values":{"messages":[{"type":"human","content":"go"},{"type":"chat","role":"${name}","content":"x"}]}}`,
        'good.json': good,
      };
      const read = await readFiles(files);
      unpolluted();
      for (const file of Object.keys(files)) {
        const known = [
          ...read.problems.map(({ at }) => at.file),
          ...read.transcripts.map(({ source }) => source.file),
        ];
        expect(known).toContain(file);
      }
      for (const { code } of read.problems) expect(code).toMatch(/^input\./);
    },
  );

  test('a sweep of them, its report, and rewards of such tasks and configs', async () => {
    const file = join(folder, 'names.jsonl');
    writeFileSync(file, NAMES.map(named).join(''));
    const prices = join(folder, 'prices.json');
    const price = { input: 1, output: 2 };
    writeFileSync(
      prices,
      JSON.stringify({ date: '2026-11-30', models: { constructor: price, toString: price } }),
    );
    const out = join(folder, 'names');
    const swept = await cli(
      'sweep',
      '--config',
      'cg-mask,cg-summarize',
      '--transcripts',
      file,
      '--prices',
      prices,
      '--out',
      out,
    );
    expect(swept).toMatchObject({ code: 0, stderr: expect.not.stringContaining('error') });
    const csv = onlyFile(out, '.csv');
    expect(await cli('report', csv, '--out', join(folder, 'names.html'))).toMatchObject({
      code: 0,
    });
    const rewards = join(folder, 'rewards.csv');
    const rows = NAMES.flatMap((task) =>
      ['baseline', ...NAMES].map((config) => `${task},${config},1`),
    );
    writeFileSync(
      rewards,
      `task,config,reward,__proto__,constructor\n${rows.map((row) => `${row},1,2\n`).join('')}`,
    );
    const imported = await cli('import-rewards', rewards, '--json');
    expect(imported.code).toBe(0);
    const { configs } = JSON.parse(imported.stdout);
    expect(configs).toHaveLength(1 + NAMES.length);
    unpolluted();
  });

  test.each(NAMES)('--set %s changes nothing but what a config has', async (name) => {
    for (const key of [
      name,
      `${name}.polluted`,
      `components.mask.${name}`,
      `components.${name}.x`,
    ]) {
      const { code, stderr } = await cli(
        'sweep',
        '--list',
        '--dry-run',
        '--config',
        'cg-mask',
        '--set',
        `${key}=1`,
      );
      expect([key, code]).toEqual([key, 2]);
      expect(stderr).toContain('error: ');
      unpolluted();
    }
  });
});

describe('numbers and characters that few texts have', () => {
  test('numbers beyond a double stay as they were written, and are no reward', async () => {
    const odd = '{"a":1e999,"b":-0,"c":9007199254740993,"d":1E-999,"e":0.1000000000000000055}';
    const read = await readFiles({ 'x.json': chat(`{"role":"user","content":"a","x":${odd}}`) });
    expect(read.problems).toEqual([]);
    expect(read.transcripts[0]?.requests[0]?.messages[0]?.raw).toContain(odd);
    const { problems } = await readFiles({ 'y.jsonl': `{"reward":1e999,"body":${good}}\n` });
    expect(problems).toMatchObject([{ code: 'input.schema', severity: 'error' }]);
    expect(problems[0]?.message).toContain('found Infinity');
  });

  test('bytes that are not UTF-8 are an error of their line', async () => {
    const bytes = Buffer.concat([
      Buffer.from(`{"body":${good}}\n{"x":"`),
      Buffer.of(0xff, 0xc3),
      Buffer.from('"}\n'),
    ]);
    const { problems } = await readFiles({ 'x.jsonl': bytes });
    expect(problems).toMatchObject([{ code: 'input.encoding', at: { file: 'x.jsonl', line: 2 } }]);
  });

  test('a half of a surrogate pair is kept as an escape, and goes through a sweep', async () => {
    const file = join(folder, 'half.jsonl');
    const text = `half \ud800 and \udc00 of ${'src/a.ts '.repeat(2000)}`;
    writeFileSync(
      file,
      jsonl({
        task: 'half \ud800',
        body: { model: 'gpt-4.1', messages: [{ role: 'user', content: text }] },
      }),
    );
    const out = join(folder, 'half');
    const { code, stdout } = await cli(
      'sweep',
      '--config',
      'cg-summarize',
      '--transcripts',
      file,
      '--out',
      out,
    );
    expect(code).toBe(0);
    expect(stdout.isWellFormed()).toBe(true);
  });
});
