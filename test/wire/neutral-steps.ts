import fc from 'fast-check';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { DialectName, Message } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { PIXEL, wireText } from './wire-text.ts';

/** What happens in a conversation, before a wire gives it its form. */
export type Step =
  | { readonly kind: 'user'; readonly text: string; readonly image: boolean }
  | { readonly kind: 'assistant'; readonly text: string }
  | { readonly kind: 'system'; readonly text: string }
  | Exchange;

export interface Exchange {
  readonly kind: 'exchange';
  readonly said: string | undefined;
  readonly thinks: boolean;
  /** The provider searches the web before the calls (only where a wire has it). */
  readonly searches: boolean;
  readonly calls: readonly Call[];
  /** Results come in the opposite order of their calls. */
  readonly reversed: boolean;
  /** Anthropic: each result in a user message of its own. */
  readonly spread: boolean;
  /** What a user says between calls and results: only Responses takes it there; else it comes after. */
  readonly between: string | undefined;
}

export interface Call {
  readonly name: string;
  readonly path: string;
  readonly result: string;
  readonly isError: boolean;
  readonly image: boolean;
}

const said = wireText.map((text) => text.toWellFormed().trim() || 'so');

const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('read_file', 'shell'),
  path: said,
  result: fc.oneof(said, fc.constant('')),
  isError: fc.boolean(),
  image: fc.boolean(),
});

const exchange: fc.Arbitrary<Exchange> = fc.record({
  kind: fc.constant('exchange'),
  said: fc.option(said, { nil: undefined }),
  thinks: fc.boolean(),
  searches: fc.boolean(),
  calls: fc.array(call, { minLength: 1, maxLength: 3 }),
  reversed: fc.boolean(),
  spread: fc.boolean(),
  between: fc.option(said, { nil: undefined }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('user'), text: said, image: fc.boolean() }),
  fc.record({ kind: fc.constant('assistant'), text: said }),
  fc.record({ kind: fc.constant('system'), text: said }),
  { weight: 3, arbitrary: exchange },
);

export const steps: fc.Arbitrary<readonly Step[]> = fc
  .array(step, { maxLength: 7 })
  .map((list): Step[] => [
    { kind: 'user', text: 'the task', image: false },
    ...list,
    { kind: 'user', text: 'go on', image: false },
  ]);

/** The list that the steps are on a wire, read with the wire's own dialect. */
export function onWire(
  dialect: DialectName,
  list: readonly Step[],
  table = new MessageTable(),
): readonly Message[] {
  return dialectOf(dialect).parseList(JSON.stringify(writers[dialect](list)), table);
}

