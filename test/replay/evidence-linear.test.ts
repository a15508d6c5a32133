import { describe, expect, test } from 'vitest';
import { markerOf, type StashKey } from '../../src/compaction/stash.ts';
import { EvidenceTracker } from '../../src/replay/evidence.ts';
import { recordedEvidence } from '../../src/replay/evidence-recorded.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Step } from '../support/wire-steps.ts';
import { exchange, type Session, session } from './evidence-support.ts';

/** A growing session in which every action uses names of early and of late outputs. */
function longSession(exchanges: number): Session {
  const steps: Step[] = [{ kind: 'user', text: 'Fix project_x in /repo/main.py.' }];
  for (let number = 0; number < exchanges; number++) {
    const input = { path: '/repo/main.py', near: `out_${number - 1}`, far: `far_${number >> 1}` };
    steps.push(
      exchange(
        number,
        input,
        `/repo/main.py has out_${number}, far_${number} and ${'words '.repeat(40)}`,
      ),
    );
  }
  return session('openai-chat', steps);
}

type Rewrite = (messages: readonly Message[]) => readonly Message[];

/** One summary for all but the last messages, made anew every ten messages, as with roll-forward. */
function rolling(given: Session): Rewrite {
  let state: { readonly key: StashKey; readonly to: number; readonly text: Message } | undefined;
  return (messages) => {
    if (messages.length < 10) return messages;
    if (state === undefined || messages.length - state.to > 10) {
      const to = messages.length - 4;
      const key = given.stash.putMessages(messages, 1, to);
      state = { key, to, text: given.user(`Work on out_${to >> 2} goes on. ${markerOf(key)}`) };
    }
    return [...messages.slice(0, 1), state.text, ...messages.slice(state.to)];
  };
}

/** Every older output becomes a marker. */
function masking(given: Session): Rewrite {
  const masked = new Map<Message, Message>();
  return (messages) =>
    messages.map((message, position) => {
      const [block] = message.blocks;
      if (block?.kind !== 'tool-result' || position > messages.length - 6) return message;
      const known = masked.get(message);
      if (known !== undefined) return known;
      const key = given.stash.putText(block.texts.join('\n'));
      const made = given.user(`/repo […] ${markerOf(key)}`);
      masked.set(message, made);
      return made;
    });
}

/** Characters read, and names that came in or went out, over the whole replay. */
function work(exchanges: number, rewriting: (given: Session) => Rewrite) {
  const given = longSession(exchanges);
  const tracker = new EvidenceTracker(given.transcript, given.stash);
  const rewrite = rewriting(given);
  const statuses = new Set<string>();
  for (const [index, { messages }] of given.transcript.requests.entries()) {
    const { action } = tracker.at(index, rewrite(messages));
    for (const { status } of action?.used ?? []) statuses.add(status);
  }
  const { characters, steps } = recordedEvidence(given.transcript).work;
  return { characters, steps: steps + tracker.steps, statuses };
}

describe('the work grows with the text, and no faster', () => {
  test.each([
    ['a rolling summary', rolling],
    ['a mask', masking],
  ])('under %s', (_, rewriting) => {
    const [small, large] = [work(100, rewriting), work(800, rewriting)];
    // Eight times the text; the requests' lists together are 64 times as long.
    for (const figure of ['characters', 'steps'] as const) {
      expect(small[figure]).toBeGreaterThan(0);
      expect(large[figure] / small[figure], figure).toBeLessThan(9);
    }
    expect(large.statuses).toEqual(new Set(['kept', 'recoverable']));
  });
});

test('each message is read once, whatever the number of configs', () => {
  const given = longSession(50);
  const texts = new Set(given.transcript.requests.flatMap(({ messages }) => messages));
  const before = recordedEvidence(given.transcript).work.characters;
  expect(before).toBeGreaterThan(texts.size * 10);
  for (let config = 0; config < 3; config++) {
    const tracker = new EvidenceTracker(given.transcript, given.stash);
    for (const [index, { messages }] of given.transcript.requests.entries()) {
      tracker.at(index, messages.slice(config));
    }
  }
  expect(recordedEvidence(given.transcript).work.characters).toBe(before);
});
