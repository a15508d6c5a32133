import { beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import { HarnessError } from '../../src/errors.ts';
import { stubModel } from '../../src/model/stub.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import type { TranscriptReplay } from '../../src/replay/result.ts';
import { type CellResult, failedCell, isFinished, measuredCell } from '../../src/rows/result.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { temporaryFolder } from '../support/folder.ts';
import { configsNamed, readAll, writeRecordings } from '../support/sweeps.ts';

const folder = temporaryFolder();
let transcript: Transcript;
let baseline: Config;
let small: Config;

beforeAll(async () => {
  writeRecordings(folder, 2);
  const [, solved] = await readAll(['.'], folder);
  const [first, second] = await configsNamed('baseline', 'cg-summarize-small');
  if (solved === undefined || first === undefined || second === undefined)
    throw new Error('no data');
  [transcript, baseline, small] = [solved, first, second];
});

function replay(config: Config): Promise<TranscriptReplay> {
  const model = stubModel('stub');
  return replayTranscript(transcript, config, {
    tokenizer: 'o200k_base',
    models: () => () => model,
    sample: 0,
  });
}

function labels(config: Config) {
  const rest = { sample: 0, cellId: 'id', model: 'stub', tokenizer: 'o200k_base' } as const;
  return { transcript, config, wallSeconds: 1.23456, ...rest };
}

describe('the row of a cell', () => {
  test('adds up what the replay gave', async () => {
    const done = await replay(small);
    const row = measuredCell(labels(small), done);
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    expect(row.requests).toBe(transcript.requests.length);
    expect(row.tokensBefore).toBe(sum(done.requests.map(({ tokensBefore }) => tokensBefore)));
    expect(row.tokensAfter).toBe(sum(done.requests.map(({ tokensAfter }) => tokensAfter)));
    expect(row.tokensSaved).toBe(done.savings.gross);
    expect(row.fired).toBe(done.requests.filter(({ changed }) => changed).length);
    expect(row.fired).toBeGreaterThan(1);
    expect((row.reused ?? 0) + (row.cycles ?? 0)).toBe(row.fired);
    expect(row.modelCalls).toBe(row.cycles);
    const skipped = sum([...(row.gates?.values() ?? [])]);
    expect(skipped + (row.fired ?? 0) + (row.reverted ?? 0)).toBe(row.requests);
    expect(row.wallSeconds).toBe(1.235);
    expect(isFinished(row)).toBe(true);
  });

  test('of the baseline has the recorded reward and saves nothing', async () => {
    const row = measuredCell(labels(baseline), await replay(baseline));
    expect(row).toMatchObject({
      reward: 1,
      passed: true,
      rewardKind: 'recorded',
      recordedReward: 1,
      tokensSaved: 0,
      uniqueSaved: 0,
      percentSaved: 0,
      fired: 0,
      modelCalls: 0,
    });
    expect(row.evidenceKept).toBe(row.evidenceTotal);
    expect(row.actionsSupported).toBe(row.actionsWithEvidence);
    expect([row.overcountRatio, row.rewardWithExpand]).toEqual([undefined, undefined]);
  });

  test('of a config has the grounded reward: what evidence leaves of the recorded one', async () => {
    const done = await replay(small);
    const gone = { total: 2, kept: 1, recoverable: 1, lost: 0, mutated: 0 };
    const totals = { actions: 3, unknownActions: 1, withEvidence: 2, supported: 1 };
    const missing = { ...totals, recoverable: 1, lost: 0, evidence: gone };
    const lost = {
      ...totals,
      recoverable: 0,
      lost: 1,
      evidence: { ...gone, recoverable: 0, lost: 1 },
    };
    const kept = {
      ...totals,
      supported: 2,
      recoverable: 0,
      lost: 0,
      evidence: { ...gone, kept: 2 },
    };
    for (const [evidence, reward, rewardWithExpand] of [
      [kept, 1, 1],
      [missing, 0, 1],
      [lost, 0, 0],
    ] as const) {
      const row = measuredCell(labels(small), { ...done, evidence });
      const passed = reward === 1;
      expect(row).toMatchObject({ reward, passed, rewardWithExpand, recordedReward: 1 });
      expect(row.rewardKind).toBe('grounded');
    }
  });

  test('has the counts of actions and evidence', async () => {
    const evidence = { total: 20, kept: 9, recoverable: 6, lost: 5, mutated: 2 };
    const actions = { actions: 13, unknownActions: 1, withEvidence: 12 };
    const totals = { ...actions, supported: 7, recoverable: 3, lost: 2, evidence };
    const row = measuredCell(labels(small), { ...(await replay(small)), evidence: totals });
    expect(row).toMatchObject({
      actions: 13,
      actionsWithEvidence: 12,
      actionsSupported: 7,
      actionsRecoverable: 3,
      actionsLost: 2,
      evidenceTotal: 20,
      evidenceKept: 9,
      evidenceRecoverable: 6,
      evidenceLost: 5,
      evidenceMutated: 2,
    });
  });

  test('of a transcript without a reward has none', async () => {
    const { reward: _, ...unrewarded } = transcript;
    const row = measuredCell(
      { ...labels(baseline), transcript: unrewarded },
      await replay(baseline),
    );
    expect([row.reward, row.passed, row.recordedReward]).toEqual([undefined, undefined, undefined]);
    const grounded = measuredCell(
      { ...labels(small), transcript: unrewarded },
      await replay(small),
    );
    expect([grounded.reward, grounded.rewardKind, grounded.rewardWithExpand]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(grounded.actions).toBe(transcript.requests.length);
  });

  test('that failed says why, and has no figure', () => {
    const error = new HarnessError('model.transport', 'refused\nsk-abcdefgh12345678');
    const row = failedCell(labels(small), error, (text) => text.replace(/sk-\w+/, '[redacted]'));
    expect(row.note).toBe('error:model.transport refused [redacted]');
    expect(isFinished(row)).toBe(false);
    const figures: (keyof CellResult)[] = ['requests', 'tokensBefore', 'uniqueSaved', 'fired'];
    for (const figure of figures) expect(row[figure], figure).toBeUndefined();
    expect(row.recordedReward).toBe(1);
  });
});
