import { describe, expect, it } from 'vitest';
import { EXPAND_TOOL } from '../../src/compaction/expand-tool.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import { containsGold, judge } from '../../src/replay/probe-judging.ts';
import { QUESTIONS_PER_SPAN } from '../../src/replay/probes.ts';
import { SharedAnswers } from '../../src/replay/shared-answers.ts';
import { ask, call, calls, maskConfig, says, transcriptOf } from './agreement-support.ts';

const recorded = call('read_file', { path: 'src/a.ts' });
const one = transcriptOf([recorded]);
const probes = { agreement: 0, probes: 5 };
const owner = { question: 'Who owns the ledger?', answer: 'account-4711' };
const port = { question: 'Which port is it?', answer: '8443' };
const writes =
  (...entries: readonly object[]) =>
  () =>
    `Here they are:\n${JSON.stringify(entries)}\n`;
const asks = (request: { messages: string }, text: string) => request.messages.includes(text);
const wantsMarker = ({ messages }: { messages: string }) =>
  calls(EXPAND_TOOL.name, { hash: /<<cg:([0-9a-f]+)>>/.exec(messages)?.[1] ?? '' });

describe('probe questions', () => {
  it('are answered from the rewritten request, without and with expand', async () => {
    const { probes: figures, turns } = await ask({
      transcript: one,
      plan: probes,
      writer: writes(owner, port),
      // Only what was expanded holds the detail.
      original: (request) => says(asks(request, 'Who owns') ? 'It is account-4711.' : '8443'),
      rewritten: (request) =>
        request.tools?.includes(EXPAND_TOOL.name) === true ? wantsMarker(request) : says('UNKNOWN'),
    });
    expect(figures).toEqual({
      spans: 1,
      dropped: QUESTIONS_PER_SPAN - 2,
      plain: { answered: 2, right: 0, unanswered: 2, unparsed: 0 },
      withExpand: { answered: 2, right: 2, unanswered: 0, unparsed: 0 },
    });
    // Each question alone, and with expand once more for what came back.
    expect(turns.requests).toHaveLength(2 * 3);
    const last = turns.requests[0]?.messages ?? '';
    expect(last).toContain('Who owns the ledger?');
    expect(last.indexOf('Who owns')).toBeGreaterThan(last.indexOf('Go on with step 0'));
  });

  it('are right, wrong or unparsed, and what is unparsed is in no score', async () => {
    const figures = async (reply: ReturnType<typeof says> | ReturnType<typeof calls>) =>
      (
        await ask({
          transcript: one,
          plan: probes,
          writer: writes(owner),
          original: reply,
          rewritten: reply,
          marker: false,
        })
      ).probes?.plain;
    const none = { answered: 0, right: 0, unanswered: 0, unparsed: 0 };
    expect(await figures(says('Account-4711!'))).toEqual({ ...none, answered: 1, right: 1 });
    expect(await figures(says('account-4712'))).toEqual({ ...none, answered: 1 });
    expect(await figures(says('Unknown.'))).toEqual({ ...none, answered: 1, unanswered: 1 });
    expect(await figures(says('  '))).toEqual({ ...none, unparsed: 1 });
    expect(await figures(calls('run', { command: 'ls' }))).toEqual({ ...none, unparsed: 1 });
    expect(await figures({ kind: 'fail' } as never)).toEqual({ ...none, unparsed: 1 });
  });

  const unusable: readonly [string, object][] = [
    ['its answer is not in the span', { question: 'Which city?', answer: 'Paris' }],
    ['its answer is part of a word only', { question: 'Which number?', answer: '471' }],
    ['it holds its answer', { question: 'Is account-4711 the owner?', answer: 'account-4711' }],
    [
      'its answer is a sentence',
      { question: 'What is said?', answer: 'all of this is in order here '.repeat(4).trim() },
    ],
    ['it was asked before', { ...owner, question: 'who owns the ledger?' }],
    ['it is no question', { question: 5, answer: 'account-4711' }],
    ['it has no answer', { question: 'Who?', answer: '' }],
  ];
  it.each(unusable)('are dropped and counted where %s', async (_, entry) => {
    const { probes: figures } = await ask({
      transcript: one,
      plan: probes,
      writer: writes(owner, entry),
      original: says('account-4711'),
      rewritten: says('account-4711'),
    });
    expect(figures?.dropped).toBe(QUESTIONS_PER_SPAN - 1);
    expect(figures?.plain).toMatchObject({ answered: 1, right: 1 });
  });

  it.each(['', 'no array', '[{"question": ', '{"question":"a","answer":"b"}'])(
    'may not be written at all: %j',
    async (reply) => {
      const { probes: figures, turns } = await ask({
        transcript: one,
        plan: probes,
        writer: () => reply,
        original: says('?'),
        rewritten: says('?'),
      });
      expect(figures).toMatchObject({ spans: 1, dropped: QUESTIONS_PER_SPAN });
      expect(turns.requests).toEqual([]);
    },
  );

  it('are written once for all configs that dropped the span, from the span alone', async () => {
    const prompts: ModelRequest[] = [];
    const writer = (request: ModelRequest) => {
      prompts.push(request);
      return writes(owner)();
    };
    const shared = new SharedAnswers();
    const transcript = transcriptOf([recorded, recorded]);
    const options = { transcript, plan: probes, writer, shared, rewritten: says('account-4711') };
    const first = await ask({ ...options, original: says('?') });
    const second = await ask({ ...options, original: says('?'), marker: false, sample: 1 });
    // Two requests drop the same message but for the id of its call, which no one reads.
    expect(prompts).toHaveLength(1);
    expect(first.probes?.spans).toBe(2);
    expect(second.probes?.plain).toEqual(first.probes?.plain);
    expect(prompts[0]?.prompt).toContain('account-4711');
    expect(prompts[0]?.prompt).not.toContain('Find the owner');
    expect(second.calls.shareable).toBe(2);
  });

  it('are not asked about short messages, nor where nothing can be expanded with it', async () => {
    const config = { ...(await maskConfig()), inject: 'never' as const };
    const { probes: figures, turns } = await ask({
      transcript: one,
      plan: probes,
      writer: writes(owner),
      original: says('?'),
      rewritten: says('account-4711'),
      config,
    });
    expect(figures?.withExpand).toBeUndefined();
    expect(turns.requests).toHaveLength(1);
  });
});

