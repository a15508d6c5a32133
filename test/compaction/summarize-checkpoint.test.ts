import { describe, expect, test } from 'vitest';
import { type ScriptStep, scriptedModel } from '../../src/model/scripted.ts';
import type { Message } from '../../src/transcript/message.ts';
import {
  countingModel,
  type ReplayedList,
  type ReplayListsOptions,
  replayLists,
  summarizeWith,
  verdictOf,
} from '../support/replay-lists.ts';
import {
  conversation,
  parseRaws,
  type WireDialect,
  wireDialects,
  withCacheMark,
  words,
  workSession,
} from '../support/wire-steps.ts';

const settings = { min_tokens: 0, start_from_message: 0, keep_last: 2, resummarize_tokens: 300 };

/** The lists of a session of 8 exchanges, from 4 exchanges on. */
function growing(dialect: WireDialect) {
  const { messages, raws, table } = conversation(dialect, workSession(dialect, 8, 100));
  const ends = [4, 5, 6, 7, 8].map((exchanges) => messages.length - 2 * (8 - exchanges));
  return { messages, raws, table, ends, lists: ends.map((end) => messages.slice(0, end)) };
}

const run = (
  dialect: WireDialect,
  lists: readonly (readonly Message[])[],
  options: Partial<ReplayListsOptions> = {},
) => replayLists(lists, { dialect, steps: [summarizeWith(settings)], ...options });

const verdicts = (replayed: readonly ReplayedList[]) =>
  replayed.map(({ report }) => verdictOf(report));
const summaryOf = (replayed: ReplayedList | undefined) => replayed?.inserted[0]?.raw;

