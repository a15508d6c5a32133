import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { columnList, columns } from '../../src/rows/columns.ts';

const published = resolve(process.env.CG_SHARED ?? '../shared', 'results/context-guru');
const hasPublished = existsSync(published);

const FIRST =
  'task,config,agent,reward,passed,wall_s,gw_requests,gw_before,gw_after,gw_saved,gw_pct,note';

describe('columns', () => {
  test('begin with the twelve that the published sweep has', () => {
    expect(columnList.slice(0, 12).map(({ header }) => header)).toEqual(FIRST.split(','));
  });

  test.runIf(hasPublished)(`are those of the published file in ${published}`, () => {
    const [name] = readdirSync(published).filter((file) => file.endsWith('.csv'));
    const [header] = readFileSync(join(published, name ?? ''), 'utf8').split(/\r?\n/);
    expect(header).toBe(FIRST);
  });

  test('have one header, one field and one sentence each', () => {
    const distinct = (values: readonly string[]) => new Set(values).size;
    expect(distinct(columnList.map(({ header }) => header))).toBe(columnList.length);
    expect(distinct(columnList.map(({ field }) => field))).toBe(columnList.length);
    expect(distinct(columnList.map(({ description }) => description))).toBe(columnList.length);
    for (const { description, header } of columnList) {
      expect(description.length, header).toBeGreaterThan(10);
    }
    for (const [name, column] of Object.entries(columns)) expect(column.header).toBe(name);
  });

  test('keep the columns of a group side by side', () => {
    const groups = columnList.map(({ group }) => group);
    const runs = groups.filter((group, index) => group !== groups[index - 1]);
    expect(runs).toHaveLength(new Set(groups).size);
  });
});
