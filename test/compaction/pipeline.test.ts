import { describe, expect, test } from 'vitest';
import type { Context, Outcome } from '../../src/compaction/component.ts';
import { Lineage } from '../../src/compaction/pipeline.ts';
import { HarnessError } from '../../src/errors.ts';
import { scriptedModel } from '../../src/model/scripted.ts';
import { countTokens } from '../../src/text/tokens.ts';
import type { Message } from '../../src/transcript/message.ts';
import { changed, componentOf, dropSpan } from '../support/faulty.ts';
import {
  countingModel,
  type ReplayListsOptions,
  replayLists,
  summarizeWith,
  verdictOf,
} from '../support/replay-lists.ts';
import { conversation, wireDialects, words, workSession } from '../support/wire-steps.ts';

const { messages } = conversation('anthropic', workSession('anthropic', 4, 100));
const anthropic = (options: Omit<ReplayListsOptions, 'dialect'>): ReplayListsOptions => ({
  dialect: 'anthropic',
  ...options,
});
const say = (text: string, { dialect, table }: Context) => dialect.userText(text, table);
const spec = {
  source: 'incoming',
  provider: 'anthropic',
  auth: 'x-api-key',
} as const;
const question = {
  purpose: 'summarize',
  system: 'Be brief.',
  prompt: 'Say something.',
  maxOutputTokens: 10,
} as const;

/** A component that is fine, to show that the others go on. */
const fine = componentOf(({ messages: list }, context) => dropSpan(list, 1, 3, context), {
  name: 'fine',
});

describe('a faulty component is reverted alone, with its reason', () => {
  type Fault = (list: readonly Message[], context: Context) => Promise<Outcome> | Outcome;
  const faults: [string, Fault][] = [
    [
      'error:harness.internal',
      () => {
        throw new TypeError('a bug');
      },
    ],
    [
      'error:model.missing',
      async () => {
        throw new HarnessError('model.missing', 'no key');
      },
    ],
    ['error:harness.internal', () => Promise.reject(undefined)],
    // What was recorded is the same for all configs, so nobody can change it.
    ...[
      (message: Message) => Object.assign(message, { raw: '{}' }),
      ({ blocks }: Message) => (blocks as unknown[]).pop(),
      ({ blocks }: Message) => Object.assign(blocks[0] ?? {}, { text: 'other' }),
    ].map((change): [string, Fault] => [
      'error:harness.internal',
      (list) => {
        for (const message of list) change(message);
        return changed(list.slice(1));
      },
    ]),
    ['error:component.timeout', () => new Promise<never>(() => {})],
    ['grew', (list, context) => changed([...list, say('more', context)])],
    [
      'message_grew',
      (list, context) =>
        changed([say(words(30), context), ...list.slice(1, -1), say('x', context)], {
          irreversible: true,
        }),
    ],
    ['unstashed', (list) => changed(list.slice(0, -1))],
    ['unstashed', () => changed([])],
    ['empty', () => changed([], { irreversible: true })],
    ['error:component.contract', () => ({ kind: 'skipped', gate: ' ' })],
    ['error:component.contract', () => ({ kind: 'skipped', gate: 'one:1;two' })],
    ['error:component.contract', () => ({ kind: 'refused', reason: 'a\nb', detail: '' })],
    [
      'unstashed',
      (list, context) => {
        const stashed = [context.stash.putMessages(list, 1, 2)];
        return changed([...list.slice(0, 1), say(`<<cg:${stashed[0]}>>`, context)], { stashed });
      },
    ],
    [
      'unstashed',
      (list, context) => {
        const stashed = [context.stash.putMessages(list, 1, list.length)];
        return changed([...list.slice(0, 1), say('a summary without a marker', context)], {
          stashed,
        });
      },
    ],
    [
      // Stashed from an earlier list: the bytes are not those of this request.
      'unstashed',
      (list, context) => {
        const old = conversation('anthropic', workSession('anthropic', 5, 101)).messages;
        const stashed = [context.stash.putMessages(old, 1, list.length)];
        return changed([...list.slice(0, 1), say(`<<cg:${stashed[0]}>>`, context)], { stashed });
      },
    ],
    [
      'error:harness.internal',
      (list) => {
        Reflect.apply(Array.prototype.pop, list, []);
        return changed(list);
      },
    ],
    ['error:component.contract', () => JSON.parse('{"kind":"changed","messages":null}')],
    ['error:component.contract', () => JSON.parse('null')],
    [
      'error:component.contract',
      () => JSON.parse('{"kind":"changed","messages":[{}],"stashed":[]}'),
    ],
    ['shape:A-TEST', (list, context) => dropSpan(list, 2, 4, context, 'unsendable ')],
  ];

  test.each(faults)('%s', async (reason, fault) => {
    const lineage = new Lineage();
    const recorded = [...messages];
    const faulty = componentOf(
      ({ messages: list }, context) => {
        context.state.set('written by the faulty one');
        return fault(list, context);
      },
      { name: 'faulty' },
    );
    const [replayed] = await replayLists(
      [messages],
      anthropic({
        steps: [faulty, fine],
        lineage,
        timeLimit: 30,
        addedViolations: (_before, after) =>
          after.some(({ raw }) => raw.includes('unsendable')) ? ['A-TEST', 'A-OTHER'] : [],
      }),
    );
    expect(messages).toEqual(recorded);
    const [first, second] = replayed?.result.steps ?? [];
    if (first?.kind !== 'reverted') throw new Error(`expected a reversal, found ${first?.kind}`);
    expect(first.reason).toBe(reason);
    expect(first.detail).not.toBe('');
    expect(first.tokensAfter).toBe(first.tokensBefore);
    expect(lineage.slots('0:faulty').state).toBeUndefined();
    expect(second?.kind).toBe('changed');
    expect(replayed?.after).toHaveLength(messages.length - 1);
    expect(replayed?.result.tokensAfter).toBe(second?.tokensAfter);
  });
});

