import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { gunzip, listZip, readZipEntry } from '../../src/recordings/archive.ts';
import { jsonl, readFiles } from './support.ts';

const text = (value: string) => new TextEncoder().encode(value);
const body = (...texts: readonly string[]) => ({
  model: 'gpt-x',
  messages: texts.map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
  })),
});
const log = jsonl(body('a'), body('a', 'b', 'c'));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function saved(bytes: Uint8Array): string {
  const path = join(folder, 'x.zip');
  writeFileSync(path, bytes);
  return path;
}

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof HarnessError) return error.code;
    throw error;
  }
  return 'none';
}

describe('gzip', () => {
  test('a file is read as what it holds, and named for it', async () => {
    const { transcripts, problems } = await readFiles({ 'log.jsonl.gz': gzipSync(log) });
    expect(problems).toEqual([]);
    expect(transcripts.map(({ task, source }) => [task, source.file])).toEqual([
      ['log', 'log.jsonl.gz'],
    ]);
    expect(transcripts[0]?.requests).toHaveLength(2);
  });

  test('a truncated file is an error, and the others are read', async () => {
    const files = { 'cut.jsonl.gz': gzipSync(log).subarray(0, 60), 'good.jsonl': text(log) };
    const { transcripts, problems } = await readFiles(files);
    expect(problems).toMatchObject([
      { code: 'input.archive', severity: 'error', at: { file: 'cut.jsonl.gz' } },
    ]);
    expect(transcripts).toHaveLength(1);
  });

  test('a bomb is a named error', () => {
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    expect(bomb.length).toBeLessThan(2000);
    expect(codeOf(() => gunzip(bomb, 999_999))).toBe('input.size');
    expect(gunzip(bomb, 1_000_000)).toHaveLength(1_000_000);
  });

  test('a tar archive inside says so', async () => {
    const tar = Buffer.alloc(1024);
    tar.write('ustar', 257);
    const { problems } = await readFiles({ 'x.tar.gz': gzipSync(tar) }, ['x.tar.gz']);
    expect(problems).toMatchObject([{ code: 'input.archive', severity: 'error' }]);
    expect(problems[0]?.message).toContain('tar');
  });
});

describe('zip', () => {
  test('each file inside is a file of its own, in natural order', async () => {
    const archive = zipSync({
      'runs/b10.jsonl': text(log),
      'runs/b9.jsonl': [text(log), { level: 0 }],
      'runs/': new Uint8Array(),
      'runs/deep/c.jsonl.gz': gzipSync(log),
      'LICENSE.txt': text('MIT'),
      '__MACOSX/runs/._b9.jsonl': text('x'),
      'runs/.hidden.jsonl': text(log),
    });
    const { transcripts, problems } = await readFiles({ 'all.zip': archive }, ['all.zip']);
    expect(transcripts.map(({ source }) => source.file)).toEqual([
      'all.zip!/runs/b9.jsonl',
      'all.zip!/runs/b10.jsonl',
      'all.zip!/runs/deep/c.jsonl.gz',
    ]);
    expect(problems.map(({ at, severity }) => [at.file, severity])).toEqual([
      ['all.zip!/LICENSE.txt', 'notice'],
    ]);
  });

  test('an archive without recordings, one that is cut, and one that is none', async () => {
    const whole = zipSync({ 'a.jsonl': text(log) });
    const { problems, transcripts } = await readFiles({
      'cut.zip': whole.subarray(0, whole.length - 30),
      'empty.zip': zipSync({ '.hidden': text('x') }),
      'none.zip': text('not a zip'),
      'good.jsonl': text(log),
    });
    expect(problems.map(({ code, at, severity }) => [at.file, code, severity])).toEqual([
      ['cut.zip', 'input.archive', 'error'],
      ['empty.zip', 'input.empty', 'error'],
      ['none.zip', 'input.format', 'notice'],
    ]);
    expect(transcripts).toHaveLength(1);
  });

  test('a bomb is a named error, whatever the archive says of its size', () => {
    const bytes = zipSync({ bomb: [new Uint8Array(1_000_000), { level: 9 }] });
    const path = saved(bytes);
    const [entry] = listZip(path);
    if (entry === undefined) throw new Error('no entry');
    expect(entry.size).toBe(1_000_000);
    expect(codeOf(() => readZipEntry(path, entry, 999_999))).toBe('input.size');
    expect(codeOf(() => readZipEntry(path, { ...entry, size: 10 }, 999_999))).toBe('input.size');
    expect(readZipEntry(path, entry, 1_000_000)).toHaveLength(1_000_000);
  });

  test('a method that is not known, and an encrypted file', () => {
    const path = saved(zipSync({ a: text('a'.repeat(100)) }));
    const [entry] = listZip(path);
    if (entry === undefined) throw new Error('no entry');
    expect(codeOf(() => readZipEntry(path, { ...entry, method: 93 }))).toBe('input.archive');
    expect(codeOf(() => readZipEntry(path, { ...entry, isEncrypted: true }))).toBe('input.archive');
  });

  test('property: what was packed is unpacked', () => {
    const files = fc.dictionary(
      fc.stringMatching(/^[a-z]{1,8}$/),
      fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(0, 6, 9)),
      { minKeys: 1 },
    );
    fc.assert(
      fc.property(files, (packed) => {
        const archive = zipSync(
          Object.fromEntries(
            Object.entries(packed).map(([name, [bytes, level]]) => [
              name,
              [bytes, { level: level === 9 ? 9 : level === 6 ? 6 : 0 }],
            ]),
          ),
        );
        const path = saved(archive);
        for (const entry of listZip(path)) {
          expect([...readZipEntry(path, entry)]).toEqual([...(packed[entry.name]?.[0] ?? [1])]);
        }
        expect(listZip(path)).toHaveLength(Object.keys(packed).length);
      }),
      { numRuns: 60 },
    );
  });

  test('property: any damage to an archive is a named error or harmless', () => {
    const whole = zipSync({ 'a.json': text(log), 'b.json': text(log.repeat(20)) });
    let refused = 0;
    fc.assert(
      fc.property(
        fc.nat({ max: whole.length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, change) => {
          const bytes = whole.slice();
          bytes[at] = (bytes[at] ?? 0) ^ change;
          const path = saved(bytes);
          const code = codeOf(() => {
            for (const entry of listZip(path)) readZipEntry(path, entry, 100_000);
          });
          if (code !== 'none') refused++;
          expect(['none', 'input.archive', 'input.size']).toContain(code);
        },
      ),
      { numRuns: 300, seed: 5 },
    );
    expect(refused).toBeGreaterThan(30);
  });
});
