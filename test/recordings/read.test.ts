import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { readRecordings } from '../../src/recordings/read.ts';
import { jsonl, type Read, readAll, readFiles } from './support.ts';

const body = (...texts: readonly string[]) => ({
  model: 'gpt-x',
  messages: texts.map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  })),
});
const good = JSON.stringify(body('fine'));

const errorsOf = ({ problems }: Read) => problems.filter(({ severity }) => severity === 'error');

describe('input errors name the place, and the other transcripts are read', () => {
  test('a missing path: the nearest name that is there', async () => {
    const read = await readFiles({ 'runs/session.json': good }, [
      'runs/sesion.json',
      'rums',
      'runs/session.json',
    ]);
    expect(errorsOf(read)).toMatchObject([
      { code: 'input.missing', at: { file: 'runs/sesion.json' } },
      { code: 'input.missing', at: { file: 'rums' } },
    ]);
    expect(read.problems[0]?.message).toMatch(/session\.json/);
    expect(read.problems[1]?.message).toMatch(/runs/);
    expect(read.transcripts).toHaveLength(1);
  });

  test('an empty glob', async () => {
    const read = await readFiles({ 'runs/session.json': good }, [
      'runs/*.jsn',
      'rums/*.json',
      'runs',
    ]);
    expect(errorsOf(read)).toMatchObject([
      { code: 'input.empty', at: { file: 'runs/*.jsn' } },
      { code: 'input.missing', at: { file: 'rums/*.json' } },
    ]);
    expect(read.problems[0]?.message).toContain('session.json');
    expect(read.problems[1]?.message).toContain('runs');
    expect(read.transcripts).toHaveLength(1);
  });

  test('a truncated JSON file: line and column, in a folder too', async () => {
    const truncated = JSON.stringify(body('one', 'two'), null, 2).slice(0, -12);
    for (const patterns of [['.'], ['cut.json', 'good.json'], ['*.json']]) {
      const read = await readFiles({ 'cut.json': truncated, 'good.json': good }, patterns);
      const [error] = errorsOf(read);
      expect(errorsOf(read)).toHaveLength(1);
      expect(error?.code).toBe('input.syntax');
      expect(error?.at.file).toBe('cut.json');
      expect(error?.at.line).toBe(truncated.split('\n').length);
      expect(error?.message).toContain('truncated');
      expect(read.transcripts).toHaveLength(1);
    }
  });

  test('a JSONL file with one broken line: that line, and the others are read', async () => {
    const lines = [body('a'), body('a', 'b', 'c'), body('a', 'b', 'c', 'd', 'e')].map((value) =>
      JSON.stringify(value),
    );
    lines[1] = `${lines[1]?.slice(0, 30)}`;
    const read = await readFiles({ 'log.jsonl': lines.join('\n'), 'good.json': good });
    expect(errorsOf(read)).toMatchObject([
      { code: 'input.syntax', at: { file: 'log.jsonl', line: 2, column: 31 } },
    ]);
    expect(read.transcripts.map(({ requests }) => requests.length).sort()).toEqual([1, 2]);
  });

  test('a JSONL file whose first line is broken is still JSONL', async () => {
    const read = await readFiles({
      'log.jsonl': `{"model":\n${JSON.stringify(body('a'))}\n${JSON.stringify(body('a', 'b', 'c'))}\n`,
    });
    expect(errorsOf(read)).toMatchObject([{ code: 'input.syntax', at: { line: 1 } }]);
    expect(read.transcripts[0]?.requests).toHaveLength(2);
  });

  test('a JSONL file of which only the first line is whole', async () => {
    const read = await readFiles({ 'log.jsonl': `${JSON.stringify(body('a'))}\n{"a":\n{"b":\n` });
    expect(errorsOf(read).map(({ at }) => at.line)).toEqual([2, 3]);
    expect(read.transcripts).toHaveLength(1);
  });

  test('a line with a wrong value: file, line and key', async () => {
    const read = await readFiles({
      'log.jsonl': jsonl({ body: body('a') }, { body: body('a'), reward: 'much' }),
    });
    expect(errorsOf(read)).toMatchObject([
      { code: 'input.schema', at: { file: 'log.jsonl', line: 2, key: 'reward' } },
    ]);
  });

  test('a binary file, text that is not UTF-8, and a byte order mark', async () => {
    const binary = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]);
    const latin = Buffer.from(`{"messages":\n[{"role":"user","content":"caf\xe9"}]}`, 'latin1');
    const read = await readFiles(
      { 'x.json': binary, 'latin.json': latin, 'bom.json': `\ufeff${good}` },
      ['x.json', 'latin.json', 'bom.json'],
    );
    expect(errorsOf(read)).toMatchObject([
      { code: 'input.encoding', at: { file: 'x.json' } },
      { code: 'input.encoding', at: { file: 'latin.json', line: 2 } },
    ]);
    expect(read.transcripts.map(({ source }) => source.file)).toEqual(['bom.json']);
  });

  test('an empty file and a folder without recordings', async () => {
    const read = await readFiles({ 'empty.json': ' \n', 'docs/README.md': '# Nothing' }, [
      'empty.json',
      'docs',
    ]);
    expect(errorsOf(read)).toMatchObject([{ code: 'input.empty', at: { file: 'empty.json' } }]);
    const folder = await readFiles({ 'docs/README.md': '# Nothing' }, ['docs']);
    expect(errorsOf(folder)).toMatchObject([{ code: 'input.empty', at: { file: 'docs' } }]);
  });

  test('a file of no known format: an error by its name, a notice in a folder', async () => {
    const files = {
      'meta.json': '{"branch":"main"}',
      'LICENSE.txt': 'MIT License',
      'good.json': good,
    };
    const named = await readFiles(files, ['meta.json', 'LICENSE.txt', 'good.json']);
    expect(errorsOf(named)).toMatchObject([
      { code: 'input.format', at: { file: 'meta.json' } },
      { code: 'input.format', at: { file: 'LICENSE.txt' } },
    ]);
    expect(named.problems[0]?.message).toContain('tau-bench');
    const found = await readFiles(files, ['.']);
    expect(errorsOf(found)).toEqual([]);
    expect(found.problems.map(({ at, severity }) => [at.file, severity])).toEqual([
      ['LICENSE.txt', 'notice'],
      ['meta.json', 'notice'],
    ]);
    expect(found.transcripts).toHaveLength(1);
    // Companions may be thousands: each is told in a few words, the formats once, where nothing was found.
    for (const { message } of found.problems) expect(message.length).toBeLessThan(60);
    const nothing = await readFiles({ 'meta.json': '{"branch":"main"}' }, ['.']);
    expect(errorsOf(nothing)[0]?.message).toContain('tau-bench');
  });

  test('notes in front of a recording, more than are looked at', async () => {
    const notes = Array.from({ length: 300 }, (_, index) => ({
      type: 'summary',
      summary: `${index}`,
    }));
    const record = { sessionId: 's', isSidechain: false };
    const read = await readFiles({
      'long.jsonl': jsonl(
        ...notes,
        { ...record, type: 'user', uuid: 'u', message: { role: 'user', content: 'go' } },
        {
          ...record,
          type: 'assistant',
          uuid: 'a',
          parentUuid: 'u',
          message: { id: 'm', role: 'assistant', content: 'yes' },
        },
      ),
    });
    expect(read.transcripts[0]?.source.format).toBe('claude-code-jsonl');
    expect(read.losses[0]).toMatchObject({ found: 302, read: 2 });
  });

  test('a link to a file that is found too is no other recording; one to elsewhere is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recordings-'));
    try {
      mkdirSync(join(folder, 'in'));
      writeFileSync(join(folder, 'in', 'one.json'), good);
      writeFileSync(join(folder, 'other.json'), JSON.stringify(body('other')));
      symlinkSync('one.json', join(folder, 'in', 'latest.json'));
      symlinkSync('../other.json', join(folder, 'in', 'other.json'));
      symlinkSync('nowhere', join(folder, 'in', 'gone.json'));
      const { transcripts } = await readAll(['in'], { cwd: folder });
      expect(transcripts.map(({ source }) => source.file)).toEqual([
        'in/one.json',
        'in/other.json',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('another wire form: which ones are read', async () => {
    const read = await readFiles(
      { 'gemini.jsonl': jsonl({ body: { contents: [] } }, { body: body('a') }) },
      ['gemini.jsonl'],
    );
    expect(read.problems).toHaveLength(1);
    expect(read.problems[0]?.message).toMatch(/messages/);
    expect(read.problems[0]?.at).toMatchObject({ file: 'gemini.jsonl', line: 1 });
  });

  test('an unknown format name: the nearest one', async () => {
    const readings = readRecordings([], { cwd: '.', format: 'tau-bensh' as never });
    await expect(readings.next()).rejects.toThrowError(HarnessError);
    await expect(
      readRecordings([], { cwd: '.', format: 'tau-bensh' as never }).next(),
    ).rejects.toThrowError(/did you mean "tau-bench"/);
  });

  test('a message nested 100,000 deep does not end the run', async () => {
    const deep = `{"messages":[{"role":"user","content":"a","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}]}`;
    const read = await readFiles({ 'deep.json': deep, 'good.json': good });
    // Node 20 cannot write such a value as JSON, a later one can; then the message is read like any other.
    const told = errorsOf(read);
    expect(told.length + read.transcripts.length).toBe(2);
    expect(read.transcripts.map(({ task }) => task)).toContain('good');
    for (const one of told)
      expect(one).toMatchObject({ code: 'input.schema', at: { file: 'deep.json' } });
  });
});

describe('reading', () => {
  test('sessions come one by one', async () => {
    const files = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [`${name}.jsonl`, jsonl(body(name), body(name, 'x', 'y'))]),
    );
    const { groups, transcripts } = await readFiles(files);
    expect(groups).toBe(3);
    expect(transcripts.map(({ task }) => task)).toEqual(['a', 'b', 'c']);
  });

  test('a file that several patterns find is read once', async () => {
    const { transcripts } = await readFiles({ 'a.json': good }, ['a.json', '.', '*.json']);
    expect(transcripts).toHaveLength(1);
  });

  test('names of task, trial and lineage are unique', async () => {
    const run = (reward: number) => [
      { task_id: 7, trial: 0, reward, traj: body('a', 'b').messages },
    ];
    const { transcripts } = await readFiles({
      'air/results.json': JSON.stringify(run(0)),
      'retail/results.json': JSON.stringify(run(1)),
      'shop.json': JSON.stringify([...run(1), ...run(1)]),
    });
    const names = transcripts.map(({ task, trial, lineage }) => `${task}|${trial}|${lineage}`);
    expect(names).toHaveLength(4);
    expect(new Set(names).size).toBe(4);
    expect(names[0]).toBe('7|0|main');
  });

  test('a format that is asked for reads no other', async () => {
    const files = { 'a.json': good, 'b.json': '[{"task_id":1,"traj":[]}]' };
    const { transcripts, problems } = await readFiles(files, ['a.json'], 'tau-bench');
    expect(transcripts).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(['input.format']);
  });

  test('the hash depends on what replay depends on, and on nothing else', async () => {
    const one = async (value: object, name = 'a.jsonl') =>
      (await readFiles({ [name]: jsonl(value) })).transcripts[0]?.hash;
    const base = await one({ body: body('a') });
    expect(await one({ body: body('a') }, 'other.jsonl')).toBe(base);
    expect(await one({ body: body('b') })).not.toBe(base);
    expect(await one({ body: body('a'), reward: 1 })).not.toBe(base);
    expect(await one({ body: { ...body('a'), tools: [] } })).not.toBe(base);
    expect(await one({ body: body('a'), response: { role: 'assistant', content: 'x' } })).not.toBe(
      base,
    );
  });
});

