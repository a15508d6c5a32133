import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { beforeAll, describe, expect, test } from 'vitest';
import { parquetFile } from '../../src/report/parquet.ts';
import { requestColumns } from '../../src/report/parquet-requests.ts';
import { columnList } from '../../src/rows/columns.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cli, onlyFile, root } from './cli.ts';

const folder = temporaryFolder();
const rowsFile = join(folder, 'rows.parquet');
const requestsFile = join(folder, 'rows.requests.parquet');
const page = readFileSync(join(root, 'docs/parquet.md'), 'utf8');
let csv = '';

const duckdb = await import('@duckdb/node-api').catch(() => undefined);
const ifDuckdb = duckdb === undefined ? ' (skipped: no @duckdb/node-api here)' : '';

/** Rows of a query over the files, values as DuckDB spells them. */
async function query(sql: string): Promise<(string | null)[][]> {
  if (duckdb === undefined) throw new Error('no DuckDB');
  const connection = await (await duckdb.DuckDBInstance.create(':memory:')).connect();
  const reader = await connection.runAndReadAll(sql);
  connection.closeSync();
  return reader.getRows().map((row) => row.map((value) => (value === null ? null : String(value))));
}

const quoted = (file: string) => `'${file.replaceAll("'", "''")}'`;

beforeAll(async () => {
  const runs = join(folder, 'runs');
  await cli('sweep', '--config', 'cg-summarize,cg-mask', '--out', runs);
  csv = onlyFile(runs, '.csv');
  const words = ['--out', join(folder, 'report.html'), '--parquet', rowsFile];
  expect(await cli('report', csv, ...words)).toMatchObject({ code: 0 });
}, 240_000);

describe('rows as Parquet', () => {
  test('have the columns of the CSV, and its values', async () => {
    const [header = [], ...records]: string[][] = parse(readFileSync(csv, 'utf8'));
    const file = readFileSync(rowsFile);
    const buffer = file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
    const rows = await parquetReadObjects({ file: buffer });
    expect(parquetMetadata(buffer).num_rows).toBe(BigInt(records.length));
    expect(Object.keys(rows[0] ?? {})).toEqual(header);
    for (const [index, record] of records.entries()) {
      for (const [at, { header: name, type }] of columnList.entries()) {
        const [text, value] = [record[at] ?? '', rows[index]?.[name]];
        if (text === '') expect(value, name).toBeNull();
        else if (type === 'number') expect(value, name).toBe(Number(text));
        else if (type === 'boolean') expect(value, name).toBe(text === 'True');
        else expect(value, name).toBe(text);
      }
    }
  });

  test.skipIf(duckdb === undefined)(`equal the CSV's, read back by DuckDB${ifDuckdb}`, async () => {
    const types = columnList.map(({ header, type }) => {
      const name = type === 'number' ? 'DOUBLE' : type === 'boolean' ? 'BOOLEAN' : 'VARCHAR';
      return `'${header}': '${name}'`;
    });
    const rows = `read_csv(${quoted(csv)}, header = true, columns = {${types.join(', ')}})`;
    const parquet = `read_parquet(${quoted(rowsFile)})`;
    for (const [one, other] of [
      [rows, parquet],
      [parquet, rows],
    ]) {
      const only = `SELECT count(*) FROM (SELECT * FROM ${one} EXCEPT ALL SELECT * FROM ${other})`;
      expect(await query(only)).toEqual([['0']]);
    }
    const [[count] = []] = await query(`SELECT count(*) FROM ${parquet}`);
    expect(count).toBe('30');
    // The comparison sees a difference where there is one.
    const changed = `SELECT * REPLACE (gw_after + 1 AS gw_after) FROM ${parquet} LIMIT 1`;
    const found = `SELECT count(*) FROM ((${changed}) EXCEPT ALL SELECT * FROM ${rows})`;
    expect(await query(found)).toEqual([['1']]);
  });

  test('a file of no rows keeps its columns', async () => {
    const file = parquetFile([
      { name: 'task', type: 'STRING', values: [] },
      { name: 'tokens', type: 'DOUBLE', values: [] },
    ]);
    const { schema, num_rows } = parquetMetadata(new Uint8Array(file).buffer);
    expect([num_rows, schema.slice(1).map(({ name }) => name)]).toEqual([0n, ['task', 'tokens']]);
  });
});

describe.skipIf(duckdb === undefined)(`requests as Parquet${ifDuckdb}`, () => {
  test('add up to the rows', async () => {
    const differing = await query(`
      SELECT count(*) FROM (
        SELECT cell_id, count(*)::DOUBLE AS requests, sum(tokens_before)::DOUBLE AS b,
          sum(tokens_after)::DOUBLE AS a, sum(changed::INTEGER)::DOUBLE AS fired,
          sum(decisions)::DOUBLE AS cycles, sum(model_calls)::DOUBLE AS calls,
          sum(evidence_kept)::DOUBLE AS kept, sum(evidence_lost)::DOUBLE AS lost
        FROM ${quoted(requestsFile)} GROUP BY cell_id
      ) q FULL JOIN ${quoted(rowsFile)} r USING (cell_id)
      WHERE (q.requests, q.b, q.a, q.fired, q.cycles, q.calls, q.kept, q.lost)
        IS DISTINCT FROM
        (gw_requests, gw_before, gw_after, r.fired, r.cycles, r.model_calls, evidence_kept, r.evidence_lost)`);
    expect(differing).toEqual([['0']]);
  });

  const queries = [...page.matchAll(/```sql\n([\s\S]*?)```\n\n(\|[\s\S]*?)\n\n/g)];

  test('the page has three worked queries', () => {
    expect(queries).toHaveLength(3);
  });

  test.each(queries.map(([, sql = '', answer = ''], index) => [index + 1, sql, answer] as const))(
    'query %d of docs/parquet.md gives its answer',
    async (_, sql, answer) => {
      const here = sql
        .replaceAll("'rows.parquet'", quoted(rowsFile))
        .replaceAll("'rows.requests.parquet'", quoted(requestsFile));
      const rows = await query(here);
      const lines = rows.map((row) => `| ${row.join(' | ')} |`);
      expect(lines.length).toBeGreaterThan(1);
      expect(
        answer.split('\n').slice(2),
        `paste into docs/parquet.md:\n${lines.join('\n')}\n`,
      ).toEqual(lines);
    },
  );
});

test('docs/parquet.md names each column of the requests', () => {
  for (const { name } of requestColumns) expect(page).toContain(`\`${name}\``);
});
