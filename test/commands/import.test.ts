import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeWhole } from '../../src/commands/import/write-file.ts';
import { parseArguments } from '../../src/commands/program.ts';
import { HarnessError } from '../../src/errors.ts';
import { readRows } from '../../src/rows/csv.ts';
import { textWidth } from '../../src/text/width.ts';
import { encodeList } from '../../src/wire/dialect.ts';
import { temporaryFolder } from '../support/folder.ts';
import { piecesOf } from '../text/planted-secrets.ts';
import { cli, onlyFile } from './cli.ts';
import { plantedSessions } from './import/sessions.ts';

const FIXTURES = 'fixtures/transcripts';
const options = { force: false, redacted: false };

describe('import', () => {
  test('writes what reads back to the same rows, and again the same files', async () => {
    const folder = temporaryFolder();
    const out = join(folder, 'in', 'normalized');
    const first = await cli('import', FIXTURES, '--out', out, '--json');
    expect([first.code, first.stderr]).toEqual([0, '']);
    const { transcripts } = JSON.parse(first.stdout);
    expect(transcripts.length).toBeGreaterThan(8);
    expect(readdirSync(out).sort()).toEqual(
      transcripts.map((one: { file: string }) => one.file).sort(),
    );
    const again = await cli('import', FIXTURES, '--out', out);
    expect(again.stdout).toMatch(/\(0 written, \d+ as\s+they\s+were\)/);
    const [before, after] = [await sweep(FIXTURES, folder, 'a'), await sweep(out, folder, 'b')];
    expect(after.map(({ transcriptHash }) => transcriptHash).sort()).toEqual(
      before.map(({ transcriptHash }) => transcriptHash).sort(),
    );
    expect(new Set(after.map(({ sourceFormat }) => sourceFormat))).toEqual(new Set(['normalized']));
  }, 60_000);

  test('refuses to replace a file of another content, and leaves it whole', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'talk.json');
    const say = (text: string) =>
      writeFileSync(
        file,
        JSON.stringify([
          { role: 'user', content: text },
          { role: 'assistant', content: 'ok' },
        ]),
      );
    const out = join(folder, 'out');
    say('one');
    await cli('import', file, '--out', out);
    const [name = ''] = readdirSync(out);
    const before = readFileSync(join(out, name), 'utf8');
    say('two');
    const refused = await cli('import', file, '--out', out);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--force')]);
    expect(readFileSync(join(out, name), 'utf8')).toBe(before);
    expect((await cli('import', file, '--out', out, '--force')).code).toBe(0);
    expect(readFileSync(join(out, name), 'utf8')).toContain('two');
    expect(readdirSync(out)).toEqual([name]);
  });

  test('tells what could not be read, and imports the rest', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'in'));
    writeFileSync(
      join(folder, 'in', 'a.json'),
      '[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]',
    );
    writeFileSync(
      join(folder, 'in', 'b.jsonl'),
      '{"type":"transcript","format":"compaction-harness","version":9}\n',
    );
    const out = join(folder, 'out');
    const { code, stdout, stderr } = await cli('import', join(folder, 'in'), '--out', out);
    expect(code).toBe(2);
    expect(stdout).toContain('1 transcripts');
    expect(stderr).toMatch(/b\.jsonl:1: expected version 1 of the normalized format, found 9/);
    const nested = await cli('import', folder, '--out', join(folder, 'in'));
    expect([nested.code, nested.stderr]).toEqual([2, expect.stringContaining('outside of it')]);
  });

  test.each([
    [['import'], /name the recordings/],
    [['import', 'a'], /--out DIR, or --list/],
    [['import', 'a', '--list', '--out', 'b'], /leave --out out/],
    [['import', 'a', '--list', '--redact'], /--redact has no effect with --list/],
    [['import', 'a', '--out', 'b', '--redact-key', 'k'], /no effect without --redact/],
    [['import', 'a', '--out', 'b', '--format', 'tau-bensh'], /did you mean tau-bench/],
    [['import', 'a', '--out', 'b', '--redakt'], /did you mean --redact\?/],
  ])('%j is refused with what to do', (words, message) => {
    expect(() => parseArguments(words)).toThrow(message);
    expect(() => parseArguments(words)).toThrow(HarnessError);
  });
});

test('a file is written whole or not at all', () => {
  const folder = temporaryFolder();
  const broken = function* () {
    yield 'a\n';
    throw new Error('no more');
  };
  expect(() => writeWhole(folder, 'x.jsonl', broken(), options)).toThrow(/cannot write: no more/);
  expect(readdirSync(folder)).toEqual([]);
  expect(writeWhole(folder, 'x.jsonl', ['a\n', '\ud83d\n'], options)).toBe('written');
  expect(() => writeWhole(folder, 'x.jsonl', broken(), { ...options, force: true })).toThrow();
  expect(readdirSync(folder)).toEqual(['x.jsonl']);
});

test('the same import under another key replaces its files; another content does not', () => {
  const folder = temporaryFolder();
  const redacted = { ...options, redacted: true };
  writeWhole(folder, 'x', ['REDACTED_jwt_a1 REDACTED_jwt_b2 REDACTED_jwt_a1\n'], redacted);
  const again = ['REDACTED_jwt_x9 REDACTED_jwt_y8 REDACTED_jwt_x9\n'];
  expect(writeWhole(folder, 'x', again, redacted)).toBe('replaced');
  expect(writeWhole(folder, 'x', again, redacted)).toBe('unchanged');
  const other = ['REDACTED_jwt_x9 REDACTED_jwt_y8 REDACTED_jwt_y8\n'];
  expect(() => writeWhole(folder, 'x', other, redacted)).toThrow(/another content/);
});

