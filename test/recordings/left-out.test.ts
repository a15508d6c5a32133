import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withPlainReward } from '../../src/recordings/left-out.ts';
import type { Problem } from '../../src/recordings/problem.ts';
import { toTranscript } from '../../src/recordings/transcripts.ts';
import { jsonl, readFiles } from './support.ts';

const user = { role: 'user', content: 'q' };
const talk = [user, { role: 'assistant', content: 'a' }];
const event = (id: number, source: string, action: string, content: string) => ({
  ...{ id, source, action, args: { content } },
});
const happened = [event(0, 'user', 'message', 'q'), event(1, 'agent', 'message', 'a')];

/** A file of each format that holds several recordings with rewards: one whole, one without a request. */
const files = {
  'tau-bench': JSON.stringify([
    { task_id: 'whole', trial: 0, reward: 1, traj: talk },
    { task_id: 'broke', trial: 0, reward: 0, traj: [] },
  ]),
  'tau2-bench': JSON.stringify({
    ...{ info: {}, tasks: [] },
    simulations: ['whole', 'broke'].map((task_id, index) => ({
      ...{ id: task_id, task_id, trial: 0, termination_reason: 'x' },
      reward_info: { reward: 1 - index },
      messages: index === 0 ? talk : [],
    })),
  }),
  intercode: JSON.stringify({
    0: {
      ...{ task_id: 'whole', query: 'q', summary: { max_reward: 1, turns_taken: 1 } },
      turn_history: { actions: ['ls', 'submit'], observations: ['a', 'b'], rewards: [0, 1] },
    },
    1: {
      ...{ task_id: 'broke', query: 'q', summary: { max_reward: 0, turns_taken: 0 } },
      turn_history: { actions: [], observations: [], rewards: [] },
    },
  }),
  'inspect-eval': JSON.stringify({
    ...{ version: 2, status: 'error', eval: { task: 't', model: 'm' } },
    samples: [
      { id: 'whole', epoch: 1, input: 'q', target: 't', messages: talk, scores: score('C') },
      { id: 'broke', epoch: 1, input: 'q', target: 't', messages: [user], scores: score('I') },
    ],
  }),
  'openhands-v0-events': jsonl(
    { instance_id: 'whole', history: happened, test_result: { report: { resolved: true } } },
    { instance_id: 'broke', history: [], test_result: { report: { resolved: false } } },
  ),
};

function score(value: unknown) {
  return { accuracy: { value } };
}

describe('an outcome does not leave the sample unseen', () => {
  test.each(Object.entries(files))(
    '%s: a recording that holds no request is told',
    async (format, text) => {
      const { transcripts, problems } = await readFiles({ 'runs.json': text });
      expect(transcripts.map(({ task, reward }) => [task, reward])).toEqual([['whole', 1]]);
      expect(transcripts[0]?.source.format).toBe(format);
      expect(problems).toMatchObject([{ severity: 'notice', at: { file: 'runs.json' } }]);
      expect(problems[0]?.message).toMatch(
        /^task 'broke', trial \d: holds no request, left out, and with it its reward of 0$/,
      );
    },
  );

  test('a file that was named and holds nothing else stays an error', async () => {
    const text = JSON.stringify([{ task_id: 1, trial: 0, reward: 0, traj: [] }]);
    const { problems } = await readFiles({ 'runs.json': text }, ['runs.json']);
    expect(problems).toMatchObject([{ code: 'input.empty', severity: 'error' }]);
  });
});

describe('a reward outside of 0 to 1', () => {
  test('is told and left out, and the transcript is that of a recording without one', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (reward) => {
        const draft = {
          ...{ task: 't', trial: '0', lineage: 'main', requests: [], retries: 0 },
          dialect: 'openai-chat',
          source: { file: 'f', format: 'x', session: 's' },
        } as const;
        const problems: Problem[] = [];
        const read = withPlainReward(toTranscript({ ...draft, reward }), (problem) => {
          problems.push(problem);
        });
        const isPlain = reward >= 0 && reward <= 1;
        expect(read).toEqual(toTranscript(isPlain ? { ...draft, reward } : draft));
        expect(problems).toHaveLength(isPlain ? 0 : 1);
      }),
    );
  });

  test('of a recording: a notice with the figure, and the others keep theirs', async () => {
    const runs = [0.5, 7, -1].map((reward, task_id) => ({ task_id, trial: 0, reward, traj: talk }));
    const { transcripts, problems } = await readFiles({ 'runs.json': JSON.stringify(runs) });
    expect(transcripts.map(({ reward }) => reward)).toEqual([0.5, undefined, undefined]);
    expect(problems.map(({ severity }) => severity)).toEqual(['notice', 'notice']);
    expect(problems[0]?.message).toMatch(/task '1'.*the reward is 7, expected 0 to 1/);
  });
});
