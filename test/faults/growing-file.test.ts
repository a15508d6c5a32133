/**
 * A recording that is written to while it is read: what was there at one moment is read, or the file is named by an
 * error. Never a mixture of two moments that no hash of a recording tells of, a crash, or silence.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRows } from '../../src/rows/csv.ts';
import { onlyFile } from '../commands/cli.ts';
import { command } from '../support/crash/command.ts';
import { beforeOpening } from '../support/crash/opened.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeTrajectories } from '../support/sweeps.ts';

/** Line `index` of the log of one session. */
function logLine(index: number, padding = 0): string {
  const messages: object[] = [{ role: 'user', content: `go on ${'word '.repeat(padding)}` }];
  for (let turn = 0; turn < index; turn++) {
    messages.push(
      { role: 'assistant', content: `step ${turn}` },
      { role: 'user', content: 'next' },
    );
  }
  return JSON.stringify({ provider: 'openai', session: 's', body: { model: 'gpt-4.1', messages } });
}

const log = (count: number, padding = 0) =>
  Array.from({ length: count }, (_, index) => `${logLine(index, padding)}\n`).join('');

function trajectories(file: string, tasks: readonly number[]): void {
  const traj = (task: number) => chat(`module-${task}`, 4, 60);
  writeTrajectories(
    file,
    tasks.map((task) => ({ task, reward: 1, traj: traj(task) })),
  );
}

interface Read {
  readonly code: number | null;
  readonly stderr: string;
  /** Hash and number of requests of each transcript. */
  readonly transcripts: readonly string[];
}

async function sweep(path: string): Promise<Read> {
  const out = temporaryFolder();
  const { code, stdout, stderr } = await command([
    ...['sweep', '--config', 'cg-mask', '--jobs', '1', '--transcripts', path],
    ...['--out', out, '--json'],
  ]);
  expect(`${stdout}${stderr}`).not.toMatch(/bug in it|\n\s+at .*:\d+:\d+/);
  const { csv } = JSON.parse(stdout);
  const rows = csv === null ? [] : await readRows(onlyFile(out, '.csv'));
  const transcripts = rows.map((row) => `${row.config} ${row.requests} ${row.transcriptHash}`);
  return { code, stderr, transcripts };
}

/** What may happen to a file of this content. */
const CHANGES: Readonly<Record<string, (file: string) => void>> = {
  'grows by a line': (file) => appendFileSync(file, `${logLine(3)}\n`),
  'grows by half a line': (file) => appendFileSync(file, logLine(3).slice(0, 60)),
  'loses its second half': (file) => truncateSync(file, readFileSync(file).length >> 1),
  'is emptied': (file) => truncateSync(file, 0),
  'is replaced by another': (file) => {
    rmSync(file);
    writeFileSync(file, log(5).replaceAll('go on', 'come back'));
  },
  'is replaced by what is no text': (file) => {
    rmSync(file);
    writeFileSync(file, Buffer.from([0xff, 0x00, 0xfe, 0x80]));
  },
  'is removed': (file) => rmSync(file),
  'is written anew in its place': (file) => {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('o', '0'));
  },
};

const KINDS: Readonly<Record<string, (file: string) => void>> = {
  'log.jsonl': (file) => writeFileSync(file, log(3)),
  'runs.json': (file) => trajectories(file, [0, 1]),
};

describe.each(Object.entries(KINDS))('%s', (name, write) => {
  test.each(Object.entries(CHANGES))('that %s while it is read', async (_, change) => {
    const make = () => {
      const file = join(temporaryFolder(), name);
      write(file);
      return file;
    };
    const before = await sweep(make());
    expect([before.code, before.transcripts.length]).toEqual([0, expect.any(Number)]);
    const changed = make();
    change(changed);
    const after = await sweep(changed);
    const known = new Set([...before.transcripts, ...after.transcripts]);
    let openings = 1;
    for (let nth = 0; nth < openings; nth++) {
      const file = make();
      const { result, opened } = await beforeOpening(
        file,
        nth,
        () => change(file),
        () => sweep(file),
      );
      openings = Math.max(openings, opened);
      const isOne = [before, after].some(
        ({ code, transcripts }) =>
          code === result.code &&
          JSON.stringify(transcripts) === JSON.stringify(result.transcripts),
      );
      if (isOne) continue;
      // Something of both, or of neither: then it is told, and each row is of one moment.
      expect([2, 1], result.stderr).toContain(result.code);
      expect(result.stderr).toContain(basename(file));
      for (const transcript of result.transcripts) expect(known).toContain(transcript);
    }
    expect(openings).toBeGreaterThan(0);
  });
});

test('a large recording that shrinks or is replaced between two readings is told of', async () => {
  // Of a size that is not kept in memory.
  const large = log(3, 700_000);
  const make = () => {
    const file = join(temporaryFolder(), 'log.jsonl');
    writeFileSync(file, large);
    return file;
  };
  const before = await sweep(make());
  expect(before.code).toBe(0);
  for (const name of [
    'loses its second half',
    'is replaced by what is no text',
    'grows by half a line',
  ]) {
    const change = CHANGES[name];
    if (change === undefined) throw new Error(`no change ${name}`);
    const file = make();
    const { result } = await beforeOpening(
      file,
      2,
      () => change(file),
      () => sweep(file),
    );
    const isBefore = JSON.stringify(result.transcripts) === JSON.stringify(before.transcripts);
    if (isBefore && result.code === 0) continue;
    expect([result.code, result.stderr], name).toEqual([2, expect.stringContaining('log.jsonl')]);
  }
}, 120_000);