describe('an answer', () => {
  const right: readonly [string, string][] = [
    ['It is `src/a.ts`.', 'src/a.ts'],
    ['THE PORT IS 8443', '8443'],
    ['port:8443.', '8443'],
    ['“two  words”', 'two words'],
    ['ｆｕｌｌ', 'full'],
    ['not 18443 but 8443', '8443'],
    ['c++', 'C++'],
  ];
  it.each(right)('%j contains %j', (answer, gold) => {
    expect(judge(answer, gold)).toBe('right');
  });

  const wrong: readonly [string, string][] = [
    ['18443', '8443'],
    ['8443.5', '8443'],
    ['84430', '8443'],
    ['8443ms', '8443'],
    ['src/ab.ts', 'src/a.ts'],
    ['', 'a'],
    ['a', ''],
    ['a', '""'],
  ];
  it.each(wrong)('%j does not contain %j', (answer, gold) => {
    expect(containsGold(answer, gold)).toBe(false);
  });

  it('that says it does not know is no guess', () => {
    expect(judge('UNKNOWN', 'x1')).toBe('unanswered');
    expect(judge('"unknown" – nothing says so', 'x1')).toBe('unanswered');
    expect(judge('an unknown host', 'x1')).toBe('wrong');
    expect(judge('unknown', 'unknown')).toBe('right');
  });
});