describe('an entry that is no message is told with its place', () => {
  const turns = '{"role":"user","content":"a"}\n{"role":"wizard","content":"b"}\n';

  test('in an array and in lines of messages', async () => {
    const array = `[${turns.trimEnd().replace('\n', ',\n')}]`;
    const read = await readFiles({ 'array.json': array, 'lines.jsonl': turns });
    expect(errorsOf(read)).toMatchObject([
      { code: 'input.schema', at: { file: 'array.json', line: 2 } },
      { code: 'input.schema', at: { file: 'lines.jsonl', line: 2 } },
    ]);
    for (const { message } of errorsOf(read)) expect(message).toContain('"wizard"');
  });

  test('far down in lines of messages', async () => {
    const many = '{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n'.repeat(40);
    const read = await readFiles({ 'lines.jsonl': `${many}${turns}` });
    expect(errorsOf(read)).toMatchObject([{ at: { file: 'lines.jsonl', line: 82 } }]);
    expect(read.transcripts[0]?.requests).toHaveLength(40);
  });

  test('in a request body', async () => {
    const wrong = { model: 'x', messages: [{ role: 'user', content: 'a' }, { role: 'wizard' }] };
    const read = await readFiles({ 'log.jsonl': `${good}\n${JSON.stringify(wrong)}\n` });
    expect(errorsOf(read)).toMatchObject([{ at: { line: 2 } }]);
    expect(errorsOf(read)[0]?.message).toMatch(/"wizard".*messages\[1\]/);
  });
});

test('one broken entry of tau-bench results leaves the others', async () => {
  const traj = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b' },
  ];
  const entries = [
    { task_id: 1, trial: 0, reward: 1, traj },
    null,
    { task_id: 2, trial: 0, reward: 'yes', traj },
    { task_id: 3, trial: 0, reward: 0, traj },
  ];
  const text = `[${entries.map((entry) => JSON.stringify(entry)).join(',\n')}]`;
  const read = await readFiles({ 'tau.json': text });
  expect(read.transcripts.map(({ task }) => task)).toEqual(['1', '3']);
  expect(errorsOf(read).map(({ at }) => at.line)).toEqual([2, 3]);
  expect(errorsOf(read)[1]?.message).toContain('"reward": found "yes", expected number');
});
