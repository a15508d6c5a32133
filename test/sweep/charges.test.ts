import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import { type ModelPrices, offlinePrices, pricesFrom } from '../../src/model/prices.ts';
import { stubModel } from '../../src/model/stub.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import { askedPrice } from '../../src/rows/asked.ts';
import { type CellCharges, chargesOf } from '../../src/rows/charges.ts';
import { type CellResult, measuredCell } from '../../src/rows/result.ts';
import { appendCharges, repriced } from '../../src/sweep/charges.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { temporaryFolder } from '../support/folder.ts';
import { configsNamed, readAll } from '../support/sweeps.ts';

const folder = temporaryFolder();
const dear = { input: 30, output: 150, cacheRead: 3, cacheWrite5m: 37.5, cacheWrite1h: 60 };
const prices = pricesFrom(
  new Map<string, ModelPrices>([
    ['claude-sonnet-4-5', dear],
    ['gpt-4.1', { input: 20, output: 80, cacheRead: 5 }],
  ]),
  'own.yaml of 2026-10-01',
);

interface Measured {
  readonly row: CellResult;
  readonly again: CellResult;
  readonly charges: CellCharges;
}

const cells: Measured[] = [];

async function measure(transcript: Transcript, config: Config): Promise<Measured> {
  const model = stubModel('stub');
  const replay = await replayTranscript(transcript, config, {
    tokenizer: 'o200k_base',
    models: () => () => model,
    sample: 0,
    expand: true,
  });
  const labels = {
    ...{ transcript, config, sample: 0, model: 'stub', wallSeconds: 0 },
    ...{ cellId: `${transcript.task} ${config.name}`, tokenizer: 'o200k_base' as const },
  };
  return {
    row: measuredCell(labels, replay),
    again: measuredCell({ ...labels, prices }, replay),
    charges: chargesOf(config, replay),
  };
}

beforeAll(async () => {
  const configs = await configsNamed('baseline', 'cg-summarize-small');
  const recordings = await readAll(
    ['fix-invoice-rounding', 'fix-client-pagination'].map(
      (name) => `fixtures/transcripts/${name}.jsonl`,
    ),
    process.cwd(),
  );
  for (const transcript of recordings) {
    for (const config of configs) cells.push(await measure(transcript, config));
  }
});

describe('repriced', () => {
  test('gives the figures that a run with these prices gives, without a replay', async () => {
    const file = join(folder, 'a.charges.jsonl');
    for (const { row, charges } of cells) await appendCharges(file, row.cellId, charges);
    const rows = new Map(cells.map(({ row }) => [row.cellId, row]));
    expect(rows.size).toBe(4);
    const changed = await repriced(rows, file, prices);
    for (const { row, again } of cells) {
      expect(changed.get(row.cellId)).toEqual(again);
      expect(again.usdBefore).toBeGreaterThan(5 * (row.usdBefore ?? Number.NaN));
      expect(again.priceBasis).toContain('own.yaml of 2026-10-01');
    }
    // With the old prices, the old rows.
    expect([...(await repriced(changed, file, offlinePrices)).values()]).toEqual(
      cells.map(({ row }) => row),
    );
  });

  test('prices what agreement and probes asked anew, call by call', async () => {
    const [cell] = cells;
    if (cell === undefined) throw new Error('no cells');
    const usage = fc
      .record(
        {
          fresh: fc.nat(300_000),
          outputTokens: fc.nat(9000),
          cacheReadTokens: fc.nat(90_000),
          cacheWrite5m: fc.nat(90_000),
          cacheWrite1hTokens: fc.nat(90_000),
        },
        { requiredKeys: ['fresh', 'outputTokens'] },
      )
      .map(({ fresh, cacheWrite5m, ...rest }) => {
        const written = (cacheWrite5m ?? 0) + (rest.cacheWrite1hTokens ?? 0);
        const inputTokens = fresh + (rest.cacheReadTokens ?? 0) + written;
        return { inputTokens, ...rest, ...(written === 0 ? {} : { cacheWriteTokens: written }) };
      });
    const asked = fc.record({
      model: fc.constantFrom('claude-sonnet-4-5', 'gpt-4.1', 'stub'),
      usages: fc.array(usage, { maxLength: 5 }),
    });
    let file = 0;
    await fc.assert(
      fc.asyncProperty(asked, async (calls) => {
        const path = join(folder, `asked-${file++}.charges.jsonl`);
        const row = { ...cell.row, usdAgreement: askedPrice(calls) };
        await appendCharges(path, row.cellId, { ...cell.charges, asked: calls });
        const changed = await repriced(new Map([[row.cellId, row]]), path, prices);
        expect(changed.get(row.cellId)).toEqual({
          ...cell.again,
          usdAgreement: askedPrice(calls, prices),
        });
      }),
      { numRuns: 200 },
    );
  });

  test('leaves a row as it is whose charges were not kept, or not whole', async () => {
    const file = join(folder, 'b.charges.jsonl');
    const [first, second] = cells;
    if (first === undefined || second === undefined) throw new Error('no cells');
    const rows = new Map([first, second].map(({ row }) => [row.cellId, row]));
    expect(await repriced(rows, file, prices)).toEqual(rows);
    await appendCharges(file, first.row.cellId, first.charges);
    appendFileSync(file, `{"cell":"${second.row.cellId}","models":["gpt-`);
    const changed = await repriced(rows, file, prices);
    expect(changed.get(first.row.cellId)).toEqual(first.again);
    expect(changed.get(second.row.cellId)).toEqual(second.row);
  });
});
