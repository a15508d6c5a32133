import type { Message } from '../../src/transcript/message.ts';
import { type Fault, ruleFault } from './fault.ts';
import { editFault, itemsOf, type Json, spanFault } from './naive.ts';

/** Ways to make a request that OpenAI refuses, on both of its wires. */

const chat = (rule: string, name: string, bind: Parameters<typeof ruleFault>[3]): Fault =>
  ruleFault(rule, 'openai-chat', name, bind);
const responses = (rule: string, name: string, bind: Parameters<typeof ruleFault>[3]): Fault =>
  ruleFault(rule, 'openai-responses', name, bind);

/** The right summary without the messages of the tail that `is` tells. */
function dropped(is: (message: Message, index: number, list: readonly Message[]) => boolean) {
  return spanFault((cut) => {
    const kept = cut.summarized();
    const at = kept.findIndex(is);
    return at < 0 ? undefined : [...kept.slice(0, at), ...kept.slice(at + 1)];
  });
}

const hasCalls = ({ blocks }: Message) => blocks.some(({ kind }) => kind === 'tool-call');

/** A kept exchange is left without its results. */
const withoutResults = (
  is: (message: Message) => boolean,
  edit: (items: readonly Json[]) => readonly Json[],
) =>
  spanFault((cut) => {
    const kept = cut.summarized();
    const at = kept.findIndex(is);
    const message = kept[at];
    if (message === undefined) return undefined;
    let end = at + 1;
    while (kept[end]?.role === 'tool') end++;
    const items: unknown = JSON.parse(`[${message.raw}]`);
    const edited = edit(Array.isArray(items) ? items : []);
    return [...kept.slice(0, at), cut.make(...edited), ...kept.slice(end)];
  });

function ofType(type: string) {
  return (items: readonly Json[]) => items.findIndex((item) => item.type === type);
}

const removed = (items: readonly Json[], at: number) => [
  ...items.slice(0, at),
  ...items.slice(at + 1),
];

export const openaiFaults: readonly Fault[] = [
  chat(
    'OC-PAIR-1',
    'a tool message of a kept call is dropped',
    dropped(({ role }) => role === 'tool'),
  ),
  chat(
    'OC-PAIR-2',
    'a call is dropped and its tool messages kept',
    dropped((message) => message.role === 'assistant' && hasCalls(message)),
  ),
  chat(
    'OC-EMPTY-1',
    'the calls are dropped with their results, and an empty list is left',
    withoutResults(
      (message) => hasCalls(message) && message.blocks.some(({ kind }) => kind === 'text'),
      (items) => [{ ...items[0], tool_calls: [] }],
    ),
  ),
  chat(
    'OC-NULL-1',
    'the calls are dropped with their results, and no content is left',
    withoutResults(
      (message) => hasCalls(message) && !message.blocks.some(({ kind }) => kind === 'text'),
      ([{ tool_calls: _, ...rest } = {}]) => [rest],
    ),
  ),
  chat(
    'OC-ARGS-1',
    'arguments are written as an object',
    editFault(([message = {}]) => {
      const calls: unknown = message.tool_calls;
      if (!Array.isArray(calls)) return undefined;
      return [
        {
          ...message,
          tool_calls: calls.map((call) => ({ ...call, function: { name: 'run', arguments: {} } })),
        },
      ];
    }),
  ),
  responses(
    'OR-PAIR-1',
    'an output of a kept call is dropped',
    dropped(({ raw }) => raw.includes('"function_call_output"')),
  ),
  responses(
    'OR-PAIR-2',
    'a call is dropped and its output kept',
    editFault((items) => {
      const at = ofType('function_call')(items);
      return at < 0 || items.length < 2 ? undefined : removed(items, at);
    }),
  ),
  responses(
    'OR-PAIR-3',
    'the output of a custom tool is dropped',
    dropped(({ raw }) => raw.includes('"custom_tool_call_output"')),
  ),
  responses(
    'OR-RSN-1',
    'reasoning is kept without what it led to',
    withoutResults(
      ({ raw }) => raw.includes('"reasoning"'),
      (items) => items.filter(({ type }) => type === 'reasoning'),
    ),
  ),
  responses(
    'OR-RSN-2',
    'reasoning is stripped and the ids behind it stay',
    editFault((items) => {
      const at = ofType('reasoning')(items);
      return at < 0 ? undefined : removed(items, at);
    }),
  ),
  responses(
    'OR-DUP-1',
    'an item stands in the list twice',
    spanFault((cut) => {
      const kept = cut.summarized();
      const said = kept.find(
        (message) =>
          message.raw.includes('"id"') && itemsOf(message).length === 1 && !hasCalls(message),
      );
      return said === undefined
        ? undefined
        : [...kept, said, cut.make({ role: 'user', content: 'go on' })];
    }),
  ),
  responses(
    'OR-ID-1',
    'the summary has an id of its own kind',
    spanFault(({ head, tail, text, make }) => [
      ...head,
      make({ type: 'message', id: 'summary_1', role: 'user', content: text }),
      ...tail,
    ]),
  ),
  responses(
    'OR-ID-2',
    'call ids are made unique with a long ending',
    spanFault((cut) => {
      const kept = cut.summarized();
      const renamed = kept.map((message) => {
        const raw = message.raw.replaceAll(/"call_(?=\d)/g, `"${'x'.repeat(64)}_call_`);
        return raw === message.raw
          ? message
          : cut.context.dialect.parseMessage(raw, cut.context.table);
      });
      return renamed.some((message, index) => message !== kept[index]) ? renamed : undefined;
    }),
  ),
  responses(
    'OR-TRIG-1',
    'a compaction trigger in front of the tail',
    spanFault(({ head, tail, text, make, context }) =>
      tail.length === 0
        ? undefined
        : [
            ...head,
            context.dialect.userText(text, context.table),
            make({ type: 'compaction_trigger' }),
            ...tail,
          ],
    ),
  ),
];
