import { describe, expect, test } from 'vitest';
import { markerOf } from '../../src/compaction/stash.ts';
import { EvidenceTracker } from '../../src/replay/evidence.ts';
import {
  evidenceTotals,
  groundedReward,
  groundedRewardWithExpand,
} from '../../src/replay/evidence-totals.ts';
import type { Message } from '../../src/transcript/message.ts';
import { exchange, type Session, session, statuses } from './evidence-support.ts';

/** The user names an order; the second action uses it. */
const order = (value = 'order_7781') =>
  session('openai-chat', [
    { kind: 'note', text: 'You are careful. Policy ref_0001.' },
    { kind: 'user', text: `Please cancel ${value}.` },
    exchange(1, { query: 'orders' }, 'Found it in src/orders.ts'),
    exchange(2, { order: value, note: 'ref_0001 never_said' }),
  ]);

/** What becomes of the last action's evidence when `text` takes the place of the user's turn. */
function rewritten(given: Session, text: string | undefined) {
  const tracker = new EvidenceTracker(given.transcript, given.stash);
  const last = given.transcript.requests.length - 1;
  const list = given.transcript.requests[last]?.messages ?? [];
  const after = list.flatMap((message): Message[] => {
    if (message.role !== 'user') return [message];
    return text === undefined ? [] : [given.user(text)];
  });
  return tracker.at(last, after);
}

describe('evidence', () => {
  test('is what the request holds outside of its system prompt, and all kept as recorded', () => {
    const { transcript, stash } = order();
    const tracker = new EvidenceTracker(transcript, stash);
    const found = transcript.requests.map(({ messages }, index) => tracker.at(index, messages));
    expect(found.map(({ action }) => statuses(action))).toEqual([{}, { order_7781: 'kept' }]);
  });

  test('that a summary keeps is kept', () => {
    const { action } = rewritten(order(), 'Summary: cancel "order_7781".');
    expect(statuses(action)).toEqual({ order_7781: 'kept' });
  });

  test.each([
    ['ORDER_7781', 'mutated'],
    ['order-7781', 'mutated'],
    ['order7781', 'mutated'],
    ['Order.7781', 'mutated'],
    ['order_77', 'mutated'],
    ['r_7781', 'mutated'],
    // Less than half of it.
    ['orde', 'lost'],
    ['7781', 'lost'],
    ['order_77812', 'lost'],
    ['order_7782', 'lost'],
    ['order 7781', 'mutated'],
    ['the order', 'mutated'],
    ['the one of 2024', 'lost'],
  ])('that a summary writes as %s is %s', (written, status) => {
    expect(statuses(rewritten(order(), `Summary: ${written}.`).action)).toEqual({
      order_7781: status,
    });
  });

  test('of four characters or less has no pieces', () => {
    expect(statuses(rewritten(order('u123'), 'Summary: u12 and 123').action)).toEqual({
      u123: 'lost',
    });
    expect(statuses(rewritten(order('u1234'), 'Summary: u123').action)).toEqual({
      u1234: 'mutated',
    });
  });

  test('is not kept by a longer name around it', () => {
    expect(statuses(rewritten(order('u12'), 'u123 x/u12').action)).toEqual({ u12: 'lost' });
  });

  test('only behind the marker is recoverable, and lost where the stash lacks it or there is no marker', () => {
    const given = order();
    const kept = given.stash.putText('Please cancel order_7781.');
    const other = given.stash.putText('Please cancel order_77812.');
    const missing = '0123456789abcdef';
    for (const [text, status] of [
      [markerOf(kept), 'recoverable'],
      [markerOf(other), 'lost'],
      [`<<cg:${missing}>>`, 'lost'],
      [kept, 'lost'],
      [undefined, 'lost'],
    ] as const) {
      expect(statuses(rewritten(given, text).action), text).toEqual({ order_7781: status });
    }
  });

  test('that is changed in front and whole behind the marker can be got back', () => {
    const given = order();
    const key = given.stash.putText('Please cancel order_7781.');
    const { action } = rewritten(given, `Cancel ORDER_7781 ${markerOf(key)}`);
    expect(statuses(action)).toEqual({ order_7781: 'recoverable' });
  });

  test('is found through markers inside of what markers stand for', () => {
    const given = order();
    const inner = given.stash.putText('Please cancel order_7781.');
    const middle = given.stash.putMessages([given.user(`earlier: ${markerOf(inner)}`)], 0, 1);
    const outer = given.stash.putText(`before that: ${markerOf(middle)} and ${markerOf(inner)}`);
    const { action, markers } = rewritten(given, `Summary. ${markerOf(outer)}`);
    expect(statuses(action)).toEqual({ order_7781: 'recoverable' });
    expect(markers).toEqual({ visible: 1, nested: 2, depth: 2 });
  });

  test('behind markers that refer to one another is looked for once', () => {
    const given = order();
    const key = given.stash.putMessages([given.user('one')], 0, 1);
    const other = given.stash.putMessages([given.user(`two ${markerOf(key)}`)], 0, 1);
    given.stash.refresh(key, [given.user(`one ${markerOf(other)} ${markerOf(key)}`)], 0, 1);
    const { action, markers } = rewritten(given, `Summary. ${markerOf(key)}`);
    expect(statuses(action)).toEqual({ order_7781: 'lost' });
    expect(markers).toEqual({ visible: 1, nested: 1, depth: 2 });
  });

  test('comes and goes with the request', () => {
    const given = order();
    const { transcript, stash } = given;
    const request = transcript.requests[1];
    if (request === undefined) throw new Error('no request');
    const twice = { ...transcript, requests: [request, request, request] };
    const tracker = new EvidenceTracker(twice, stash);
    const key = stash.putText('order_7781');
    const texts = ['gone', `gone ${markerOf(key)}`, 'order_7781 again'];
    const found = texts.map((text, index) => tracker.at(index, [given.user(text)]));
    expect(found.map(({ action }) => statuses(action).order_7781)).toEqual([
      'lost',
      'recoverable',
      'kept',
    ]);
  });

  test('in the system prompt as well is still in front of the model, on the list and apart from it', () => {
    const steps = [
      { kind: 'user', text: 'Work in /repo/app_1.' },
      exchange(1, { path: '/repo/app_1' }),
    ] as const;
    const apart = session('anthropic', steps, {
      system: '[{"type":"text","text":"cwd:\\n/repo/app_1"}]',
    });
    const alone = session('anthropic', steps);
    const inList = session('openai-chat', [{ kind: 'note', text: 'cwd: /repo/app_1' }, ...steps]);
    expect(statuses(rewritten(apart, 'Summary.').action)).toEqual({ '/repo/app_1': 'kept' });
    expect(statuses(rewritten(alone, 'Summary.').action)).toEqual({ '/repo/app_1': 'lost' });
    expect(statuses(rewritten(inList, 'Summary.').action)).toEqual({ '/repo/app_1': 'kept' });
  });

  test('in the assistant’s text is for the details only', () => {
    const given = session('openai-chat', [
      { kind: 'user', text: 'What about user_77?' },
      { kind: 'assistant', text: 'The account user_77 is fine.' },
    ]);
    const { action } = rewritten(given, 'Summary.');
    expect(action?.used).toEqual([]);
    expect(action?.said.map(({ value, status }) => [value, status])).toEqual([['user_77', 'lost']]);
    expect(evidenceTotals([{ evidence: action }])).toMatchObject({ actions: 1, withEvidence: 0 });
  });

  test('of earlier calls and of results counts like that of messages', () => {
    const given = session('anthropic', [
      { kind: 'user', text: 'Go on.' },
      exchange(1, { path: 'src/a.ts' }, '{"text": "one\\ntwo_2 \\"three_3\\""}'),
      exchange(2, { path: 'src/a.ts', names: ['two_2', 'three_3'] }),
    ]);
    const { transcript, stash } = given;
    const tracker = new EvidenceTracker(transcript, stash);
    const [first] = transcript.requests[1]?.messages ?? [];
    if (first === undefined) throw new Error('no message');
    expect(statuses(tracker.at(1, [first]).action)).toEqual({
      'src/a.ts': 'lost',
      two_2: 'lost',
      three_3: 'lost',
    });
    expect(statuses(tracker.at(1, [first, given.user('two_2, three_3')]).action)).toMatchObject({
      two_2: 'kept',
      three_3: 'kept',
    });
  });
});

