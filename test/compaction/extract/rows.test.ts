import { beforeAll, expect, test } from 'vitest';
import type { Config } from '../../../src/compaction/config.ts';
import { closeSharedSandbox } from '../../../src/compaction/extract/sandbox-access.ts';
import { badProgramModel } from '../../../src/model/bad-program.ts';
import type { Model } from '../../../src/model/model.ts';
import { SharedReplies } from '../../../src/model/shared-replies.ts';
import { stubModel } from '../../../src/model/stub.ts';
import { replayTranscript } from '../../../src/replay/replay.ts';
import { measuredCell } from '../../../src/rows/result.ts';
import type { Transcript } from '../../../src/transcript/transcript.ts';
import { configsNamed, readAll } from '../../support/sweeps.ts';

let transcripts: readonly Transcript[] = [];
let configs: readonly Config[] = [];

beforeAll(async () => {
  transcripts = (await readAll(['fixtures/transcripts'], '.')).slice(0, 4);
  configs = await configsNamed('cg-extract-code', 'cg-extract-starlark');
  return closeSharedSandbox;
});

async function rowOf(transcript: Transcript, config: Config, model: Model) {
  const replay = await replayTranscript(transcript, config, {
    tokenizer: 'o200k_base',
    models: () => () => model,
    sample: 0,
  });
  const labels = { sample: 0, cellId: 'id', model: model.name, tokenizer: 'o200k_base' } as const;
  const { wallSeconds, addedMsMedian, addedMs95, ...row } = measuredCell(
    { transcript, config, wallSeconds: 0, ...labels },
    replay,
  );
  return row;
}

test('a row counts each refusal by its name, and they add up to its calls where nothing is accepted', async () => {
  let calls = 0;
  for (const kind of ['syntax', 'not_contained', 'transport'] as const) {
    for (const transcript of transcripts) {
      for (const config of configs) {
        const row = await rowOf(transcript, config, badProgramModel(kind));
        calls += row.modelCalls ?? 0;
        expect(row.refusals?.get(kind) ?? 0).toBe(row.modelCalls);
        expect([...(row.refusals?.keys() ?? [])].filter((name) => name !== kind)).toEqual([]);
      }
    }
  }
  expect(calls).toBeGreaterThan(20);
});

test('the stub’s programs are accepted on fixtures in both languages', async () => {
  for (const config of configs) {
    const rows = await Promise.all(
      transcripts.map((transcript) => rowOf(transcript, config, stubModel('stub'))),
    );
    const fired = rows.filter((row) => (row.fired ?? 0) > 0);
    expect(fired.length).toBeGreaterThanOrEqual(3);
    for (const row of fired) {
      expect(row.uniqueSaved).toBeGreaterThan(0);
      expect(row.refusals).toBeUndefined();
    }
  }
});

test('rows do not depend on the order of the sessions that share replies', async () => {
  const [config] = configs;
  if (config === undefined) throw new Error('no config');
  const rows = async (order: readonly Transcript[]) => {
    const replies = new SharedReplies();
    const found = new Map<string, unknown>();
    // The same session twice, as in trials of a task.
    for (const transcript of [...order, ...order]) {
      found.set(
        transcript.task,
        await rowOf(transcript, config, replies.around(stubModel('stub'))),
      );
    }
    return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  };
  expect(await rows([...transcripts].reverse())).toEqual(await rows(transcripts));
});
