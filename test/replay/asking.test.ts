import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import type { Model } from '../../src/model/model.ts';
import { scriptedModel } from '../../src/model/scripted.ts';
import { scriptedTurns, type TurnRule } from '../../src/model/scripted-turns.ts';
import { stubModel } from '../../src/model/stub.ts';
import { type AskedFigures, CellAsking } from '../../src/replay/asking.ts';
import { readableTexts } from '../../src/replay/evidence-names.ts';
import { recordedEvidence } from '../../src/replay/evidence-recorded.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import type { TranscriptReplay } from '../../src/replay/result.ts';
import { SharedAnswers } from '../../src/replay/shared-answers.ts';
import { hasToolCall } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { configsNamed, readAll } from '../support/sweeps.ts';

const fixtures = await readAll(['fixtures/transcripts'], '.');
const configs = await configsNamed('baseline', 'cg-mask', 'cg-summarize-small');

async function askAbout(
  transcript: Transcript,
  config: Config,
  model: Model,
  options: {
    readonly shared?: SharedAnswers;
    readonly agreement?: number;
    readonly probes?: number;
  },
): Promise<{ readonly asked: AskedFigures; readonly replay: TranscriptReplay }> {
  const { shared = new SharedAnswers(), agreement = 50, probes = 0 } = options;
  const asking = new CellAsking({ transcript, config }, { agreement, probes, seed: 1 });
  const models = () => () => stubModel('stub');
  const replay = await replayTranscript(
    transcript,
    config,
    { tokenizer: 'o200k_base', models, sample: 0 },
    asking.observe,
  );
  const { signal } = new AbortController();
  return { asked: await asking.measure(replay, { model, shared, sample: 0, signal }), replay };
}

/**
 * The agent of a recording: it does what it did where what that took is in front of it. Its requests are told
 * by their last message, which compaction keeps.
 */
function recordedAgent(transcript: Transcript): Model {
  const evidence = recordedEvidence(transcript).actions;
  const rules = transcript.requests.flatMap(({ messages, action }, index): TurnRule[] => {
    if (action === undefined) return [];
    const said = messages.at(-1);
    const last = said === undefined ? '' : (readableTexts(said).at(-1) ?? '');
    const calls = action.blocks.flatMap((block) =>
      block.kind === 'tool-call' ? [{ name: block.name, arguments: block.arguments }] : [],
    );
    const step = hasToolCall(action)
      ? ({ kind: 'calls', calls } as const)
      : ({ kind: 'text', text: 'That is the result.' } as const);
    const needs = (evidence[index]?.used ?? []).map(({ value }) => value);
    return [{ needs, last, step }];
  });
  const wire = transcript.dialect === 'anthropic' ? 'anthropic' : 'openai-chat';
  // A later request may end like an earlier one, so the rules with more to go by come first.
  const sorted = rules.toSorted((a, b) => b.needs.length - a.needs.length);
  return scriptedModel(() => '[]', { turns: scriptedTurns(sorted, { wire }) });
}

describe('the fixtures, with the recorded agent', () => {
  it.each(fixtures.map((transcript) => [transcript.task, transcript] as const))(
    '%s: agrees wherever what the action took is kept',
    async (_, transcript) => {
      const shared = new SharedAnswers();
      for (const config of configs) {
        const model = recordedAgent(transcript);
        const { asked, replay } = await askAbout(transcript, config, model, { shared });
        const { agreement } = asked;
        if (agreement === undefined) throw new Error('not measured');
        const changed = replay.requests.filter((request) => request.changed);
        expect(agreement.eligible).toBe(changed.length);
        expect(agreement.sampled).toBe(changed.length);
        expect(agreement.unparsed).toBe(0);
        expect(agreement.scores.length + agreement.notReproduced).toBe(agreement.sampled);
        expect(agreement.tools).toBe('recorded');
        const isKept = (index: number) =>
          replay.requests[index]?.evidence?.used.every(({ status }) => status === 'kept') === true;
        const kept = changed.filter(({ index }) => isKept(index)).length;
        expect(agreement.scores.filter((score) => score === 1).length).toBeGreaterThanOrEqual(
          kept - agreement.notReproduced,
        );
      }
    },
  );

  it('has cases of agreement and of disagreement', async () => {
    const scores: number[] = [];
    let notReproduced = 0;
    for (const transcript of fixtures) {
      for (const config of configs.slice(1)) {
        const { asked } = await askAbout(transcript, config, recordedAgent(transcript), {});
        scores.push(...(asked.agreement?.scores ?? []));
        notReproduced += asked.agreement?.notReproduced ?? 0;
      }
    }
    expect(scores.filter((score) => score === 1).length).toBeGreaterThan(50);
    expect(scores.filter((score) => score < 1).length).toBeGreaterThan(5);
    expect(notReproduced).toBeLessThan(scores.length / 4);
  });
});

describe('the fixtures, with the stub', () => {
  it('give the same figures each time, and share what the recording decides', async () => {
    const [transcript] = fixtures;
    const [baseline, ...others] = configs;
    if (transcript === undefined || baseline === undefined) throw new Error('no data');
    const shared = new SharedAnswers();
    const options = { agreement: 3, probes: 3 };
    const nothing = await askAbout(transcript, baseline, stubModel('stub'), { ...options, shared });
    expect(nothing.asked.calls.calls).toBe(0);
    expect(nothing.asked.agreement).toMatchObject({ eligible: 0, sampled: 0, scores: [] });
    let calls = 0;
    for (const config of others) {
      const alone = await askAbout(transcript, config, stubModel('stub'), options);
      const beside = await askAbout(transcript, config, stubModel('stub'), { ...options, shared });
      expect(beside.asked).toEqual(alone.asked);
      calls += beside.asked.calls.calls;
    }
    expect(shared.asked).toBeLessThan(calls);
  });

  it('recalls more with expand than without', async () => {
    let [plain, withExpand, questions] = [0, 0, 0];
    for (const transcript of fixtures.slice(0, 4)) {
      const [, ...others] = configs;
      for (const config of others) {
        const { asked } = await askAbout(transcript, config, stubModel('stub'), {
          agreement: 0,
          probes: 2,
        });
        plain += asked.probes?.plain.right ?? 0;
        withExpand += asked.probes?.withExpand?.right ?? 0;
        questions += asked.probes?.plain.answered ?? 0;
      }
    }
    expect(questions).toBeGreaterThan(20);
    expect(withExpand).toBeGreaterThan(questions / 2);
    expect(plain).toBeLessThan(withExpand);
  });
});
