import { resolve } from 'node:path';
import { z } from 'zod';
import { plain } from '../compaction/located.ts';
import { Problems } from '../compaction/problems.ts';
import { LARGEST_YAML, readYamlMapping } from '../compaction/yaml-document.ts';
import { addIssues } from '../compaction/zod-places.ts';
import { HarnessError } from '../errors.ts';
import { type ModelPrices, offlinePrices, type PriceTable, pricesFrom } from '../model/prices.ts';
import { wholeText } from '../text/whole-file.ts';

/** USD for a million tokens. */
const price = z.number().min(0);

const modelPrices = z.strictObject({
  input: price,
  output: price,
  cache_read: price.optional(),
  cache_write_5m: price.optional(),
  cache_write_1h: price.optional(),
});

const priceFile = z.strictObject({
  /** Day that the prices were valid at; stands in `price_basis`. */
  date: z.string().refine(isDay, 'a day such as 2026-11-30'),
  models: z.record(z.string(), modelPrices),
});

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/**
 * The prices of a YAML or JSON file before those of the built-in table:
 * `{date, models: {NAME: {input, output, cache_read, cache_write_5m, cache_write_1h}}}`, USD for a million
 * tokens. The table alone where no file is given.
 *
 * Rejects with `input.missing`, `input.size`; with `config.syntax`, `config.key` or `config.value` at file and line for a
 * file that is none of prices.
 */
export async function readPrices(file: string | undefined, cwd: string): Promise<PriceTable> {
  if (file === undefined) return offlinePrices;
  return parsePrices(await priceText(file, cwd), file);
}

/** The text of a price file. Rejects with `input.missing` or `input.size`. */
export function priceText(file: string, cwd: string): Promise<string> {
  return wholeText(resolve(cwd, file), {
    what: 'the prices',
    shown: file,
    limit: 4 * LARGEST_YAML,
    advice: 'give --prices the path of a YAML or JSON file',
  });
}

const EXAMPLE = 'date: 2026-11-30';

/** As `readPrices`, of a text. */
export function parsePrices(text: string, file: string): PriceTable {
  const problems = new Problems();
  const document = readYamlMapping(text, file, problems, EXAMPLE);
  const result = document === undefined ? undefined : priceFile.safeParse(plain(document));
  if (document !== undefined && result?.success === false) {
    addIssues(result.error, priceFile, document, problems);
  }
  problems.throwIfAny();
  if (result?.success !== true) {
    throw new HarnessError('config.syntax', 'expected a mapping with date and models', {
      at: { file },
    });
  }
  const { date, models } = result.data;
  const known = Object.entries(models).map(([name, given]): [string, ModelPrices] => [
    name,
    {
      input: given.input,
      output: given.output,
      ...(given.cache_read === undefined ? {} : { cacheRead: given.cache_read }),
      ...(given.cache_write_5m === undefined ? {} : { cacheWrite5m: given.cache_write_5m }),
      ...(given.cache_write_1h === undefined ? {} : { cacheWrite1h: given.cache_write_1h }),
    },
  ]);
  return pricesFrom(new Map(known), `${file} of ${date}`);
}