test('a rewrite that rewrote nothing is no rewrite', async () => {
  const same: ((list: readonly Message[]) => readonly Message[])[] = [
    (list) => list,
    (list) => [...list],
    (list) => list.map((message) => ({ ...message })),
  ];
  for (const rewrite of same) {
    const component = componentOf(({ messages: list }) => changed(rewrite(list)));
    const [replayed] = await replayLists([messages], anthropic({ steps: [component] }));
    expect(replayed?.result.steps[0]).toMatchObject({ kind: 'skipped', gate: 'unchanged' });
    expect(replayed?.after).toBe(messages);
  }
});

test('the state of the last good request comes back, the attempt stays', async () => {
  const lineage = new Lineage();
  let number = 0;
  const flaky = componentOf((_request, context) => {
    number++;
    const seen = [context.state.get(), context.attempt.get()];
    context.state.set(number);
    context.attempt.set(number);
    if (number === 2) throw new Error('fails once');
    return { kind: 'skipped', gate: JSON.stringify(seen) };
  });
  const replayed = await replayLists(
    [messages, messages, messages],
    anthropic({ steps: [flaky], lineage }),
  );
  expect(replayed.map(({ report }) => verdictOf(report))).toEqual([
    '[null,null]',
    'error:harness.internal',
    '[1,2]',
  ]);
});

test('a component that outlives its time limit writes nothing into a later request', async () => {
  const lineage = new Lineage();
  let wake = () => {};
  const sleeping = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const late = componentOf(
    async ({ messages: list }, context) => {
      await sleeping;
      context.state.set('late');
      context.attempt.set('late');
      await context.model(spec)?.ask(question);
      return changed(list);
    },
    { timeLimit: 10 },
  );
  const model = countingModel();
  const [replayed] = await replayLists([messages], anthropic({ steps: [late], lineage, model }));
  wake();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(verdictOf(replayed?.report ?? never())).toBe('error:component.timeout');
  expect(lineage.slots('0:seeded')).toEqual({ state: undefined, attempt: undefined });
  expect(model.calls).toEqual([]);
  expect(replayed?.report.calls).toEqual([]);
});