describe.each(wireDialects)('the checkpoint (%s)', (dialect) => {
  test('is reused with the same bytes, then rolls forward over the whole span', async () => {
    const { lists } = growing(dialect);
    const model = countingModel();
    const replayed = await run(dialect, lists, { model });
    expect(verdicts(replayed)).toEqual(['changed', 'reused', 'reused', 'changed', 'reused']);
    expect(model.calls).toHaveLength(2);
    const summaries = replayed.map(summaryOf);
    expect(summaries[1]).toBe(summaries[0]);
    expect(summaries[2]).toBe(summaries[0]);
    expect(summaries[3]).not.toBe(summaries[0]);
    expect(summaries[4]).toBe(summaries[3]);
    // Calls are charged where they were made, and only there.
    expect(replayed.map(({ report }) => report.calls.length)).toEqual([1, 0, 0, 1, 0]);
    // The second prompt has the original messages, not the first summary.
    expect(model.calls[1]?.prompt).toContain('Step 0:');
    expect(model.calls[1]?.prompt).not.toContain('Summary 0.');
  });

  test('keeps the sent prefix the same from request to request while it is reused', async () => {
    const replayed = await run(dialect, growing(dialect).lists.slice(0, 3));
    for (const [index, { after }] of replayed.entries()) {
      const next = replayed[index + 1]?.after ?? after;
      expect(next.slice(0, after.length)).toEqual(after);
    }
  });

  test('survives moved cache marks and respelled strings; expand gives that request’s bytes', async () => {
    const { raws, table, ends } = growing(dialect);
    const lists = ends.slice(0, 3).map((end, index) => {
      const spelled = raws.slice(0, end).map((raw, position) =>
        // Another message is marked each time; the last time none is.
        index < 2 && position % 3 === index ? withCacheMark(raw) : raw,
      );
      return { spelled, list: parseRaws(dialect, spelled, table) };
    });
    const model = countingModel();
    const replayed = await run(
      dialect,
      lists.map(({ list }) => list),
      { model, table },
    );
    expect(model.calls).toHaveLength(1);
    expect(verdicts(replayed)).toEqual(['changed', 'reused', 'reused']);
    const covered = (replayed[0]?.before.length ?? 0) - (replayed[0]?.after.length ?? 0) + 1;
    for (const [index, { expanded, after, before }] of replayed.entries()) {
      expect(summaryOf(replayed[index])).toBe(summaryOf(replayed[0]));
      const own = lists[index]?.spelled.slice(1, 1 + covered) ?? [];
      expect([...expanded.values()]).toEqual([`[${own.join(',')}]`]);
      expect(after[0]).toBe(before[0]);
      expect(after.slice(2)).toEqual(before.slice(1 + covered));
    }
    const bytes = replayed.map(({ expanded }) => [...expanded.values()][0]);
    expect(new Set(bytes).size).toBe(3);
  });

  test('survives another first message', async () => {
    const { raws, table, lists } = growing(dialect);
    const edited = [
      raws[0]?.replace(/"content": "/, '"content": "EDITED ') ?? '',
      ...raws.slice(1),
    ];
    const second = parseRaws(dialect, edited.slice(0, lists[1]?.length), table);
    const model = countingModel();
    const replayed = await run(dialect, [lists[0] ?? [], second], { model, table });
    expect(second[0]).not.toBe(lists[0]?.[0]);
    expect(verdicts(replayed)).toEqual(['changed', 'reused']);
    expect(replayed[1]?.after[0]).toBe(second[0]);
    expect(model.calls).toHaveLength(1);
  });

  test.each([1, 2, 3])('goes stale when covered message %i changes', async (position) => {
    const { raws, table, lists } = growing(dialect);
    const edited = raws.with(
      position,
      (raws[position] ?? '').replace(/(I look|says|Fix)/, 'EDITED $1'),
    );
    expect(edited[position]).not.toBe(raws[position]);
    const second = parseRaws(dialect, edited.slice(0, lists[1]?.length), table);
    const model = countingModel();
    const replayed = await run(dialect, [lists[0] ?? [], second], { model, table });
    expect(verdicts(replayed)).toEqual(['changed', 'changed']);
    expect(model.calls).toHaveLength(2);
    expect([...(replayed[1]?.expanded.values() ?? [])][0]).toContain('EDITED');
  });

  test('is kept when a message behind it changes', async () => {
    const { raws, table, lists } = growing(dialect);
    const end = lists[1]?.length ?? 0;
    const edited = raws.with(end - 2, (raws[end - 2] ?? '').replace('I look', 'EDITED I look'));
    const second = parseRaws(dialect, edited.slice(0, end), table);
    const model = countingModel();
    const replayed = await run(dialect, [lists[0] ?? [], second], { model, table });
    expect(verdicts(replayed)).toEqual(['changed', 'reused']);
  });

  test('does not serve a list that was cut back behind it', async () => {
    const { lists } = growing(dialect);
    const model = countingModel();
    const [first, , third] = lists;
    const replayed = await run(dialect, [third ?? [], first ?? []], { model });
    expect(verdicts(replayed)).toEqual(['changed', 'changed']);
    expect(model.calls).toHaveLength(2);
  });

  test('serves two sessions apart', async () => {
    const { lists } = growing(dialect);
    const model = countingModel();
    await run(dialect, lists, { model });
    await run(dialect, lists, { model });
    expect(model.calls).toHaveLength(4);
  });
});

describe.each(wireDialects)('a model that fails (%s)', (dialect) => {
  const scripts: [string, ScriptStep, string][] = [
    ['fails', { kind: 'fail' }, 'error:model.transport'],
    ['throws something else', { kind: 'fail', error: 'text' }, 'error:harness.internal'],
    ['hangs', { kind: 'hang' }, 'error:component.timeout'],
    ['says nothing', { kind: 'blank' }, 'blank_summary'],
    ['says too much', words(5000), 'grew'],
  ];

  test.each(scripts)('%s: is not asked again for the span', async (_name, step, verdict) => {
    const { lists } = growing(dialect);
    const model = scriptedModel((_request, index) => (index === 0 ? step : `Summary ${index}.`));
    const replayed = await run(dialect, lists, { model, timeLimit: 100 });
    // Until the tail behind the failed span is as large as a checkpoint's may be.
    expect(verdicts(replayed)).toEqual([
      verdict,
      'failed_before',
      'failed_before',
      'changed',
      'reused',
    ]);
    expect(model.calls).toHaveLength(2);
    expect(replayed[0]?.report.calls).toHaveLength(1);
    expect(replayed[0]?.after).toBe(replayed[0]?.before);
  });

  test.each(scripts)(
    '%s at the roll-forward: the old checkpoint serves on',
    async (_name, step, verdict) => {
      const { lists } = growing(dialect);
      const last = lists.at(-1) ?? [];
      const more = [...lists, last];
      const model = scriptedModel((_request, index) => (index === 1 ? step : `Summary ${index}.`));
      const replayed = await run(dialect, more, { model, timeLimit: 100 });
      expect(verdicts(replayed)).toEqual([
        'changed',
        'reused',
        'reused',
        verdict,
        'reused',
        'reused',
      ]);
      expect(model.calls).toHaveLength(2);
      expect(replayed[3]?.report.calls).toHaveLength(1);
      expect(summaryOf(replayed[4])).toBe(summaryOf(replayed[0]));
      expect([...(replayed[4]?.expanded.values() ?? [])]).toEqual([
        ...(replayed[0]?.expanded.values() ?? []),
      ]);
    },
  );

  test('is asked at every request where resummarize_tokens is 0', async () => {
    const { lists } = growing(dialect);
    const model = scriptedModel(() => ({ kind: 'fail' }));
    const steps = [summarizeWith({ ...settings, resummarize_tokens: 0 })];
    await run(dialect, lists, { model, steps });
    expect(model.calls).toHaveLength(lists.length);
  });
});

describe('shape', () => {
  test('a list that could not be sent is gated before any call', async () => {
    const { lists } = growing('anthropic');
    const model = countingModel();
    const intended: (readonly Message[])[] = [];
    const replayed = await run('anthropic', lists.slice(0, 2), {
      model,
      addedViolations: (_before, after) => {
        intended.push(after);
        return ['A-TEST'];
      },
    });
    expect(verdicts(replayed)).toEqual(['shape:A-TEST', 'shape:A-TEST']);
    expect(model.calls).toEqual([]);
    // What was checked has the shape of what would have been sent.
    expect(intended[0]?.map(({ role }) => role).slice(0, 3)).toEqual(['user', 'user', 'assistant']);
  });

  test('a rewrite that turns out unsendable is reverted, and not paid for again', async () => {
    const { lists } = growing('anthropic');
    const model = countingModel();
    const replayed = await run('anthropic', lists.slice(0, 3), {
      model,
      addedViolations: (_before, after) =>
        after.some(({ raw }) => raw.includes('Summary 0.')) ? ['A-TEST'] : [],
    });
    expect(verdicts(replayed)).toEqual(['shape:A-TEST', 'failed_before', 'failed_before']);
    expect(model.calls).toHaveLength(1);
  });

  test('a result that comes late unties the checkpoint instead of tearing the exchange', async () => {
    const { raws, table } = conversation('openai-chat', [
      { kind: 'user', text: 'go' },
      { kind: 'exchange', calls: [{ id: 'slow' }] },
      { kind: 'user', text: words(60) },
      { kind: 'exchange', calls: [{ id: 'fast', result: words(60) }] },
      { kind: 'exchange', calls: [{ id: 'next', result: words(60) }] },
    ]);
    const late = '{"role":"tool","tool_call_id":"slow","content":"done at last"}';
    const { raws: more } = conversation('openai-chat', [
      { kind: 'exchange', calls: [{ id: 'more', result: words(60) }] },
      { kind: 'exchange', calls: [{ id: 'last', result: words(60) }] },
    ]);
    const lists = [raws, [...raws, late], [...raws, late, ...more]].map((given) =>
      parseRaws('openai-chat', given, table),
    );
    const replayed = await run('openai-chat', lists, { table });
    expect(verdicts(replayed)).toEqual(['changed', 'no_boundary', 'changed']);
    expect(replayed[2]?.after).toHaveLength(4);
  });
});
