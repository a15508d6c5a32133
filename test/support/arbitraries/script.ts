import * as fc from 'fast-check';
import type { DialectName } from '../../../src/transcript/message.ts';
import { type Output, outputs, saidText } from './texts.ts';

/** What happens in a session, before a wire gives it its form: plain data, so that it shrinks and prints. */

export interface Call {
  readonly name: string;
  /** JSON text of the arguments, with numbers that JavaScript would respell. */
  readonly input: string;
  readonly output: Output;
  readonly isError: boolean;
  readonly image: boolean;
  /** A call that is no function call, where the wire has such (`openai-responses`). */
  readonly special: boolean;
}

/** The provider's own tools: a search, or a program that calls the client's tools and then ends. */
export type ServerUse = 'none' | 'search' | 'program';

export type Step =
  | { readonly kind: 'user'; readonly text: string; readonly media: 'none' | 'image' | 'document' }
  | {
      readonly kind: 'answer';
      readonly text: string;
      readonly thinking: string | undefined;
      readonly server: ServerUse;
      /** A system message in front, where the wire has a place for it. */
      readonly note: boolean;
      /** What the user says then. */
      readonly next: string;
    }
  | Exchange;

export interface Exchange {
  readonly kind: 'exchange';
  readonly said: string | undefined;
  readonly thinking: string | undefined;
  readonly server: ServerUse;
  readonly note: boolean;
  readonly calls: readonly Call[];
  readonly reversed: boolean;
  /** Results stand in a message each, where the wire allows both. */
  readonly spread: boolean;
  /** The assistant's turn stands in two messages, where the wire allows it. */
  readonly split: boolean;
  /** What the user says after the results. */
  readonly after: string | undefined;
}

export interface Script {
  readonly dialect: DialectName;
  readonly model: string | undefined;
  /** The host sends a system prompt in the list, where the wire has a place for it. */
  readonly system: boolean;
  /** Anthropic: thinking is on with a budget, so every turn thinks. */
  readonly manualThinking: boolean;
  readonly steps: readonly Step[];
  /** How often the steps happen: more than once makes a very long list. */
  readonly rounds: number;
  /** Call ids begin anew in each exchange, where the wire allows it. */
  readonly repeatedIds: boolean;
  /** The host marks what to cache, and moves the mark from request to request. */
  readonly marks: 'none' | 'short' | 'long';
  /** How the host spells JSON. */
  readonly spelling: number;
  /** From this request on the text of the first user turn is another. */
  readonly editedFrom: number | undefined;
  /** The list of the last request ends in a beginning of the answer, where the model takes it. */
  readonly prefill: boolean;
}

const models: { readonly [Name in DialectName]: readonly (string | undefined)[] } = {
  anthropic: [undefined, 'claude-sonnet-4-5-20250929', 'claude-opus-4-6', 'claude-opus-5-5'],
  'openai-chat': [undefined, 'gpt-4.1'],
  'openai-responses': [undefined, 'gpt-5'],
  gemini: [undefined, 'gemini-2.5-pro', 'gemini-3-pro'],
  bedrock: [undefined, 'anthropic.claude-sonnet-4-5-20250929-v1:0', 'amazon.nova-pro-v1:0'],
};

const optionalText = fc.option(saidText, { nil: undefined });
const seldom = fc.nat(9).map((number) => number === 9);
const sometimes = fc.nat(2).map((number) => number === 2);
const thinking = fc.option(fc.constantFrom('hm', 'I should look at part-3 first. 🎉', 'why not'), {
  nil: undefined,
  freq: 2,
});
const server: fc.Arbitrary<ServerUse> = fc.nat(9).map((number) => {
  if (number === 9) return 'program';
  return number === 8 ? 'search' : 'none';
});

const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('run', 'read_file', 'search'),
  input: fc.constantFrom(
    '{}',
    '{"path": "src/a.ts"}',
    '{"n": 1e3, "big": 12345678901234567890, "list": [1.0, "é 😀"]}',
  ),
  output: outputs,
  isError: seldom,
  image: seldom,
  special: seldom,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record<Exchange>({
      kind: fc.constant('exchange'),
      said: optionalText,
      thinking,
      server,
      note: seldom,
      calls: fc.array(call, { minLength: 1, maxLength: 3 }),
      reversed: sometimes,
      spread: sometimes,
      split: seldom,
      after: fc.option(saidText, { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      text: saidText,
      thinking,
      server,
      note: sometimes,
      next: saidText,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('user' as const),
      text: saidText,
      media: fc.constantFrom('none' as const, 'image' as const, 'document' as const),
    }),
  },
);

/** What happens: mostly much, seldom little; shrinks to nothing. */
function happenings(most: number): fc.Arbitrary<readonly Step[]> {
  const all = Array.from({ length: most }, () => fc.option(step, { nil: undefined, freq: 5 }));
  return fc
    .record({ all: fc.tuple(...all), length: fc.nat(2 * most) })
    .map(({ all: steps, length }) =>
      steps.slice(0, length).filter((one): one is Step => one !== undefined),
    );
}

/** Scripts of sessions in one dialect, with at most so many steps. */
export function scripts(dialect: DialectName, most = 9): fc.Arbitrary<Script> {
  return fc.record({
    dialect: fc.constant(dialect),
    model: fc.constantFrom(...models[dialect]),
    system: fc.boolean(),
    manualThinking: fc.nat(3).map((number) => number === 3),
    steps: happenings(most),
    rounds: fc.nat(39).map((number) => (number === 39 ? 15 : 1)),
    repeatedIds: sometimes,
    marks: fc.constantFrom('none', 'short', 'long'),
    spelling: fc.nat(3),
    editedFrom: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 2 }),
    prefill: seldom,
  });
}
