import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeCell } from '../../src/rows/cell-text.ts';
import { columnList } from '../../src/rows/columns.ts';
import { parseRows, RowWriter, readRows, replaceRows } from '../../src/rows/csv.ts';
import { anyCellResult, awkwardText } from '../support/cell-results.ts';
import { temporaryFolder } from '../support/folder.ts';

const folder = temporaryFolder();
const hasPython = spawnSync('python3', ['--version']).status === 0;
let number = 0;
const newFile = () => join(folder, `rows-${number++}.csv`);

describe('rows in a file', () => {
  test('reading gives back what was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCellResult, { maxLength: 3 }), async (cells) => {
        const file = newFile();
        await replaceRows(file, cells);
        expect(await readRows(file)).toEqual(cells);
      }),
      { numRuns: 60 },
    );
  });

  test('appending row by row gives the same file as writing all at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCellResult, { maxLength: 3 }), async (cells) => {
        const [one, other] = [newFile(), newFile()];
        await replaceRows(one, cells);
        const writer = await RowWriter.create(other);
        await Promise.all(cells.map((cell) => writer.append(cell)));
        await writer.close();
        expect(readFileSync(other, 'utf8')).toBe(readFileSync(one, 'utf8'));
      }),
      { numRuns: 20 },
    );
  });

  test('each row is one line, and no text of it starts a formula', async () => {
    await fc.assert(
      fc.asyncProperty(anyCellResult, async (cell) => {
        const file = newFile();
        await replaceRows(file, [cell]);
        const lines = readFileSync(file, 'utf8').split('\n');
        expect(lines).toHaveLength(3);
        const texts = columnList.filter(({ type }) => type === 'text' || type === 'counts');
        for (const { header } of texts) {
          const written = dictionary(file)[header] ?? '';
          expect(written).not.toMatch(/^[=+\-@\t\r]/);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('a killed writer costs at most the last line, wherever it was cut', async () => {
    const cells = fc.sample(anyCellResult, { numRuns: 4, seed: 1 });
    const file = newFile();
    await replaceRows(file, cells);
    const bytes = readFileSync(file);
    const ends = [...bytes.entries()].filter(([, byte]) => byte === 10).map(([index]) => index + 1);
    fc.assert(
      fc.property(fc.integer({ min: ends[0] ?? 0, max: bytes.length }), (length) => {
        const whole = ends.filter((end) => end <= length).length - 1;
        const rows = parseRows(bytes.subarray(0, length).toString('utf8'), file);
        expect(rows).toEqual(cells.slice(0, whole));
      }),
    );
  });

  test('a file that exists is never written over', async () => {
    const file = newFile();
    writeFileSync(file, 'mine');
    await expect(RowWriter.create(file)).rejects.toMatchObject({ code: 'output.conflict' });
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('what is no row is refused with file, line and column', async () => {
    const file = newFile();
    await replaceRows(file, fc.sample(anyCellResult, { numRuns: 1, seed: 2 }));
    const line = columnList.map(() => 'x').join(',');
    appendFileSync(file, `${line}\n`);
    const at = { file, line: 3, key: 'reward' };
    await expect(readRows(file)).rejects.toMatchObject({ code: 'input.schema', at });
    writeFileSync(file, 'a,b\n1,2\n');
    await expect(readRows(file)).rejects.toMatchObject({ code: 'input.schema', at: { line: 1 } });
  });

  test('a file of an earlier version reads: what it has no column for was not measured', () => {
    const [cell] = fc.sample(anyCellResult, { numRuns: 1, seed: 3 });
    if (cell === undefined) throw new Error('no cell');
    const optional = columnList.filter(({ required }) => !required);
    fc.assert(
      fc.property(fc.subarray(optional), (absent) => {
        const left = columnList.filter((column) => !absent.includes(column));
        const header = left.map((column) => column.header).join(',');
        const line = stringify([left.map((column) => writeCell(column.value(cell)))]);
        const [read] = parseRows(`${header}\n${line}`, 'old.csv');
        const fields = new Set(absent.map(({ field }) => field));
        for (const { field } of columnList) {
          expect(read?.[field]).toEqual(fields.has(field) ? undefined : cell[field]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('a column that is not known, and one that is missing, are named', () => {
    const header = columnList.map((column) => column.header);
    const renamed = header.map((name) => (name === 'reward' ? 'rewrad' : name)).join(',');
    expect(() => parseRows(`${renamed}\n`, 'x.csv')).toThrow(/'rewrad'.*did you mean 'reward'/);
    const shorter = header.filter((name) => name !== 'cell_id').join(',');
    expect(() => parseRows(`${shorter}\n`, 'x.csv')).toThrow(/no column 'cell_id'/);
  });

  test.runIf(hasPython)('csv.DictReader of plain Python reads the same cells', async () => {
    const cells = fc.sample(fc.tuple(anyCellResult, awkwardText), { numRuns: 20, seed: 3 });
    const file = newFile();
    await replaceRows(
      file,
      cells.map(([cell, task]) => ({ ...cell, task })),
    );
    const script =
      'import csv,json,sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1], encoding="utf-8")))))';
    const output = execFileSync('python3', ['-c', script, file], { encoding: 'utf8' });
    const rows = JSON.parse(output) as Record<string, string>[];
    expect(rows).toHaveLength(cells.length);
    const tasks = parseRows(readFileSync(file, 'utf8'), file).map(({ task }) => task);
    expect(tasks).toEqual(cells.map(([, task]) => task));
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(columnList.map(({ header }) => header));
      expect(row.passed).toMatch(/^(True|False|)$/);
    }
  });
});

/** The first row as header → written text, by a reader of our own: quotes doubled, commas inside. */
function dictionary(file: string): Record<string, string> {
  const [header = '', row = ''] = readFileSync(file, 'utf8').split('\n');
  const cells = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map((match) =>
    (match[1] ?? match[2] ?? '').replaceAll('""', '"'),
  );
  return Object.fromEntries(header.split(',').map((name, index) => [name, cells[index] ?? '']));
}
