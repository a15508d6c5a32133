import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { docsPages, docsText } from '../../src/commands/docs.ts';
import { catalog } from '../../src/compaction/catalog.ts';
import { configKeys } from '../../src/compaction/config-keys.ts';
import { leafPaths } from '../../src/compaction/zod-places.ts';
import { columnList } from '../../src/rows/columns.ts';
import { rules } from '../../src/shape/validate.ts';

const folder = resolve(import.meta.dirname, '../../docs');
const pageText = (name: string) => readFileSync(resolve(folder, name), 'utf8');

describe('the pages made from the code', () => {
  test.each(Object.entries(docsPages))('%s is up to date (npm run docs)', (name, page) => {
    expect(pageText(name)).toBe(docsText(page()));
  });

  test('name every column, rule and component', () => {
    for (const { header } of columnList) expect(pageText('columns.md')).toContain(`\`${header}\``);
    for (const { id } of rules) expect(pageText('rules.md')).toContain(`\`${id}\``);
    for (const name of catalog.keys()) {
      expect(pageText('config-keys.md')).toContain(`## \`${name}\``);
    }
  });
});

describe.each([...catalog.values()])('the keys of $name', ({ schema }) => {
  const keys = configKeys(schema);

  test('are those that a config may have', () => {
    const paths = leafPaths(schema).map((path) => path.join('.'));
    expect(keys.map(({ path }) => path).toSorted()).toEqual(paths.toSorted());
  });

  test.each(keys)('$path says what it means and what it takes', ({ meaning, accepts }) => {
    expect(meaning).toMatch(/\S.*\.$/);
    expect(accepts).not.toBe('anything');
  });
});
