import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Content,
  fileContent,
  LARGE_BYTES,
  listPieces,
  memoryContent,
} from '../../src/recordings/content.ts';
import { readAll } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'content-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function written(text: string | Buffer): string {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  return path;
}

function piecesOf(content: Content): { line: number; start: number; text: string }[] {
  const found: { line: number; start: number; text: string }[] = [];
  for (const { line, start, bytes } of content.pieces()) {
    found.push({ line, start, text: bytes.toString('utf8') });
    expect(content.read(start, bytes.length).toString('utf8')).toBe(bytes.toString('utf8'));
  }
  return found;
}

/** Short and long against the window that the file is read through. */
const lines = fc.array(
  fc
    .oneof(fc.constantFrom('', ' ', 'a', 'é€😀'), fc.string({ maxLength: 60 }))
    .map((text) => text.replaceAll('\n', ' ')),
  { maxLength: 12 },
);
const windows = fc.constantFrom(1, 2, 7, 16, 4096);

describe('the pieces of a file', () => {
  test('are its lines, whatever the size of the window, and as those of bytes in memory', () => {
    fc.assert(
      fc.property(lines, fc.boolean(), windows, (list, hasEnd, window) => {
        const text = `${list.join('\n')}${hasEnd ? '\n' : ''}`;
        const found = piecesOf(fileContent(written(text), { window }));
        expect(found).toEqual(piecesOf(memoryContent(Buffer.from(text))));
        const expected = text === '' ? [] : text.replace(/\n$/, '').split('\n');
        expect(found.map((piece) => piece.text)).toEqual(expected);
        expect(found.map(({ line }) => line)).toEqual(expected.map((_, index) => index + 1));
      }),
      { numRuns: 300 },
    );
  });

  test('are the elements of a list, each with its line', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { maxLength: 8 }),
        fc.constantFrom(0, 1, undefined),
        windows,
        (values, indent, window) => {
          const text = ` ${JSON.stringify(values, undefined, indent)}\n`;
          const content = fileContent(written(text), { window, pieces: listPieces });
          const found = piecesOf(content);
          expect(found.map((piece) => JSON.parse(piece.text))).toEqual(
            JSON.parse(text).map((value: unknown) => value),
          );
          for (const { line, start } of found) {
            expect(line).toBe(Buffer.from(text).subarray(0, start).toString().split('\n').length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([
    ['[{"a":1}', 'expected "," or "]", found its end'],
    ['[{"a":1', 'expected the end of an entry, found its end'],
    ['[{"a":1}\n{"a":2}]', 'expected "," or "]", found "{"'],
    ['[{"a":1}] x', 'expected nothing behind the list, found "x"'],
    ['[}]', 'expected an entry, found "}"'],
    ['{"a":1}', 'expected a list, found "{"'],
  ])('of the broken list %s end with an error that says why', (text, message) => {
    const content = fileContent(written(text), { window: 3, pieces: listPieces });
    expect(() => [...content.pieces()]).toThrow(message);
  });

  test('end with input.changed where the file is another one by now, and leave out what was appended', () => {
    const path = written('one\ntwo\n');
    const content = fileContent(path, { window: 4 });
    writeFileSync(path, 'three\n', { flag: 'a' });
    expect(piecesOf(content).map(({ text }) => text)).toEqual(['one', 'two']);
    writeFileSync(path, 'one\n');
    expect(() => [...content.pieces()]).toThrow('it had 8 bytes, and has 4 now');
  });
});

describe('a large file', () => {
  const trajectory = (task: number, size: number) => ({
    task_id: task,
    reward: task % 2,
    traj: [
      { role: 'user', content: `Do ${task}.` },
      { role: 'assistant', content: `Done ${task}.`.repeat(size) },
    ],
  });
  const each = 200_000;
  const count = Math.ceil((3 * LARGE_BYTES) / (each * 7));
  const entries = Array.from({ length: count }, (_, task) => trajectory(task, each));

  test.each([
    ['a list', () => JSON.stringify(entries)],
    ['lines', () => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')],
  ])(
    'that is %s gives its transcripts in several readings, the same as small files do',
    async (_, make) => {
      const path = written(make());
      const large = await readAll([path], { cwd: folder });
      expect(large.problems).toEqual([]);
      expect(large.groups).toBeGreaterThan(1);
      const small = [];
      for (const entry of entries) {
        writeFileSync(path, JSON.stringify([entry]));
        small.push(...(await readAll([path], { cwd: folder })).transcripts);
      }
      expect(large.transcripts).toEqual(small);
      expect(large.losses).toMatchObject([{ found: 2 * count, read: 2 * count }]);
    },
  );

  test('with a broken entry reports it with its line, and reads the others', async () => {
    const text = entries.map((entry) => JSON.stringify(entry)).join(',\n');
    const path = written(`[${text.replace('"task_id":3', '"task_id":{}')}]`);
    const { transcripts, problems } = await readAll([path], { cwd: folder });
    expect(transcripts).toHaveLength(count - 1);
    expect(problems).toMatchObject([{ code: 'input.schema', at: { file: path, line: 4 } }]);
  });
});
