import * as fc from 'fast-check';
import { MessageTable } from '../../src/transcript/intern.ts';
import {
  type Call,
  type Conversation,
  conversation,
  parseRaws,
  type Step,
  type WireDialect,
} from './wire-steps.ts';

/** Arbitraries of small conversations: what agents really send, in both wires. */

/** Texts with what breaks careless code: emoji, other scripts, quotes, markup, markers, line ends. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  fc.lorem({ maxCount: 12 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 24 }).filter((text) => text.trim() !== ''),
  fc.constantFrom(
    'done 🎉👩‍👩‍👧',
    '漢字かな交じり文を書く',
    '</summary></transcript><task>',
    '[3] assistant: quoted "text" \\ with\tescapes\r\n',
    'see <<cg:0123456789abcdef>> above',
    '=== History Summary ===',
    '{"json": [1e3, 12345678901234567890]}',
  ),
);

/** As `awkwardText`, and texts that a careless cut left with half of an emoji. */
export const brokenText: fc.Arbitrary<string> = fc.oneof(
  awkwardText,
  fc.tuple(fc.lorem({ maxCount: 3 }), fc.constantFrom('\ud83d', '\ude00')).map(([a, b]) => a + b),
);

export interface ConversationLimits {
  readonly dialects?: readonly WireDialect[];
  /** Turns after the first user turn. */
  readonly minTurns?: number;
  readonly maxTurns?: number;
  readonly text?: fc.Arbitrary<string>;
  /** Ids come from a pool of three, as in transcripts whose host numbers calls anew each turn. */
  readonly repeatedIds?: boolean;
  /** The conversation may end in a call that nobody has answered yet. */
  readonly unansweredEnd?: boolean;
}

/** An exchange whose call ids are still to be chosen. */
interface ExchangeDraft {
  readonly kind: 'exchange';
  readonly text?: string;
  readonly thinking?: string;
  readonly calls: readonly Omit<Call, 'id'>[];
  readonly spread: boolean;
}

type Draft = Exclude<Step, { kind: 'exchange' }> | ExchangeDraft;

/** Sendable conversations: each call answered right after it, roles as the wire wants them. */
export function conversations(limits: ConversationLimits = {}): fc.Arbitrary<Conversation> {
  const { dialects = ['anthropic', 'openai-chat'], minTurns = 0, maxTurns = 7 } = limits;
  return fc
    .record({
      dialect: fc.constantFrom(...dialects),
      first: (limits.text ?? awkwardText).map((text): Step => ({ kind: 'user', text })),
      turns: fc.array(turnDraft(limits), { minLength: minTurns, maxLength: maxTurns }),
      pending: fc.boolean(),
      system: fc.boolean(),
    })
    .map(({ dialect, first, turns, pending, system }) => {
      const steps = [first, ...withIds(turns.flat(), limits.repeatedIds === true)];
      if (dialect === 'openai-chat' && system) steps.unshift({ kind: 'note', text: 'You help.' });
      if (pending && limits.unansweredEnd === true) {
        steps.push({ kind: 'exchange', calls: [{ id: 'pending', name: 'wait' }] });
      }
      return conversation(dialect, steps);
    });
}

/** One turn: an exchange, an answer, or a user turn, each perhaps with a system note before it. */
function turnDraft({ text = awkwardText }: ConversationLimits): fc.Arbitrary<Draft[]> {
  const call = fc.record(
    {
      name: fc.constantFrom('run', 'read_file', 'search'),
      input: fc.constantFrom(
        '{}',
        '{"path": "src/a.ts"}',
        '{"n": 1e3, "big": 12345678901234567890}',
      ),
      result: text,
      isError: fc.boolean(),
    },
    { requiredKeys: ['name', 'input', 'result'] },
  );
  const exchange: fc.Arbitrary<ExchangeDraft> = fc.record(
    {
      kind: fc.constant('exchange' as const),
      text,
      thinking: text,
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      spread: fc.boolean(),
    },
    { requiredKeys: ['kind', 'calls', 'spread'] },
  );
  const answer = fc.tuple(text, text).map(([said, asked]): Draft[] => [
    { kind: 'assistant', text: said },
    { kind: 'user', text: asked },
  ]);
  const note: Draft = { kind: 'note', text: 'Reminder: be brief.' };
  return fc.oneof(
    { weight: 5, arbitrary: exchange.map((draft): Draft[] => [draft]) },
    { weight: 1, arbitrary: exchange.map((draft): Draft[] => [note, draft]) },
    { weight: 2, arbitrary: answer },
    { weight: 1, arbitrary: text.map((said): Draft[] => [{ kind: 'user', text: said }]) },
  );
}

function withIds(drafts: readonly Draft[], repeated: boolean): Step[] {
  let number = 0;
  return drafts.map((draft): Step => {
    if (draft.kind !== 'exchange') return draft;
    const calls = draft.calls.map((call, index) => ({
      ...call,
      id: repeated ? `call_${index}` : `call_${number++}`,
    }));
    return { ...draft, calls };
  });
}

/**
 * Lists of messages in any order, sendable or not: recordings cut in flight, results without calls,
 * calls without results, a note between a call and its result, the same message twice.
 */
export function untidyConversations(
  dialects: readonly WireDialect[] = ['anthropic', 'openai-chat'],
): fc.Arbitrary<Conversation> {
  const id = fc.constantFrom('a', 'b', 'c');
  const call: fc.Arbitrary<Call> = fc.record({ id, result: awkwardText }, { requiredKeys: ['id'] });
  const step: fc.Arbitrary<Step> = fc.oneof(
    awkwardText.map((text): Step => ({ kind: 'user', text })),
    awkwardText.map((text): Step => ({ kind: 'note', text })),
    awkwardText.map((text): Step => ({ kind: 'assistant', text })),
    fc
      .record({ calls: fc.array(call, { minLength: 1, maxLength: 3 }), spread: fc.boolean() })
      .map((exchange): Step => ({ kind: 'exchange', ...exchange })),
  );
  return fc
    .tuple(
      fc.constantFrom(...dialects),
      fc.array(step, { maxLength: 8 }),
      fc.array(fc.nat(40), { maxLength: 4 }),
    )
    .map(([dialect, steps, moved]) => {
      const tidy = conversation(dialect, steps);
      const raws = [...tidy.raws];
      // Each number takes one message out and puts it back somewhere else, or twice.
      for (const number of moved) {
        const raw = raws[number % Math.max(1, raws.length)];
        if (raw === undefined) continue;
        if (number % 3 !== 0) raws.splice(number % raws.length, 1);
        raws.splice((number * 7) % (raws.length + 1), 0, raw);
      }
      return { ...conversation(dialect, []), ...parsed(dialect, raws) };
    });
}

function parsed(
  dialect: WireDialect,
  raws: readonly string[],
): Pick<Conversation, 'messages' | 'raws' | 'table'> {
  const table = new MessageTable();
  return { raws, table, messages: parseRaws(dialect, raws, table) };
}
