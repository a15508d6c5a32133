import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contractBreach, isOutcome } from '../../src/compaction/guards.ts';
import { markerOf, Stash, type StashKey } from '../../src/compaction/stash.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import { type Message, resultText } from '../../src/transcript/message.ts';
import { type Counting, listTokens, messageCounter } from '../../src/transcript/message-tokens.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { conversations } from '../support/conversations.ts';
import {
  conversation,
  type Step,
  type WireDialect,
  wireDialects,
  words,
  workSession,
} from '../support/wire-steps.ts';

const table = new MessageTable();

interface Rewrite {
  readonly dialect: WireDialect;
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly stash?: Stash;
  readonly stashed?: readonly StashKey[];
  readonly irreversible?: true;
  readonly kind?: 'reformat' | 'offload';
}

function breach({ dialect, before, after, stash = new Stash(), ...rest }: Rewrite) {
  const counting: Counting = { tokenizer: 'o200k_base', dialect, thinking: 'all' };
  const { kind = 'offload', stashed = [], irreversible } = rest;
  const outcome = {
    kind: 'changed',
    messages: after,
    stashed,
    ...(irreversible === undefined ? {} : { irreversible }),
  } as const;
  return contractBreach(kind, before, outcome, {
    tokensBefore: listTokens(before, counting),
    tokensAfter: listTokens(after, counting),
    stash,
    countBefore: messageCounter(before, counting),
    countAfter: messageCounter(after, counting),
  });
}

const user = (dialect: WireDialect, text: string) => dialectOf(dialect).userText(text, table);