async function sweep(path: string, folder: string, name: string) {
  const out = join(folder, `runs-${name}`);
  const words = [
    'sweep',
    '--config',
    'cg-summarize',
    '--transcripts',
    path,
    '--out',
    out,
    '--jobs',
    '1',
  ];
  const { code, stderr } = await cli(...words);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('error')]);
  return readRows(onlyFile(out, '.csv'));
}

test('planted secrets are in no file of a redacted import, no row, no report and no page', async () => {
  const [session] = fc.sample(plantedSessions, { numRuns: 1, seed: 6 });
  if (session === undefined) throw new Error('no session');
  const folder = temporaryFolder();
  const last = session.transcript.requests.at(-1);
  const messages = [...(last?.messages ?? []), ...(last?.action ? [last.action] : [])];
  const file = join(folder, 'deploy.json');
  writeFileSync(file, encodeList(messages));
  const out = join(folder, 'redacted');
  const imported = await cli('import', file, '--out', out, '--redact', '--loss');
  expect([imported.code, imported.stderr]).toEqual([0, '']);
  expect(imported.stdout).toMatch(/\d+\s+github-token/);
  const [recorded, safe] = [
    await sweep(file, folder, 'recorded'),
    await sweep(out, folder, 'safe'),
  ];
  const runs = join(folder, 'runs-recorded');
  const page = join(folder, 'report.html');
  const report = await cli('report', onlyFile(runs, '.csv'), '--out', page);
  expect(report.code).toBe(0);
  const show = await cli(
    'show',
    'deploy',
    '--config',
    'cg-summarize',
    '--transcripts',
    file,
    '--request',
    '15',
    '--json',
  );
  const outputs: Record<string, string> = {
    import: imported.stdout,
    'imported file': readFileSync(onlyFile(out, '.jsonl'), 'utf8'),
    csv: readFileSync(onlyFile(runs, '.csv'), 'utf8'),
    report: readFileSync(page, 'utf8'),
    'report, printed': `${report.stdout}${report.stderr}`,
    show: show.stdout,
  };
  expect(session.planted.length).toBeGreaterThanOrEqual(12);
  for (const [name, output] of Object.entries(outputs)) {
    expect(output.length).toBeGreaterThan(50);
    for (const planted of session.planted) {
      for (const piece of piecesOf(planted)) {
        expect([name, planted.kind, output.includes(piece)]).toEqual([name, planted.kind, false]);
      }
    }
  }
  const evidence = (rows: typeof recorded) =>
    rows.map((row) => [
      row.config,
      row.actionsWithEvidence,
      row.evidenceTotal,
      row.evidenceKept,
      row.evidenceLost,
      row.evidenceRecoverable,
      row.fired,
    ]);
  expect(evidence(safe)).toEqual(evidence(recorded));
  expect(recorded.some(({ fired = 0 }) => fired > 0)).toBe(true);
}, 120_000);

describe('import --list', () => {
  test('is a table of at most 80 columns, with a line for what is no recording', async () => {
    const folder = temporaryFolder();
    const long = join(folder, `${'very-long-name-'.repeat(8)}.json`);
    writeFileSync(long, '[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]');
    writeFileSync(join(folder, 'README.md'), '# no recording');
    const { code, stdout } = await cli('import', '--list', FIXTURES, folder, '--loss');
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^ {2}format +agent.* trans\. +msgs +calls +tokens +reward +prob\.$/m);
    expect(stdout).toMatch(/llm-request-log +scripted-agent/);
    expect(stdout).toContain('2 messages: 2 read');
    expect(stdout).toContain('1 files are no recordings');
  });

  test('gives the same as JSON, with the loss report of each file', async () => {
    const { code, stdout } = await cli('import', '--list', FIXTURES, '--json');
    expect(code).toBe(0);
    const { files } = JSON.parse(stdout);
    expect(files.length).toBeGreaterThan(8);
    for (const file of files) {
      expect(file).toMatchObject({
        format: 'llm-request-log',
        errors: 0,
        agents: ['scripted-agent'],
      });
      expect(Math.min(file.transcripts, file.messages, file.requests, file.tokens)).toBeGreaterThan(
        0,
      );
      const { found, read, merged, skipped } = file.loss;
      const all: number[] = [
        read,
        ...Object.values<number>(merged),
        ...Object.values<number>(skipped),
      ];
      expect(all.reduce((sum, count) => sum + count, 0)).toBe(found);
    }
  });

  test('is inert on a terminal as JSON too, and means the same', async () => {
    const folder = temporaryFolder();
    const agent = 'a\u202e\u009b2J\u001b[31m\u200b\u{e0041}';
    const body = { model: 'x', messages: [{ role: 'user', content: 'go' }] };
    writeFileSync(join(folder, 'a.jsonl'), `${JSON.stringify({ agent, body })}\n`);
    const { stdout } = await cli('import', '--list', folder, '--json');
    expect(JSON.parse(stdout).files[0].agents).toEqual([agent]);
    expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  test('writes nothing', async () => {
    const folder = temporaryFolder();
    await cli('import', '--list', FIXTURES);
    expect(existsSync(join(folder, 'out'))).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });
});