const writers: { readonly [Name in DialectName]: (list: readonly Step[]) => object[] } = {
  anthropic: (list) => {
    const turns = new Turns();
    list.forEach((step, index) => {
      if (step.kind === 'user') {
        const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
        const image = step.image ? [{ type: 'image', source }] : [];
        turns.push('user', [{ type: 'text', text: step.text }, ...image]);
      } else if (step.kind === 'assistant') turns.push('assistant', step.text);
      else if (step.kind === 'system') {
        const next = list[index + 1]?.kind;
        const isModel = next === 'assistant' || next === 'exchange';
        if (turns.last === 'user' && isModel) turns.push('system', step.text);
      } else {
        const ids = step.calls.map((_, at) => `toolu_${index}_${at}`);
        const search = [
          {
            type: 'server_tool_use',
            id: `srv_${index}`,
            name: 'web_search',
            input: { query: 'q' },
          },
          { type: 'web_search_tool_result', tool_use_id: `srv_${index}`, content: [] },
        ];
        turns.push('assistant', [
          ...(step.thinks ? [{ type: 'thinking', thinking: 'why', signature: 'sig' }] : []),
          ...(step.searches ? search : []),
          ...texts(step.said, (text) => ({ type: 'text', text })),
          ...step.calls.map(({ name, path }, at) => {
            return { type: 'tool_use', id: ids[at], name, input: { path } };
          }),
        ]);
        const results = inOrder(step, ({ result, isError }, at) => ({
          type: 'tool_result',
          tool_use_id: ids[at],
          content: result === '' && isError ? 'failed' : result,
          is_error: isError,
        }));
        if (step.spread) for (const result of results) turns.push('user', [result]);
        else turns.push('user', results);
        if (step.between !== undefined) turns.push('user', step.between);
      }
    });
    return turns.contents('content');
  },

  'openai-chat': (list) => [
    { role: 'system', content: 'be' },
    ...list.flatMap((step): object[] => {
      if (step.kind !== 'exchange') return [{ role: step.kind, content: step.text }];
      const ids = step.calls.map((_, at) => `functions.call:${at}${'x'.repeat(at === 2 ? 70 : 0)}`);
      return [
        {
          role: 'assistant',
          content: step.said ?? null,
          tool_calls: step.calls.map(({ name, path }, at) => ({
            id: ids[at],
            type: 'function',
            function: { name, arguments: JSON.stringify({ path }) },
          })),
        },
        ...inOrder(step, ({ result }, at) => ({
          role: 'tool',
          tool_call_id: ids[at],
          content: result,
        })),
        ...texts(step.between, (text) => ({ role: 'user', content: text })),
      ];
    }),
  ],

  'openai-responses': (list) =>
    list.flatMap((step, index): object[] => {
      if (step.kind !== 'exchange') return [{ role: step.kind, content: step.text }];
      const message = (text: string) => {
        return { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
      };
      return [
        ...(step.thinks ? [{ type: 'reasoning', id: `rs_${index}`, summary: [] }] : []),
        ...(step.searches ? [{ type: 'web_search_call', action: { type: 'search' } }] : []),
        ...texts(step.said, message),
        ...step.calls.map(({ name, path }, at) => ({
          type: 'function_call',
          call_id: `call_${at}`,
          name,
          arguments: JSON.stringify({ path }),
        })),
        ...texts(step.between, (text) => ({ role: 'user', content: text })),
        ...inOrder(step, ({ result, image }, at) => ({
          type: 'function_call_output',
          call_id: `call_${at}`,
          output: image
            ? [{ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` }]
            : result,
        })),
      ];
    }),

  gemini: (list) => {
    const turns = new Turns();
    for (const step of list) {
      if (step.kind === 'system') continue;
      if (step.kind === 'user') {
        const image = step.image ? [{ inlineData: { mimeType: 'image/png', data: PIXEL } }] : [];
        turns.push('user', [{ text: step.text }, ...image]);
        continue;
      }
      if (turns.last === 'model') turns.push('user', [{ text: 'and' }]);
      if (step.kind === 'assistant') turns.push('model', [{ text: step.text }]);
      else {
        turns.push('model', [
          ...(step.thinks ? [{ text: 'why', thought: true }] : []),
          ...texts(step.said, (text) => ({ text })),
          ...step.calls.map(({ name, path }) => ({ functionCall: { name, args: { path } } })),
        ]);
        const responses = inOrder(step, ({ name, result }) => ({
          functionResponse: { name, response: { output: result } },
        }));
        turns.push('user', responses);
        if (step.between !== undefined) turns.push('user', [{ text: step.between }]);
      }
    }
    return turns.contents('parts');
  },

  bedrock: (list) => {
    const turns = new Turns();
    list.forEach((step, index) => {
      if (step.kind === 'system') return;
      if (step.kind === 'user') {
        const image = { image: { format: 'png', source: { bytes: PIXEL } } };
        turns.join('user', [{ text: step.text }, ...(step.image ? [image] : [])]);
        return;
      }
      if (turns.last === 'assistant') turns.join('user', [{ text: 'and' }]);
      if (step.kind === 'assistant') turns.join('assistant', [{ text: step.text }]);
      else {
        const reasoning = {
          reasoningContent: { reasoningText: { text: 'why', signature: 'sig' } },
        };
        turns.join('assistant', [
          ...(step.thinks ? [reasoning] : []),
          ...texts(step.said, (text) => ({ text })),
          ...step.calls.map(({ name, path }, at) => ({
            toolUse: { toolUseId: `tooluse_${index}_${at}`, name, input: { path } },
          })),
        ]);
        const results = inOrder(step, ({ result, isError, image }, at) => ({
          toolResult: {
            toolUseId: `tooluse_${index}_${at}`,
            content: [
              { text: result === '' ? 'none' : result },
              ...(image ? [{ image: { format: 'png', source: { bytes: PIXEL } } }] : []),
            ],
            status: isError ? 'error' : 'success',
          },
        }));
        turns.join('user', [...results, ...texts(step.between, (text) => ({ text }))]);
      }
    });
    return turns.contents('content');
  },
};

function texts<T>(text: string | undefined, write: (text: string) => T): T[] {
  return text === undefined ? [] : [write(text)];
}

function inOrder<T>(step: Exchange, write: (call: Call, index: number) => T): T[] {
  const results = step.calls.map(write);
  return step.reversed ? results.reverse() : results;
}

/** Messages of a wire whose content is a list of blocks, or a string. */
class Turns {
  readonly #turns: { role: string; content: object[] | string }[] = [];

  get last(): string | undefined {
    return this.#turns.at(-1)?.role;
  }

  push(role: string, content: object[] | string): void {
    this.#turns.push({ role, content });
  }

  join(role: string, content: object[]): void {
    const last = this.#turns.at(-1);
    if (last?.role === role && typeof last.content !== 'string') last.content.push(...content);
    else this.push(role, content);
  }

  contents(key: string): object[] {
    return this.#turns.map(({ role, content }) => ({ role, [key]: content }));
  }
}
