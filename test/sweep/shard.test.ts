import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Selection } from '../../src/sweep/manifest.ts';
import { parseShard, ShardCut, shardName, workOf } from '../../src/sweep/shard.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';

const selection: Selection = {
  configs: [],
  patterns: ['.'],
  format: 'auto',
  settings: { tokenizer: 'o200k_base', model: 'stub', samples: 1, guard: true },
};

/** A transcript of as many requests as sizes, each with one more message of that many characters. */
function transcriptOf(name: string, sizes: readonly number[]): Transcript {
  const table = new MessageTable();
  const dialect = dialectOf('openai-chat');
  const messages = sizes.map((size, index) =>
    dialect.userText(`${name} ${index} ${'x'.repeat(size)}`, table),
  );
  return {
    task: name,
    trial: '0',
    lineage: 'main',
    source: { file: `${name}.json`, format: 'chat', session: name },
    dialect: 'openai-chat',
    requests: messages.map((_, index) => ({
      segment: 0,
      messages: messages.slice(0, index + 1),
    })),
    retries: 0,
    hash: name,
  };
}

const transcripts = fc
  .array(fc.array(fc.nat(3000), { minLength: 1, maxLength: 4 }), { maxLength: 40 })
  .map((all) => all.map((sizes, index) => transcriptOf(`t${index}`, sizes)));

function cut(all: readonly Transcript[], count: number): ShardCut[] {
  const cuts = Array.from(
    { length: count },
    (_, at) => new ShardCut({ index: at + 1, count }, selection),
  );
  for (const one of cuts)
    for (const transcript of all) one.takes(transcript, [{ id: transcript.hash }]);
  return cuts;
}

describe('shards', () => {
  test('are a partition with one plan, and differ by no more than the largest transcript', () => {
    let uneven = 0;
    fc.assert(
      fc.property(transcripts, fc.integer({ min: 1, max: 9 }), (all, count) => {
        const records = cut(all, count).map((one) => one.record());
        const places = records.flatMap(({ own }) => own);
        expect(places.toSorted((a, b) => a - b)).toEqual(all.map((_, index) => index));
        for (const { own } of records) expect(own).toEqual(own.toSorted((a, b) => a - b));
        expect(new Set(records.map(({ plan }) => plan)).size).toBe(1);
        const loads = records.map(({ own }) =>
          own.reduce((sum, place) => sum + workOf(all[place] ?? { requests: [] }), 0),
        );
        const largest = Math.max(0, ...all.map(workOf));
        expect(Math.max(...loads) - Math.min(...loads)).toBeLessThanOrEqual(largest);
        if (new Set(records.map(({ own }) => own.length)).size > 1) uneven++;
      }),
      { seed: 1, numRuns: 200 },
    );
    // Loads are balanced, not numbers.
    expect(uneven).toBeGreaterThan(50);
  });

  test('have another plan where a transcript, their order or the selection is another', () => {
    const all = ['a', 'b', 'c'].map((name) => transcriptOf(name, [10]));
    const other = transcriptOf('d', [10]);
    const planOf = (list: readonly Transcript[], chosen = selection) => {
      const one = new ShardCut({ index: 1, count: 2 }, chosen);
      for (const transcript of list) one.takes(transcript, [{ id: transcript.hash }]);
      return one.record().plan;
    };
    const plans = [
      planOf(all),
      planOf(all.slice(1)),
      planOf([...all, other]),
      planOf(all.toReversed()),
      planOf(all, { ...selection, patterns: ['elsewhere'] }),
    ];
    expect(new Set(plans).size).toBe(plans.length);
    expect(planOf(all)).toBe(plans[0]);
  });

  test('count a message once, however often it is sent', () => {
    const once = transcriptOf('a', [1000]);
    const again = { requests: [...once.requests, ...once.requests] };
    expect(workOf(again) - workOf(once)).toBeLessThan(1000);
    expect(workOf(once)).toBeGreaterThan(1000);
  });

  test.each(['0/4', '5/4', '1/0', '1', 'a/b', '1/4/2', '-1/4', '1.5/2', ''])(
    '%j is none',
    (text) => {
      expect(() => parseShard(text)).toThrow(/expected i\/n with i from 1 to n/);
    },
  );

  test('are named as they are given', () => {
    expect(shardName(parseShard('2/4'))).toBe('shard 2/4');
    expect(() => parseShard('0/4')).toThrow(/add 1/);
  });
});