test('a large recording that is written anew in its place is that of one moment', async () => {
  const large = log(3, 700_000);
  const make = (text: string) => {
    const file = join(temporaryFolder(), 'log.jsonl');
    writeFileSync(file, text);
    return file;
  };
  const other = large.replaceAll('word', 'ward');
  const [before, after] = [await sweep(make(large)), await sweep(make(other))];
  expect(before.transcripts).not.toEqual(after.transcripts);
  let openings = 3;
  for (let nth = 0; nth < openings; nth++) {
    const file = make(large);
    const change = () => writeFileSync(file, other);
    const { result, opened } = await beforeOpening(file, nth, change, () => sweep(file));
    openings = Math.min(5, opened);
    if (result.code !== 0) expect(result.stderr, `opening ${nth}`).toContain('log.jsonl');
    else expect([before.transcripts, after.transcripts]).toContainEqual(result.transcripts);
  }
}, 120_000);

test('a log that an agent appends to is read as it was at some moment, line by line', async () => {
  const file = join(temporaryFolder(), 'log.jsonl');
  writeFileSync(file, log(1));
  const lines = join(temporaryFolder(), 'lines.json');
  writeFileSync(
    lines,
    JSON.stringify(Array.from({ length: 300 }, (_, index) => `${logLine(index + 1)}\n`)),
  );
  const script = `
    const { appendFileSync, readFileSync } = require('node:fs');
    const [lines, file] = process.argv.slice(1);
    (async () => {
      for (const line of JSON.parse(readFileSync(lines, 'utf8'))) {
        appendFileSync(file, line.slice(0, line.length / 2));
        await new Promise((resolve) => setTimeout(resolve, 4));
        appendFileSync(file, line.slice(line.length / 2));
      }
      setInterval(() => {}, 1000);
    })();`;
  const agent = spawn(process.execPath, ['-e', script, lines, file], { stdio: 'inherit' });
  const reads: Read[] = [];
  try {
    await expect.poll(() => readFileSync(file, 'utf8').split('\n').length).toBeGreaterThan(2);
    for (let time = 0; time < 5; time++) reads.push(await sweep(file));
  } finally {
    agent.kill('SIGKILL');
    await once(agent, 'close');
  }
  for (const { code, stderr, transcripts } of reads) {
    // Half a line at the end is told of, and what stands before it is read.
    expect([0, 2]).toContain(code);
    if (code === 2) expect(stderr).toContain('log.jsonl');
    expect(transcripts.length).toBeGreaterThan(0);
    const [, requests = ''] = transcripts[0]?.split(' ') ?? [];
    const then = join(temporaryFolder(), 'log.jsonl');
    writeFileSync(then, log(Number(requests)));
    expect(transcripts).toEqual((await sweep(then)).transcripts);
  }
  const counts = reads.map(({ transcripts }) => Number(transcripts[0]?.split(' ')[1]));
  expect(counts).toEqual(counts.toSorted((a, b) => a - b));
  expect(counts.at(-1)).toBeGreaterThan(counts[0] ?? 0);
});

test('what is appended between the two passes of import --redact is redacted as well', async () => {
  const secret = 'correct7horse9battery';
  const key = join(temporaryFolder(), 'key');
  writeFileSync(key, 'a key of more than sixteen bytes');
  const file = join(temporaryFolder(), 'log.jsonl');
  const told = (text: string, words: string) =>
    `${JSON.stringify({
      provider: 'openai',
      session: text,
      body: {
        model: 'gpt-4.1',
        messages: [
          { role: 'user', content: text },
          { role: 'assistant', content: words },
          { role: 'user', content: 'and on' },
        ],
      },
    })}\n`;
  const added = told(`DB_PASSWORD=${secret}`, `I log in with ${secret} then`);
  const imported = async (nth: number) => {
    writeFileSync(file, told('go on', 'yes'));
    const out = temporaryFolder();
    const words = ['import', file, '--out', out, '--redact', '--redact-key', key];
    const change = () => appendFileSync(file, added);
    const { result, opened } = await beforeOpening(file, nth, change, () => command(words));
    const texts = readdirSync(out).map((name) => readFileSync(join(out, name), 'utf8'));
    return { ...result, opened, text: texts.join('') };
  };
  const whole = await imported(0);
  expect([whole.code, whole.text.includes('log in with')]).toEqual([0, true]);
  const ends: (number | null)[] = [];
  for (let nth = 0; nth < whole.opened; nth++) {
    const { code, stderr, text } = await imported(nth);
    expect(text, `opening ${nth}`).not.toContain(secret);
    if (code !== 0) expect(stderr).toContain('log.jsonl: the file was written to');
    ends.push(code);
  }
  expect(ends).toContain(2);
});