describe.each(wireDialects)('contractBreach (%s)', (dialect) => {
  const { messages: session } = conversation(dialect, workSession(dialect, 5, 60), table);
  const say = (text: string) => user(dialect, text);
  const without = (from: number, to: number, ...instead: Message[]) => [
    ...session.slice(0, from),
    ...instead,
    ...session.slice(to),
  ];

  test('the same list in another array breaks nothing', () => {
    expect(breach({ dialect, before: session, after: [...session] })).toBeUndefined();
  });

  test('a whole span behind a visible marker breaks nothing', () => {
    fc.assert(
      fc.property(
        fc.nat(session.length),
        fc.integer({ min: 2, max: session.length }),
        (from, to) => {
          const stash = new Stash();
          fc.pre(from < to && from + 1 < to);
          const key = stash.putMessages(session, from, to);
          const after = without(from, to, say(markerOf(key)));
          expect(
            breach({ dialect, before: session, after, stash, stashed: [key] }),
          ).toBeUndefined();
        },
      ),
    );
  });

  test('a span that is one message longer than what is stashed is caught, at either end', () => {
    for (const [from, to] of [
      [2, 5],
      [3, 6],
    ] as const) {
      const stash = new Stash();
      const key = stash.putMessages(session, 3, 5);
      const after = without(from, to, say(markerOf(key)));
      const found = breach({ dialect, before: session, after, stash, stashed: [key] });
      expect(found?.reason).toBe('unstashed');
      expect(found?.detail).toContain(`message ${from === 2 ? 2 : 5}`);
    }
  });

  test.each([
    ['nothing named', (key: StashKey) => [markerOf(key), []]],
    ['a key that is not in the stash', () => ['', ['00000000000000ff']]],
    ['no marker to be seen', (key: StashKey) => ['summary only', [key]]],
    ['a marker of something else', (key: StashKey) => ['<<cg:00000000000000ff>>', [key]]],
  ] as [string, (key: StashKey) => [string, StashKey[]]][])('%s is caught', (_name, fault) => {
    const stash = new Stash();
    const [text, stashed] = fault(stash.putMessages(session, 1, 5));
    const after = without(1, 5, say(`placeholder ${text}`));
    const found = breach({ dialect, before: session, after, stash, stashed });
    expect(found?.reason).toBe('unstashed');
  });

  test('a marker that stood there before is not this rewrite’s', () => {
    const stash = new Stash();
    const key = stash.putMessages(session, 1, 5);
    const before = [say(markerOf(key)), ...session];
    const after = [say(markerOf(key)), ...without(1, 5)];
    expect(breach({ dialect, before, after, stash, stashed: [key] })?.reason).toBe('unstashed');
  });

  test('a marker counts where the model reads it: escaped in JSON, not beside the content', () => {
    const stash = new Stash();
    const key = stash.putMessages(session, 1, 5);
    const parse = (raw: string) => dialectOf(dialect).parseMessage(raw, table);
    const escaped = parse(`{"role":"user","content":"\\u003c\\u003ccg:${key}\\u003e\\u003e"}`);
    const beside = parse(`{"role":"user","content":"x","name":"${markerOf(key)}"}`);
    const attempt = (marker: Message) =>
      breach({ dialect, before: session, after: without(1, 5, marker), stash, stashed: [key] });
    expect(attempt(escaped)).toBeUndefined();
    expect(attempt(beside)?.reason).toBe('unstashed');
  });

  test('one of two equal messages that goes unstashed is caught', () => {
    const twice = say(words(30));
    const before = [twice, ...session, twice];
    const after = [...session, twice];
    expect(breach({ dialect, before, after })?.reason).toBe('unstashed');
    const stash = new Stash();
    const key = stash.putMessages(before, 0, 1);
    const marked = [say(markerOf(key)), ...after];
    expect(breach({ dialect, before, after: marked, stash, stashed: [key] })).toBeUndefined();
  });

  test('so is one of two equal ones between messages that are stashed', () => {
    const twice = say(words(30));
    const [one, two, three] = [say(words(50, 1)), say(words(50, 2)), say(words(50, 3))];
    const before = [one, twice, two, twice, three];
    const stash = new Stash();
    const stashed = [0, 2, 4].map((index) => stash.putMessages(before, index, index + 1));
    const [first, ...others] = stashed.map(markerOf);
    const attempt = (...kept: Message[]) => {
      const after = [say(first ?? ''), ...kept, say(others.join(' '))];
      return breach({ dialect, before, after, stash, stashed });
    };
    expect(attempt(twice, twice)).toBeUndefined();
    expect(attempt(twice)?.reason).toBe('unstashed');
  });

  test('irreversible and reformatting rewrites need no stash, but must not grow', () => {
    const after = without(1, 5, say('summary'));
    expect(breach({ dialect, before: session, after, irreversible: true })).toBeUndefined();
    expect(breach({ dialect, before: session, after, kind: 'reformat' })).toBeUndefined();
    const grown = without(1, 5, say(words(2000)));
    for (const facts of [{ irreversible: true }, { kind: 'reformat' }, {}] as const) {
      expect(breach({ dialect, before: session, after: grown, ...facts })?.reason).toBe('grew');
    }
  });

  test('a list of the same size that only says the same is caught, one of equal tokens is not', () => {
    const before = [say('one two three'), say(words(50))];
    const smaller = [say('one two three four'), say(words(10))];
    const found = breach({ dialect, before, after: smaller, irreversible: true });
    expect(found).toEqual({ reason: 'message_grew', detail: 'message 0: 3 tokens became 4' });
  });

  test('a replaced output whose text is stashed breaks nothing; another text does', () => {
    const index = session.findLastIndex(({ blocks }) => blocks[0]?.kind === 'tool-result');
    const message = session[index];
    const block = message?.blocks[0];
    if (message === undefined || block?.kind !== 'tool-result') throw new Error('no result');
    const attempt = (text: string) => {
      const stash = new Stash();
      const key = stash.putText(text);
      const rewritten = dialectOf(dialect).replaceResult(message, 0, markerOf(key), table);
      const after = session.with(index, rewritten);
      return breach({ dialect, before: session, after, stash, stashed: [key] });
    };
    expect(attempt(resultText(block))).toBeUndefined();
    expect(attempt(resultText(block).slice(1))?.reason).toBe('unstashed');
    expect(attempt('')?.reason).toBe('unstashed');
  });

  test('a shortened text of a turn must be stashed like any other', () => {
    const long = say(words(60));
    const before = [...session, long];
    const attempt = (text: string | undefined) => {
      const stash = new Stash();
      const stashed = text === undefined ? [] : [stash.putText(text)];
      const after = [...session, say(`river … ${stashed.map(markerOf).join('')}`)];
      return breach({ dialect, before, after, stash, stashed });
    };
    expect(attempt(words(60))).toBeUndefined();
    expect(attempt(undefined)?.reason).toBe('unstashed');
    expect(attempt('another text')?.reason).toBe('unstashed');
  });

  test('a stashed text does not excuse a message that went altogether', () => {
    const stash = new Stash();
    const key = stash.putText('anything');
    const after = without(3, 4, say(markerOf(key)));
    expect(breach({ dialect, before: session, after, stash, stashed: [key] })?.reason).toBe(
      'unstashed',
    );
  });
});

