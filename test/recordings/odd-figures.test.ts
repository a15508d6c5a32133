import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutOddFigures } from '../../src/recordings/odd-figures.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { jsonl, readFiles } from './support.ts';

const figure = fc.option(
  fc.oneof(
    fc.constantFrom(-1, 0, 7, 0.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN),
  ),
  { nil: undefined },
);

function draftOf(
  cost: number | undefined,
  reward: number | undefined,
  used: (number | undefined)[],
) {
  const draft: Omit<Transcript, 'hash'> = {
    task: 't',
    trial: '0',
    lineage: 'main',
    source: { file: 'f', format: 'x', session: 's' },
    dialect: 'anthropic',
    ...(cost === undefined ? {} : { cost }),
    ...(reward === undefined ? {} : { reward }),
    requests: used.map((tokens) => ({
      segment: 0,
      messages: [],
      ...(tokens === undefined
        ? {}
        : { time: tokens, cost: tokens, usage: { inputTokens: tokens, outputTokens: 3 } }),
    })),
    retries: 0,
  };
  return draft;
}

describe('figures that no call can have had', () => {
  test('property: are left out, and the others stay', () => {
    let changed = 0;
    fc.assert(
      fc.property(figure, figure, fc.array(figure, { maxLength: 4 }), (cost, reward, used) => {
        const draft = draftOf(cost, reward, used);
        const plain = withoutOddFigures(draft);
        if (plain === draft)
          expect([cost, ...used].every((one) => one === undefined || one >= 0)).toBe(true);
        else changed++;
        const isCount = (one: number | undefined) =>
          one !== undefined && Number.isFinite(one) && one >= 0;
        expect(plain.cost).toBe(isCount(cost) ? cost : undefined);
        expect(plain.reward).toBe(Number.isFinite(reward) ? reward : undefined);
        for (const [index, request] of plain.requests.entries()) {
          const tokens = used[index];
          expect(request.time).toBe(Number.isFinite(tokens) ? tokens : undefined);
          expect(request.cost).toBe(isCount(tokens) ? tokens : undefined);
          expect(request.usage?.inputTokens).toBe(isCount(tokens) ? tokens : undefined);
          expect(request.usage?.outputTokens).toBe(tokens === undefined ? undefined : 3);
        }
      }),
      { seed: 5, numRuns: 300 },
    );
    expect(changed).toBeGreaterThan(50);
  });

  test('are in no transcript, whatever the recording says', async () => {
    const message = (role: string, fields: object = {}) => ({
      role,
      content: [{ type: 'text', text: role }],
      ...fields,
    });
    const entry = (id: string, parentId: string | null, said: object) => ({
      type: 'message',
      id,
      parentId,
      message: said,
    });
    const usage = { input: 'HUGE', output: -1, cacheRead: 2, cost: { total: -3 } };
    const text = jsonl(
      { type: 'session', version: 3, id: 's1', cwd: '/w', timestamp: '2026-01-01T00:00:00Z' },
      entry('a', null, message('user')),
      entry('b', 'a', message('assistant', { model: 'claude-x', usage })),
    ).replace('"HUGE"', '1e999');
    const { transcripts, problems } = await readFiles({ 'pi.jsonl': text });
    expect(problems).toEqual([]);
    expect(transcripts[0]?.requests[0]?.usage).toEqual({ cacheReadTokens: 2 });
    expect(transcripts[0]?.requests[0]?.cost).toBeUndefined();
    expect(transcripts[0]?.requests[0]?.messages).toHaveLength(1);
  });
});
