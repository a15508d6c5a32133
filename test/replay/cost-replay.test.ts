import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import { stubModel } from '../../src/model/stub.ts';
import { readRecordings } from '../../src/recordings/read.ts';
import { requestsOfList, toTranscript } from '../../src/recordings/transcripts.ts';
import type { Charge } from '../../src/replay/cost-ledger.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import { measuredCell } from '../../src/rows/result.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { conversations } from '../support/conversations.ts';
import { configsNamed } from '../support/sweeps.ts';

const model = stubModel('stub');

function replay(transcript: Transcript, config: Config, expand = false) {
  const options = {
    tokenizer: 'o200k_base',
    models: () => () => model,
    sample: 0,
    expand,
  } as const;
  return replayTranscript(transcript, config, options);
}

function inputOf(charge: Charge): number {
  const { fresh, cacheRead, cacheWrite5m = 0, cacheWrite1h = 0 } = charge;
  return fresh + cacheRead + cacheWrite5m + cacheWrite1h;
}

async function read(pattern: string): Promise<Transcript[]> {
  const found: Transcript[] = [];
  for await (const { transcripts } of readRecordings([pattern], { cwd: process.cwd() })) {
    found.push(...transcripts);
  }
  return found;
}

function transcriptOf(
  messages: readonly Message[],
  dialect: 'anthropic' | 'openai-chat',
): Transcript {
  return toTranscript({
    task: 'task',
    trial: '0',
    lineage: 'main',
    source: { file: 'f', format: 'x', session: 's' },
    dialect,
    requests: requestsOfList(messages),
    retries: 0,
  });
}

describe('on any conversation', () => {
  test('an empty pipeline costs the same before and after, and busts nothing', async () => {
    const [baseline] = await configsNamed('baseline');
    if (baseline === undefined) throw new Error('no baseline');
    await fc.assert(
      fc.asyncProperty(conversations({ maxTurns: 6 }), async ({ messages, dialect }) => {
        const { cost, requests } = await replay(transcriptOf(messages, dialect), baseline);
        for (const [index, { before, after, bust }] of cost.requests.entries()) {
          expect(after).toEqual([before]);
          expect(bust).toBe(0);
          expect(inputOf(before)).toBe(requests[index]?.tokensBefore);
        }
      }),
      { numRuns: 60, seed: 7 },
    );
  });
});

describe('on the fixtures', () => {
  let fixtures: Transcript[];
  beforeAll(async () => {
    fixtures = await read('fixtures/transcripts');
  });

  test('the tiers of each side add up to what is sent, prompt and declaration included', async () => {
    const configs = await configsNamed('cg-mask', 'cg-summarize-small', 'cg-combined');
    for (const transcript of fixtures.slice(0, 4)) {
      for (const config of configs) {
        const { cost, requests, declaration = 0 } = await replay(transcript, config, true);
        for (const [index, request] of requests.entries()) {
          const charged = cost.requests[index];
          if (charged === undefined) throw new Error('a request without charges');
          const prompt = inputOf(charged.before) - request.tokensBefore;
          expect(prompt).toBeGreaterThan(0);
          const [first, ...rounds] = charged.after.map(inputOf);
          expect(first).toBe(prompt + declaration + request.tokensAfter);
          expect(rounds).toHaveLength(request.expansion?.rounds ?? 0);
          if (request.expansion !== undefined) {
            expect(rounds.at(-1)).toBe((first ?? 0) + request.expansion.tokens);
          }
        }
      }
    }
  });

  test('masking that moves at every turn saves tokens and costs more dollars', async () => {
    const [moving] = await configsNamed('cg-mask-moving');
    if (moving === undefined) throw new Error('no config');
    const rows = [];
    for (const transcript of fixtures) {
      const labels = { transcript, config: moving, sample: 0, cellId: '', model: 'stub' };
      const rest = { tokenizer: 'o200k_base', wallSeconds: 0 } as const;
      rows.push(measuredCell({ ...labels, ...rest }, await replay(transcript, moving)));
    }
    const sum = (values: readonly (number | undefined)[]) =>
      values.reduce<number>((total, value) => total + (value ?? Number.NaN), 0);
    const saved = sum(rows.map((row) => row.tokensSaved));
    expect(saved / sum(rows.map((row) => row.tokensBefore))).toBeGreaterThan(0.4);
    expect(sum(rows.map((row) => row.usdNet))).toBeLessThan(-0.3);
    expect(sum(rows.map((row) => row.cacheBustTokens))).toBeGreaterThan(100_000);
    // Where caching has no price for writing, fewer tokens and fewer reads may still be cheaper.
    const marked = rows.filter(({ cacheWriteBefore }) => cacheWriteBefore !== undefined);
    expect(marked).toHaveLength(5);
    for (const row of marked) expect(row.usdNet, row.task).toBeLessThan(0);
    for (const row of rows.filter((each) => !marked.includes(each))) {
      expect(row.cacheWriteAfter).toBeUndefined();
    }
  });
});

const shared = resolve(process.env.CG_SHARED ?? '../shared', 'transcripts');
const published = ['claude-code-jsonl', 'llm-request-log'].map((name) => resolve(shared, name));
const isThere = published.every(existsSync);

describe.runIf(isThere)(`on the recordings in ${shared} (skipped where absent)`, () => {
  test('what is read and written comes near to what the provider said', async () => {
    const [baseline] = await configsNamed('baseline');
    if (baseline === undefined) throw new Error('no baseline');
    const lines: string[] = [];
    const total = { predicted: [0, 0], recorded: [0, 0] };
    for (const path of published) {
      for (const transcript of await read(path)) {
        const { calibration } = (await replay(transcript, baseline)).cost;
        if (calibration === undefined) continue;
        const { predicted, recorded, requests, ratio, error } = calibration;
        // Constructed samples of a few tokens say nothing of a cache.
        if (recorded.cacheRead + recorded.cacheWrite + recorded.fresh < 10_000) continue;
        total.predicted = [
          (total.predicted[0] ?? 0) + predicted.cacheRead,
          (total.predicted[1] ?? 0) + predicted.cacheWrite,
        ];
        total.recorded = [
          (total.recorded[0] ?? 0) + recorded.cacheRead,
          (total.recorded[1] ?? 0) + recorded.cacheWrite,
        ];
        lines.push(
          [
            `${transcript.task.slice(-24)} ${transcript.lineage}`.padEnd(34),
            ...[requests, ratio.toFixed(2), predicted.cacheRead, recorded.cacheRead],
            ...[predicted.cacheWrite, recorded.cacheWrite, `${(100 * error).toFixed(1)} %`],
          ].join('  '),
        );
      }
    }
    console.info(
      [
        'transcript · requests · ratio · read predicted, recorded · written predicted, recorded · error',
        ...lines,
        `all: read ${total.predicted[0]} predicted, ${total.recorded[0]} recorded; written ${total.predicted[1]} predicted, ${total.recorded[1]} recorded`,
      ].join('\n'),
    );
    expect(lines.length).toBeGreaterThan(10);
    // Recorded sessions begin with what other sessions left in the cache, which a row does not have.
    const [predicted = 0] = total.predicted;
    const [recorded = 0] = total.recorded;
    expect(predicted / recorded).toBeGreaterThan(0.9);
    expect(predicted).toBeLessThanOrEqual(recorded);
  });
});