test('what a failed component left running can neither write nor ask', async () => {
  const lineage = new Lineage();
  const model = countingModel();
  let refusal: unknown;
  const forked = componentOf(async (_request, context) => {
    const branch = new Promise<void>((resolve) => setTimeout(resolve, 5)).then(async () => {
      context.state.set('late');
      await context
        .model(spec)
        ?.ask(question)
        .catch((error: unknown) => {
          refusal = error;
        });
    });
    await Promise.all([branch, Promise.reject(new Error('the other branch failed'))]);
    return { kind: 'skipped', gate: 'unreachable' };
  });
  const [replayed] = await replayLists([messages], anthropic({ steps: [forked], lineage, model }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(lineage.slots('0:seeded').state).toBeUndefined();
  expect(String(refusal)).toContain('after the component had ended');
  expect(model.calls).toEqual([]);
  expect(replayed?.report.calls).toEqual([]);
});

test('the signal aborts at the time limit, with the reason', async () => {
  let reason: unknown;
  const watching = componentOf(
    (_request, { signal }) =>
      new Promise<never>(() => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
        });
      }),
    { timeLimit: 10 },
  );
  await replayLists([messages], anthropic({ steps: [watching] }));
  expect(reason).toBeInstanceOf(HarnessError);
  expect(String(reason)).toContain('seeded took longer than its limit of 10 ms');
});

describe('model calls are charged', () => {
  const asking = (times: number, after: (list: readonly Message[]) => Outcome) =>
    componentOf(async ({ messages: list }, context) => {
      const model = context.model(spec);
      await Promise.all(Array.from({ length: times }, () => model?.ask(question)));
      return after(list);
    });
  const input = countTokens(question.system) + countTokens(question.prompt);

  test('to the component that made them, also when its rewrite is reverted', async () => {
    const outcomes: ((list: readonly Message[]) => Outcome)[] = [
      () => ({ kind: 'skipped', gate: 'blank' }),
      (list) => changed(list.slice(1)),
      () => {
        throw new Error('after the calls');
      },
    ];
    for (const outcome of outcomes) {
      const model = scriptedModel(() => 'two words');
      const [replayed] = await replayLists(
        [messages],
        anthropic({ steps: [asking(2, outcome), fine], model, sample: 3 }),
      );
      const call = { model: 'scripted', purpose: 'summarize', inputTokens: input, outputTokens: 2 };
      expect(replayed?.report.calls).toEqual([call, call]);
      expect(replayed?.result.steps[1]?.calls).toEqual([]);
      expect(model.calls.map(({ sample }) => sample)).toEqual([3, 3]);
    }
  });

  test('with the code of their failure, in the order in which they were made', async () => {
    const model = scriptedModel(['fine', { kind: 'fail' }]);
    const [replayed] = await replayLists(
      [messages],
      anthropic({ steps: [asking(2, (list) => changed(list))], model }),
    );
    expect(verdictOf(replayed?.report ?? never())).toBe('error:model.transport');
    expect(replayed?.report.calls.map(({ failed }) => failed)).toEqual([
      undefined,
      'model.transport',
    ]);
  });

  test('for what they read when the time limit cuts them off', async () => {
    const deaf = {
      name: 'deaf',
      contextWindow: undefined,
      ask: () => new Promise<never>(() => {}),
    };
    for (const model of [scriptedModel(() => ({ kind: 'hang' })), deaf]) {
      const [replayed] = await replayLists(
        [messages],
        anthropic({ steps: [asking(1, (list) => changed(list))], model, timeLimit: 10 }),
      );
      expect(replayed?.report.calls).toEqual([
        {
          model: model.name,
          purpose: 'summarize',
          inputTokens: input,
          outputTokens: 0,
          failed: 'component.timeout',
        },
      ]);
    }
  });
});

