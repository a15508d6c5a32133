import { describe, expect, test } from 'vitest';
import type { StepReport } from '../../src/compaction/pipeline.ts';
import { scriptedModel } from '../../src/model/scripted.ts';
import { cyclesOf } from '../../src/replay/cycles.ts';
import type { Evidence } from '../../src/replay/evidence.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import type { RequestReplay } from '../../src/replay/result.ts';
import { summarizeWith } from '../support/replay-lists.ts';
import type { Step } from '../support/wire-steps.ts';
import { exchange, session } from './evidence-support.ts';

type Kind = 'new' | 'reused' | 'skipped';

function request(
  index: number,
  [tokensBefore, tokensAfter]: readonly [number, number],
  kind: Kind,
  used: readonly Evidence[] = [],
): RequestReplay {
  const common = { component: 'test', calls: [], tokensBefore, tokensAfter };
  const step: StepReport =
    kind === 'skipped'
      ? { ...common, kind: 'skipped', gate: 'small' }
      : { ...common, kind: 'changed', reused: kind === 'reused' };
  return {
    index,
    tokensBefore,
    tokensAfter,
    steps: [step],
    changed: kind !== 'skipped',
    violationsBefore: 0,
    violationsAdded: [],
    addedMs: 0,
    evidence: { used, said: [] },
    markers: { visible: 1, nested: index, depth: 2 },
  };
}

const evidence = (status: Evidence['status'], outlived = 0): Evidence => ({
  value: 'x_1',
  status,
  outlived,
});

describe('cycles', () => {
  test('begin at each new decision and last until the next', () => {
    const requests = [
      request(0, [100, 100], 'skipped'),
      request(1, [200, 80], 'new', [evidence('kept')]),
      request(2, [230, 110], 'reused', [evidence('kept'), evidence('recoverable')]),
      request(3, [260, 90], 'new', [evidence('lost', 1), evidence('mutated')]),
      request(4, [270, 100], 'reused', [evidence('kept', 2), evidence('recoverable', 1)]),
    ];
    expect(cyclesOf({ requests })).toEqual([
      {
        number: 1,
        request: 1,
        requests: 2,
        expected: 200,
        floor: 80,
        freed: 120,
        isIdle: false,
        nestedMarkers: 1,
        markerDepth: 2,
        evidence: { total: 3, kept: 2, recoverable: 1, lost: 0, goneLater: 0 },
      },
      {
        number: 2,
        request: 3,
        requests: 2,
        // 110 were sent, and 30 are new.
        expected: 140,
        floor: 90,
        freed: 50,
        isIdle: false,
        nestedMarkers: 3,
        markerDepth: 2,
        evidence: { total: 4, kept: 1, recoverable: 1, lost: 2, goneLater: 2 },
      },
    ]);
  });

  test('that free nothing are marked', () => {
    const requests = [request(0, [200, 100], 'new'), request(1, [210, 110], 'new')];
    expect(cyclesOf({ requests }).map(({ freed, isIdle }) => [freed, isIdle])).toEqual([
      [100, false],
      [0, true],
    ]);
  });

  test('count from the recorded size after the agent’s own compaction', () => {
    const requests = [request(0, [900, 100], 'new'), request(1, [300, 90], 'new')];
    expect(cyclesOf({ requests }).map(({ expected }) => expected)).toEqual([900, 300]);
  });

  test('are none where nothing was rewritten', () => {
    expect(cyclesOf({ requests: [request(0, [9, 9], 'skipped')] })).toEqual([]);
  });

  test('tell what only a later summary drops', async () => {
    const steps: Step[] = [
      { kind: 'user', text: 'Begin.' },
      { kind: 'user', text: 'Use key_4711 and key_4712 in the end.' },
    ];
    for (let number = 0; number < 12; number++) {
      steps.push(
        exchange(number, { note: number === 11 ? 'key_4711 key_4712' : '' }, 'ok '.repeat(30)),
      );
    }
    const { transcript } = session('openai-chat', steps);
    // The first summaries keep one key, the later ones none.
    const model = scriptedModel((_, index) => (index < 3 ? 'Has key_4711.' : `Summary ${index}.`));
    const settings = {
      keep_last: 2,
      min_tokens: 0,
      start_from_message: 0,
      resummarize_tokens: 100,
    };
    const replay = await replayTranscript(
      transcript,
      { name: 'test', about: '', steps: [summarizeWith(settings)], text: '', hash: '', source: '' },
      { tokenizer: 'o200k_base', models: () => () => model, sample: 0 },
    );
    const cycles = cyclesOf(replay);
    expect(cycles.length).toBeGreaterThan(2);
    const used = replay.requests
      .at(-1)
      ?.evidence?.used.map(({ value, status, outlived }) => [value, status, outlived > 0]);
    expect(used).toEqual([
      ['key_4711', 'recoverable', true],
      ['key_4712', 'recoverable', false],
    ]);
    expect(cycles.at(-1)?.evidence).toEqual({
      total: 2,
      kept: 0,
      recoverable: 2,
      lost: 0,
      goneLater: 1,
    });
    expect(replay.evidence).toMatchObject({ withEvidence: 1, recoverable: 1, lost: 0 });
  });
});
