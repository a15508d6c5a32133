import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pushAll } from '../../src/text/long-lists.ts';
import { readAll } from '../recordings/support.ts';
import { temporaryFolder } from '../support/folder.ts';
import { measuredProgram } from '../support/measured-program.ts';

const folder = temporaryFolder();

/** Writes pieces one by one, so that the file never is in memory. */
function written(name: string, pieces: Iterable<string>): string {
  const file = openSync(join(folder, name), 'w');
  for (const piece of pieces) writeSync(file, piece);
  closeSync(file);
  return join(folder, name);
}

const line = (content: string) =>
  `{"model":"gpt-4.1","messages":[{"role":"user","content":"${content}"}]}\n`;

test('a line of 200 MB is an error that names the limit, and the others are read', async () => {
  const words = 'lorem ipsum dolor sit amet, '.repeat(1000);
  function* pieces() {
    yield line('before');
    yield '{"model":"gpt-4.1","messages":[{"role":"user","content":"';
    for (let size = 0; size < 200_000_000; size += words.length) yield words;
    yield '"}]}\n';
    yield line('behind');
  }
  const file = written('long.jsonl', pieces());
  const { code, stdout, stderr, usage } = await measuredProgram([
    'import',
    '--list',
    '--json',
    file,
  ]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/long\.jsonl:2: found a message of 2\d{8} characters, at most 67108864/);
  expect(JSON.parse(stdout).files).toMatchObject([{ transcripts: 2 }]);
  expect(usage?.memoryMb).toBeLessThan(6 * 200 + 150);
});

test('five million empty lines between two requests cost little', async () => {
  const empty = '\n'.repeat(1_000_000);
  const file = written('empty.jsonl', [line('a'), empty, empty, empty, empty, empty, line('b')]);
  const { transcripts, problems } = await readAll([file], { cwd: folder });
  expect(problems).toEqual([]);
  expect(transcripts).toHaveLength(2);
});

const call = (id: number) =>
  `{"id":"c${id}","type":"function","function":{"name":"f","arguments":"{}"}}`;

function* listed(count: number, item: (index: number) => string): Generator<string> {
  for (let index = 0; index < count; index++) yield `${index === 0 ? '' : ','}${item(index)}`;
}

const head = '{"model":"gpt-4.1","messages":[{"role":"user","content":"go"},';

/** Processor milliseconds. */
async function cost(run: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

// The stack holds about 120,000 items of a list that is spread over an argument list.
test('200,000 calls in one message are read, four times 50,000 in not much more than four times the time', async () => {
  const fileOf = (count: number) => {
    function* pieces() {
      yield `${head}{"role":"assistant","tool_calls":[`;
      yield* listed(count, call);
      yield ']}]}';
    }
    return written(`calls-${count}.json`, pieces());
  };
  const read = (file: string, count: number) => async () => {
    const { transcripts, problems } = await readAll([file], { cwd: folder });
    expect(problems).toEqual([]);
    expect(transcripts[0]?.requests[0]?.messages[1]?.blocks).toHaveLength(count);
  };
  const few = await cost(read(fileOf(50_000), 50_000));
  const many = await cost(read(fileOf(200_000), 200_000));
  expect(many).toBeLessThan(9 * Math.max(few, 100));
});

test('100,000 tool ids in one transcript are read, checked and compacted', async () => {
  const turn = (id: number) =>
    `{"role":"assistant","tool_calls":[${call(id)}]},{"role":"tool","tool_call_id":"c${id}","content":"ok ${id}"}`;
  function* pieces() {
    yield head;
    yield* listed(100_000, turn);
    yield ']}';
  }
  const file = written('ids.json', pieces());
  const words = [
    'sweep',
    '--config',
    'cg-mask',
    '--transcripts',
    file,
    '--out',
    join(folder, 'runs'),
  ];
  const { code, usage } = await measuredProgram([...words, '--jobs', '1']);
  expect(code).toBe(0);
  expect(usage?.memoryMb).toBeLessThan(1200);
  expect(usage?.cpuSeconds).toBeLessThan(60);
});

test('a list of any length is appended, which a spread of it is not', () => {
  const long = Array.from({ length: 1_000_000 }, (_, index) => index);
  const list: number[] = [];
  pushAll(list, long);
  expect(list).toEqual(long);
  // What the guard is for.
  expect(() => list.push(...long)).toThrow(RangeError);
});