describe('what a component is given', () => {
  const watch = async (options: Omit<ReplayListsOptions, 'dialect' | 'steps'>) => {
    let seen: Context | undefined;
    const watching = componentOf((_request, context) => {
      seen = context;
      return { kind: 'skipped', gate: 'watching' };
    });
    await replayLists([messages], anthropic({ steps: [watching], ...options }));
    if (seen === undefined) throw new Error('the component did not run');
    return seen;
  };

  test('tokens as the request’s model counts them, by place', async () => {
    const thinking = conversation('anthropic', [
      { kind: 'user', text: 'one' },
      { kind: 'assistant', text: 'two', thinking: 'some thoughts' },
      { kind: 'user', text: 'three' },
    ]).messages;
    const counts: number[][] = [];
    const counting = componentOf(({ messages: list, tokens }, { countMessage }) => {
      counts.push([...list.map((message) => countMessage(message)), tokens]);
      return { kind: 'skipped', gate: 'counting' };
    });
    for (const kept of ['all', 'loop', 'none'] as const) {
      await replayLists([thinking], anthropic({ steps: [counting], thinking: kept }));
    }
    const thoughts = countTokens('some thoughts');
    expect(counts).toEqual([
      [1, 1 + thoughts, 1, 3 + thoughts],
      [1, 1, 1, 3],
      [1, 1, 1, 3],
    ]);
  });

  test('a shape check that names the first rule, or lets pass', async () => {
    const context = await watch({ addedViolations: () => ['A-ONE', 'A-TWO'] });
    expect(context.checkShape(messages)).toBe('shape:A-ONE');
    expect((await watch({ addedViolations: () => [] })).checkShape(messages)).toBeUndefined();
    expect((await watch({})).checkShape(messages)).toBeUndefined();
  });

  test('no model where there is none', async () => {
    expect((await watch({ models: () => undefined })).model(spec)).toBeUndefined();
  });

  test('a memo that is kept with the message', async () => {
    const context = await watch({});
    const [message] = messages;
    if (message === undefined) throw new Error('no message');
    let computed = 0;
    const fact = () => context.memo(message, 'fact', () => ++computed);
    expect([fact(), fact()]).toEqual([1, 1]);
    expect(context.memo(message, 'another', () => 'other')).toBe('other');
  });
});

test.each(wireDialects)('the empty pipeline gives the very list back (%s)', async (dialect) => {
  const list = conversation(dialect, workSession(dialect, 2)).messages;
  const skipping = componentOf(() => ({ kind: 'skipped', gate: 'never' }));
  const [replayed] = await replayLists([list], { dialect, steps: [skipping] });
  expect(replayed?.after).toBe(list);
});

test('each component sees what the one before it made', async () => {
  const seen: number[] = [];
  const watching = componentOf(({ messages: list, tokens }) => {
    seen.push(list.length, tokens);
    return { kind: 'skipped', gate: 'watching' };
  });
  const [replayed] = await replayLists([messages], anthropic({ steps: [fine, watching] }));
  expect(seen).toEqual([messages.length - 1, replayed?.report.tokensAfter]);
});

test('a component that acts twice in one pipeline keeps two states', async () => {
  const model = countingModel();
  const steps = [3, 2].map((keep) =>
    summarizeWith({ keep_last: keep, min_tokens: 0, start_from_message: 0 }),
  );
  const replayed = await replayLists([messages, messages], anthropic({ steps, model }));
  const verdicts = replayed.map(({ result }) => result.steps.map(verdictOf));
  expect(verdicts.at(-1)).toEqual(['reused', 'reused']);
});

function never(): never {
  throw new Error('no report');
}
