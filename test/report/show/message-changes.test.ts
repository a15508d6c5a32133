import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Stash } from '../../../src/compaction/stash.ts';
import { summaryText } from '../../../src/compaction/summary-text.ts';
import { countingOf, tokensOfEach } from '../../../src/report/show/counting.ts';
import { MarkerPaths } from '../../../src/report/show/marker-paths.ts';
import { messageChanges } from '../../../src/report/show/message-changes.ts';
import type { Message, Role } from '../../../src/transcript/message.ts';
import { dialectOf } from '../../../src/wire/catalog.ts';
import { exchange, session } from '../../replay/evidence-support.ts';
import { cellOf } from './cells.ts';

const CONFIGS = [
  'cg-summarize',
  'cg-mask',
  'cg-combined',
  'control-random_drop@cg-mask',
  'baseline',
];

describe('the changes of a replayed request', () => {
  test.each(CONFIGS)(
    '%s: hold each message of both lists once, in order, with its tokens',
    async (name) => {
      const cell = await cellOf(name);
      const paths = new MarkerPaths(cell.replay.stash);
      const fates = new Set<string>();
      for (const [index, request] of cell.transcript.requests.entries()) {
        const after = cell.sent[index] ?? [];
        const changes = messageChanges(request.messages, after, paths);
        const before = changes.flatMap((change) => change.before ?? []);
        const sent = changes.flatMap((change) => change.after ?? []);
        expect(before.map(({ message }) => message)).toEqual(request.messages);
        expect(before.map((at) => at.index)).toEqual(request.messages.map((_, at) => at));
        expect(sent.map(({ message }) => message)).toEqual(after);
        for (const change of changes) {
          fates.add(change.fate);
          if (change.fate === 'kept')
            expect(change.before?.message.raw).toBe(change.after?.message.raw);
          const isGone = ['summarized', 'stashed', 'dropped'].includes(change.fate);
          expect(change.after === undefined).toBe(isGone);
          expect(change.before === undefined).toBe(change.fate === 'inserted');
          if (change.fate === 'stashed') expect(change.markers.length).toBeGreaterThan(0);
          if (change.fate === 'dropped') expect(change.markers).toEqual([]);
        }
        const counting = countingOf(cell.transcript, request, cell.tokenizer);
        const sum = (list: readonly Message[]) =>
          tokensOfEach(list, counting).reduce((total, tokens) => total + tokens, 0);
        expect(sum(request.messages)).toBe(cell.replay.requests[index]?.tokensBefore);
        expect(sum(after)).toBe(cell.replay.requests[index]?.tokensAfter);
      }
      if (name === 'cg-summarize')
        expect(fates).toEqual(new Set(['kept', 'summarized', 'inserted']));
      if (name === 'cg-mask') expect(fates).toEqual(new Set(['kept', 'rewritten']));
      if (name.startsWith('control')) expect(fates).toContain('stashed');
      if (name === 'baseline') expect(fates).toEqual(new Set(['kept']));
    },
  );
});

describe('message changes', () => {
  const { transcript, user, table } = session('openai-chat', [
    { kind: 'user', text: 'Begin.' },
    exchange(1, { path: 'src/one.ts' }, 'result of one_1'),
    exchange(2, { path: 'src/two.ts' }, 'result of two_2'),
    { kind: 'user', text: 'Go on.' },
    exchange(3, { path: 'src/three.ts' }),
  ]);
  const before = transcript.requests.at(-1)?.messages ?? [];

  test('tell dropped from stashed by what a visible marker stands for', () => {
    const stash = new Stash();
    const key = stash.putMessages(before, 1, 3);
    const notice = user(`Left out: <<cg:${key}>>`);
    const after = [...before.slice(0, 1), notice, ...before.slice(4)];
    const changes = messageChanges(before, after, new MarkerPaths(stash));
    expect(changes.map(({ fate }) => fate)).toEqual([
      'kept',
      'stashed',
      'stashed',
      'dropped',
      'inserted',
      ...before.slice(4).map(() => 'kept'),
    ]);
    expect(changes[1]?.markers).toEqual([key]);
    // A marker that the stash does not have leads nowhere.
    const unknown = messageChanges(before, after, new MarkerPaths(new Stash()));
    expect(unknown.map(({ fate }) => fate).slice(1, 4)).toEqual(['dropped', 'dropped', 'dropped']);
  });

  test('follow a marker inside of what another stands for', () => {
    const stash = new Stash();
    const inner = stash.putMessages(before, 1, 3);
    const list = [user(`<<cg:${inner}>>`), ...before.slice(3)];
    const outer = stash.putMessages(list, 0, 2);
    const after = [...before.slice(0, 1), user(`<<cg:${outer}>>`), ...before.slice(4)];
    const paths = new MarkerPaths(stash);
    const changes = messageChanges(before, after, paths);
    expect(changes.slice(1, 4).map(({ markers }) => markers)).toEqual([
      [outer, inner],
      [outer, inner],
      [outer],
    ]);
    expect(paths.toName([outer], 'src/one.ts')).toEqual([outer, inner]);
    expect(paths.toName([outer], 'src/none.ts')).toBeUndefined();
  });

  test('pair a rewritten result with its original', () => {
    const stash = new Stash();
    const [, , result] = before;
    if (result === undefined) throw new Error('no result');
    const key = stash.putText('result of one_1');
    const raw = dialectOf('openai-chat').replaceResult(result, 0, `peek <<cg:${key}>>`, table);
    const after = before.with(2, raw);
    const changes = messageChanges(before, after, new MarkerPaths(stash));
    expect(changes.length).toBe(before.length);
    expect(changes[2]).toMatchObject({ fate: 'rewritten', markers: [key] });
  });

  test('see a summary that joins a retained message, as where roles must alternate', () => {
    const stash = new Stash();
    const said = (role: Role, ...texts: string[]): Message => {
      const raw = JSON.stringify({ role, content: texts.map((text) => ({ text })) });
      const blocks = texts.map((text) => ({ kind: 'text' as const, text }));
      return table.intern('bedrock', raw, () => ({ role, blocks, canonical: raw }));
    };
    const list = [
      said('user', 'The task.'),
      said('assistant', 'One.'),
      said('user', 'Two.'),
      said('assistant', 'Three.'),
    ];
    const key = stash.putMessages(list, 1, 3);
    const joined = said('user', 'The task.', summaryText('It went well.', 'full', key));
    const after = [joined, ...list.slice(3)];
    const changes = messageChanges(list, after, new MarkerPaths(stash));
    expect(changes.map(({ fate, markers }) => [fate, markers])).toEqual([
      ['rewritten', [key]],
      ['summarized', [key]],
      ['summarized', [key]],
      ['kept', []],
    ]);
  });

  test('are complete for any two lists', () => {
    const list = fc.array(fc.constantFrom(...before, user('Other.'), user('More.')), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(list, list, (old, young) => {
        const changes = messageChanges(old, young, new MarkerPaths(new Stash()));
        const indices = (side: 'before' | 'after') =>
          changes.flatMap((change) => change[side]?.index ?? []);
        expect(indices('before')).toEqual(old.map((_, index) => index));
        expect(indices('after')).toEqual(young.map((_, index) => index));
      }),
    );
  });
});