test('each of several results in one message must be stashed', () => {
  const steps: Step[] = [
    {
      kind: 'exchange',
      calls: [
        { id: 'x', result: words(40, 1) },
        { id: 'y', result: words(40, 2) },
      ],
    },
  ];
  const { messages: before } = conversation('anthropic', steps, table);
  const [call, results] = before;
  if (call === undefined || results === undefined) throw new Error('no exchange');
  const stash = new Stash();
  const keys = [1, 2].map((seed) => stash.putText(words(40, seed)));
  const rewritten = keys.reduce(
    (message, key, index) =>
      dialectOf('anthropic').replaceResult(message, index, markerOf(key), table),
    results,
  );
  const after = [call, rewritten];
  const rewrite = { dialect: 'anthropic', before, after, stash } as const;
  expect(breach({ ...rewrite, stashed: keys })).toBeUndefined();
  expect(breach({ ...rewrite, stashed: keys.slice(0, 1) })?.reason).toBe('unstashed');
});

test('a user message that was joined to its neighbour, block by block, is not lost', () => {
  const text = (...texts: string[]) =>
    dialectOf('anthropic').parseMessage(
      JSON.stringify({
        role: 'user',
        content: texts.map((given) => ({ type: 'text', text: given })),
      }),
      table,
    );
  const dropped = [text(words(80)), text(words(80, 1))];
  const before = [text('the task'), ...dropped, text('go on')];
  const stash = new Stash();
  const key = stash.putMessages(before, 1, 3);
  const joined = [text('the task', markerOf(key), 'go on')];
  const rewrite = { dialect: 'anthropic', before, stash, stashed: [key] } as const;
  expect(breach({ ...rewrite, after: joined })).toBeUndefined();
  const torn = [text('the task', markerOf(key), 'go')];
  expect(breach({ ...rewrite, after: torn })?.reason).toBe('unstashed');
});

test('no rewrite that lost a message without a stash passes', () => {
  fc.assert(
    fc.property(conversations({ minTurns: 2 }), fc.nat(), ({ dialect, messages }, number) => {
      const index = number % messages.length;
      const after = messages.toSpliced(index, 1);
      // Where all its blocks stand in another new message nothing is lost; here there is none.
      expect(breach({ dialect, before: messages, after })?.reason).toBe('unstashed');
    }),
  );
});

describe('isOutcome', () => {
  const [message] = conversation('anthropic', [{ kind: 'user', text: 'x' }]).messages;

  test.each([
    [{ kind: 'skipped', gate: 'small' }],
    [{ kind: 'changed', messages: [message], stashed: [] }],
    [{ kind: 'changed', messages: [], stashed: [], reused: true }],
  ])('takes %o', (value) => expect(isOutcome(value)).toBe(true));

  test.each([
    [undefined],
    [null],
    ['skipped'],
    [{ kind: 'skipped' }],
    [{ kind: 'changed', messages: [message] }],
    [{ kind: 'changed', stashed: [] }],
    [{ kind: 'changed', messages: [undefined], stashed: [] }],
    [{ kind: 'changed', messages: [{ role: 'user', content: 'a wire message' }], stashed: [] }],
    [{ kind: 'done', messages: [], stashed: [] }],
  ])('refuses %o', (value) => expect(isOutcome(value)).toBe(false));
});

test('the figures of a breach are tokens', () => {
  const before = [user('anthropic', 'short')];
  const after = [user('anthropic', words(9))];
  expect(breach({ dialect: 'anthropic', before, after })?.detail).toBe(
    `${countTokens('short')} tokens became ${countTokens(words(9))}`,
  );
});
