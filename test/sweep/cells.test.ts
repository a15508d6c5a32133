import { beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import { CellFactory, cellId, type SweepSettings } from '../../src/sweep/cells.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { temporaryFolder } from '../support/folder.ts';
import { configsNamed, readAll, writeRecordings } from '../support/sweeps.ts';

const folder = temporaryFolder();
const settings: SweepSettings = { tokenizer: 'o200k_base', model: 'stub', samples: 2, guard: true };
let transcripts: Transcript[];
let configs: Config[];

beforeAll(async () => {
  writeRecordings(folder, 2);
  transcripts = await readAll(['.'], folder);
  configs = await configsNamed('baseline', 'cg-summarize', 'cg-summarize-small');
});

describe('cells', () => {
  test('are every transcript under every config in every sample, each with an id of its own', () => {
    const factory = new CellFactory(configs, settings);
    const cells = transcripts.flatMap((transcript) => factory.cellsOf(transcript));
    expect(cells).toHaveLength(2 * 3 * 2);
    expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
    const order = cells.map(({ config, sample }) => `${config.name} ${sample}`);
    expect(order.slice(0, 3)).toEqual(['baseline 0', 'baseline 1', 'cg-summarize 0']);
  });

  test('have the same ids in another run', () => {
    const ids = () => {
      const factory = new CellFactory(configs, settings);
      return transcripts.flatMap((transcript) => factory.cellsOf(transcript)).map(({ id }) => id);
    };
    expect(ids()).toEqual(ids());
  });

  test('of the very same lineage read twice are told apart', () => {
    const [transcript] = transcripts;
    if (transcript === undefined) throw new Error('no transcript');
    const factory = new CellFactory(configs, settings);
    const cells = [transcript, transcript].flatMap((each) => factory.cellsOf(each));
    expect(new Set(cells.map(({ id }) => id)).size).toBe(cells.length);
  });

  test('change their id with whatever can change their figures', () => {
    const [transcript, other] = transcripts;
    const [, config, otherConfig] = configs;
    if (transcript === undefined || other === undefined) throw new Error('no transcript');
    if (config === undefined || otherConfig === undefined) throw new Error('no config');
    const cell = { transcript, config, sample: 0, occurrence: 0 };
    const ids = [
      cellId(cell, settings),
      cellId({ ...cell, sample: 1 }, settings),
      cellId({ ...cell, occurrence: 1 }, settings),
      cellId({ ...cell, config: otherConfig }, settings),
      cellId({ ...cell, config: { ...config, hash: 'other' } }, settings),
      cellId({ ...cell, config: { ...config, name: 'other' } }, settings),
      cellId({ ...cell, transcript: other }, settings),
      cellId({ ...cell, transcript: { ...transcript, hash: 'other' } }, settings),
      cellId({ ...cell, transcript: { ...transcript, task: 'other' } }, settings),
      cellId({ ...cell, transcript: { ...transcript, trial: 'other' } }, settings),
      cellId({ ...cell, transcript: { ...transcript, lineage: 'other' } }, settings),
      cellId(cell, { ...settings, tokenizer: 'cl100k_base' }),
      cellId(cell, { ...settings, model: 'stub-vague' }),
      cellId(cell, { ...settings, guard: false }),
      cellId(cell, { ...settings, assumeModel: 'claude-sonnet-4-5' }),
      cellId({ ...cell, transcript: { ...transcript, model: 'gpt-4.1' } }, settings),
      cellId(cell, { ...settings, model: 'live' }),
      cellId(cell, { ...settings, model: 'recorded', cassette: 'one' }),
      cellId(cell, { ...settings, model: 'recorded', cassette: 'other' }),
      cellId(cell, { ...settings, model: 'recorded', cassette: 'one', onMiss: 'stub' }),
      cellId(cell, { ...settings, model: 'recorded', cassette: 'one', onMiss: 'skip' }),
      cellId(cell, { ...settings, asking: { agreement: 5, probes: 0, seed: 0 } }),
      cellId(cell, { ...settings, asking: { agreement: 0, probes: 5, seed: 0 } }),
      cellId(cell, { ...settings, asking: { agreement: 5, probes: 0, seed: 1 } }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    // More samples leave the first ones what they are.
    expect(cellId(cell, { ...settings, samples: 9 })).toBe(ids[0]);
  });
});
