import { describe, expect, test } from 'vitest';
import type { BoundComponent } from '../../src/compaction/bound.ts';
import { Lineage, runPipeline } from '../../src/compaction/pipeline.ts';
import { validate } from '../../src/shape/validate.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import { anthropic } from '../../src/wire/anthropic.ts';
import { keptCall, keptResult, systemSummary } from '../faults/anthropic-faults.ts';
import { outOfRange } from '../faults/property-faults.ts';
import { countingModel, summarizeWith } from '../support/replay-lists.ts';
import { words } from '../support/wire-steps.ts';

/** The four bugs of the public record, each with the smallest transcript that shows it. */

const task = { role: 'user', content: 'Fix the build.' };
const answer = { role: 'assistant', content: words(150) };
const next = { role: 'user', content: 'And now?' };
const call = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'a', name: 'run', input: {} }],
};
const result = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }],
};

function listOf(...messages: readonly object[]): readonly Message[] {
  return anthropic.parseList(JSON.stringify(messages), new MessageTable());
}

async function run(component: BoundComponent, messages: readonly Message[]) {
  const model = countingModel();
  const result = await runPipeline(messages, new Lineage(), {
    steps: [component],
    dialect: anthropic,
    table: new MessageTable(),
    counting: { tokenizer: 'o200k_base', dialect: 'anthropic', thinking: 'all' },
    contextWindow: undefined,
    models: () => model,
    sample: 0,
  });
  const [report] = result.steps;
  const broken = validate({ dialect: 'anthropic', messages: result.messages, before: messages });
  return { report, messages: result.messages, broken: broken.map(({ rule }) => rule) };
}

/** `summarize` keeps every number of messages, and no list that it sends is refused. */
async function expectSendable(messages: readonly Message[]): Promise<number> {
  let changed = 0;
  for (let keepLast = 0; keepLast <= messages.length + 2; keepLast++) {
    const settings = { keep_last: keepLast, min_tokens: 0, start_from_message: 0 };
    const { report, broken } = await run(summarizeWith(settings), messages);
    expect(broken).toEqual([]);
    expect(report?.kind).not.toBe('reverted');
    if (report?.kind === 'changed') changed++;
  }
  return changed;
}

describe('a summary with role system in front of the kept tail', () => {
  const messages = listOf(task, answer, next);

  test('is refused, for the tail begins with a user turn', async () => {
    expect((await run(systemSummary({ keep: 1 }), messages)).broken).toEqual(['A-SYS-2']);
  });

  test('summarize says it with role user', async () => {
    expect(await expectSendable(messages)).toBeGreaterThan(0);
    const settings = { keep_last: 1, min_tokens: 0, start_from_message: 0 };
    const { messages: sent } = await run(summarizeWith(settings), messages);
    expect(sent.map(({ role }) => role)).toEqual(['user', 'user', 'user']);
  });
});

describe('a span that cuts a tool_use and keeps its result', () => {
  const messages = listOf(task, answer, next, call, result);

  test('is refused, for nobody called for the result', async () => {
    expect((await run(keptResult({ keep: 1 }), messages)).broken).toEqual(['A-PAIR-2']);
  });

  test('summarize moves the cut in front of the call', async () => {
    expect(await expectSendable(messages)).toBeGreaterThan(0);
    const settings = { keep_last: 1, min_tokens: 0, start_from_message: 0 };
    const { messages: sent } = await run(summarizeWith(settings), messages);
    expect(sent.slice(-2)).toEqual(messages.slice(-2));
  });
});

describe('a span that keeps a tool_use and cuts its results', () => {
  const large = {
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: 'a', content: words(150) }],
  };
  const messages = listOf(task, call, large);

  test('is refused, for the call has no result', async () => {
    expect((await run(keptCall({ keep: 0 }), messages)).broken).toEqual(['A-PAIR-1']);
  });

  test('summarize takes both or none', async () => {
    expect(await expectSendable(messages)).toBeGreaterThan(0);
  });
});

describe('an index out of range on a transcript shorter than keep_last', () => {
  const messages = listOf(task);

  test('is an error of the component, and the list is sent as it was', async () => {
    const { report, messages: sent } = await run(outOfRange.bind({ keep_last: 3 }), messages);
    expect(report).toMatchObject({
      kind: 'reverted',
      reason: 'error:harness.internal',
      detail: 'index out of range [-2]',
    });
    expect(sent).toBe(messages);
  });

  test('summarize says that the transcript is short', async () => {
    const settings = { keep_last: 3, min_tokens: 0, start_from_message: 0 };
    const { report } = await run(summarizeWith(settings), messages);
    expect(report).toMatchObject({ kind: 'skipped', gate: 'short_transcript' });
    expect(await expectSendable(messages)).toBe(0);
  });
});
