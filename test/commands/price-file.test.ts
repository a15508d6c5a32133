import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePrices, readPrices } from '../../src/commands/price-file.ts';
import { HarnessError } from '../../src/errors.ts';
import { offlinePrices } from '../../src/model/prices.ts';
import { temporaryFolder } from '../support/folder.ts';

const folder = temporaryFolder();

function problem(text: string): string {
  try {
    parsePrices(text, 'prices.yaml');
  } catch (error) {
    if (error instanceof HarnessError) return `${error.code} ${error.describe()}`;
    throw error;
  }
  throw new Error('it was read');
}

const whole = `date: 2026-10-01
models:
  claude-sonnet-4-5:
    input: 3
    cache_read: 0.3
    cache_write_5m: 3.75
    cache_write_1h: 6
    output: 15
  local: { input: 0, output: 0 }
`;

describe('a price file', () => {
  test('is YAML or JSON, and its prices go before the table', async () => {
    writeFileSync(join(folder, 'prices.yaml'), whole);
    const table = await readPrices('prices.yaml', folder);
    expect(table.pricesOf('claude-sonnet-4-5', 10)).toEqual({
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite5m: 3.75,
      cacheWrite1h: 6,
    });
    expect(table.pricesOf('local', 10)).toEqual({ input: 0, output: 0 });
    expect(table.sourceOf('local')).toBe('prices.yaml of 2026-10-01');
    expect(table.sourceOf('gpt-4.1')).toBe(offlinePrices.sourceOf('gpt-4.1'));
    const json = JSON.stringify({ date: '2026-10-01', models: { m: { input: 1, output: 2 } } });
    expect(parsePrices(json, 'p.json').pricesOf('m', 1)).toEqual({ input: 1, output: 2 });
  });

  test('is not needed', async () => {
    expect(await readPrices(undefined, folder)).toBe(offlinePrices);
  });

  test('that is not there says so', async () => {
    await expect(readPrices('none.yaml', folder)).rejects.toMatchObject({
      code: 'input.missing',
      at: { file: 'none.yaml' },
    });
  });

  test.each([
    [
      'no day',
      whole.replace('2026-10-01', 'October'),
      'prices.yaml:1:7: date: found "October", expected a day such as 2026-11-30',
    ],
    ['a day that does not exist', whole.replace('2026-10-01', '2026-02-30'), 'expected a day'],
    [
      'a key that is misspelt',
      whole.replace('cache_read', 'cache_raed'),
      'prices.yaml:5:5: unknown key "models.claude-sonnet-4-5.cache_raed"; did you mean "cache_read"?',
    ],
    [
      'a price below 0',
      whole.replace('input: 3', 'input: -3'),
      'prices.yaml:4:12: models.claude-sonnet-4-5.input: found -3, expected a number, at least 0',
    ],
    [
      'a price that is no number',
      whole.replace('output: 15', 'output: free'),
      'prices.yaml:8:13: ',
    ],
    [
      'no price of output',
      whole.replace('    output: 15\n', ''),
      'models.claude-sonnet-4-5.output: found nothing',
    ],
    ['no date', whole.replace('date: 2026-10-01\n', ''), 'date: found nothing'],
    ['no mapping', 'prices', 'found a single value'],
    ['a list', '- a', 'expected a mapping such as "date: 2026-11-30"'],
    ['broken YAML', 'date: [', 'not valid YAML'],
  ])('with %s is refused where it stands', (_, text, message) => {
    expect(problem(text)).toContain(message);
  });
});