describe('the totals', () => {
  const used = (...all: readonly ('kept' | 'recoverable' | 'mutated' | 'lost')[]) => ({
    evidence: { used: all.map((status) => ({ value: 'x_1', status, outlived: 0 })), said: [] },
  });
  const totals = evidenceTotals([
    used('kept', 'kept'),
    used('kept', 'recoverable'),
    used('recoverable', 'mutated'),
    used('lost'),
    used(),
    { evidence: undefined },
  ]);

  test('count actions by their worst evidence, and unknown ones apart', () => {
    expect(totals).toEqual({
      actions: 5,
      unknownActions: 1,
      withEvidence: 4,
      supported: 1,
      recoverable: 1,
      lost: 2,
      evidence: { total: 7, kept: 3, recoverable: 2, lost: 2, mutated: 1 },
    });
  });

  test('ground the reward: all supported, or with expand none lost', () => {
    const rewards = (...requests: Parameters<typeof evidenceTotals>[0]) => {
      const all = evidenceTotals(requests);
      return [groundedReward(0.5, all), groundedRewardWithExpand(0.5, all)];
    };
    expect(rewards(used('kept'), used())).toEqual([0.5, 0.5]);
    expect(rewards(used('kept'), used('recoverable'))).toEqual([0, 0.5]);
    expect(rewards(used('recoverable'), used('mutated'))).toEqual([0, 0]);
    expect(rewards()).toEqual([0.5, 0.5]);
  });
});
