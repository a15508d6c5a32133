import type { Example, ExampleOf } from './example.ts';

const user = { role: 'user', content: 'Look for x.' };
const call = (id: string, given: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'grep', arguments: given },
});
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => call(id)),
});
const tool = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'found' });
const done = { role: 'assistant', content: 'Done.' };

const chat: ExampleOf[] = [
  {
    rule: 'OC-PAIR-1',
    title: 'one of two replies is gone',
    broken: ['OC-PAIR-1'],
    messages: [user, calling('c1', 'c2'), tool('c2'), done],
  },
  {
    rule: 'OC-PAIR-1',
    title: 'a call at the end of what is sent',
    broken: ['OC-PAIR-1'],
    messages: [user, calling('c1')],
  },
  {
    rule: 'OC-PAIR-1',
    title: 'a batch in flight, half answered',
    mode: 'prefix',
    broken: [],
    messages: [user, calling('c1', 'c2'), tool('c2')],
  },
  {
    rule: 'OC-PAIR-1',
    title: 'ids that repeat pair by position',
    broken: [],
    messages: [user, calling('c1'), tool('c1'), calling('c1'), tool('c1'), done],
  },
  {
    rule: 'OC-PAIR-2',
    title: 'a reply whose call was cut',
    broken: ['OC-PAIR-2'],
    messages: [user, tool('c1'), done],
  },
  {
    rule: 'OC-PAIR-2',
    title: 'a second reply',
    broken: ['OC-PAIR-2'],
    messages: [user, calling('c1'), tool('c1'), tool('c1')],
  },
  {
    rule: 'OC-PAIR-2',
    title: 'replies in another order',
    broken: [],
    messages: [user, calling('c1', 'c2'), tool('c2'), tool('c1')],
  },
  {
    rule: 'OC-EMPTY-1',
    title: 'an empty list of calls',
    broken: ['OC-EMPTY-1'],
    messages: [user, { ...done, tool_calls: [] }],
  },
  { rule: 'OC-EMPTY-1', title: 'no list of calls', broken: [], messages: [user, done] },
  {
    rule: 'OC-NULL-1',
    title: 'neither content nor calls',
    broken: ['OC-NULL-1'],
    messages: [user, { role: 'assistant' }],
  },
  {
    rule: 'OC-NULL-1',
    title: 'a refusal',
    broken: [],
    messages: [user, { role: 'assistant', content: null, refusal: 'No.' }],
  },
  {
    rule: 'OC-ARGS-1',
    title: 'arguments as an object',
    broken: ['OC-ARGS-1'],
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [call('c1', { a: 1 })] },
      tool('c1'),
    ],
  },
  {
    rule: 'OC-ARGS-1',
    title: 'arguments that do not parse',
    broken: [],
    messages: [
      user,
      { role: 'assistant', content: null, tool_calls: [call('c1', '{"a"')] },
      tool('c1'),
    ],
  },
];

const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] };
const answer = (id: string) => ({
  type: 'message',
  role: 'assistant',
  id,
  content: [{ type: 'output_text', text: 'Done.' }],
});
const fn = (callId: string, id?: string) => ({
  type: 'function_call',
  call_id: callId,
  name: 'grep',
  arguments: '{}',
  ...(id === undefined ? {} : { id }),
});
const out = (callId: string) => ({
  type: 'function_call_output',
  call_id: callId,
  output: 'found',
});
const item = (type: string, callId: string) => ({ type, call_id: callId });
const reasoning = (id: string) => ({ type: 'reasoning', id, summary: [] });

const responses: ExampleOf[] = [
  {
    rule: 'OR-PAIR-1',
    title: 'a call whose output was cut',
    broken: ['OR-PAIR-1'],
    messages: [asked, fn('c1'), asked],
  },
  {
    rule: 'OR-PAIR-1',
    title: 'a batch in flight, half answered',
    mode: 'prefix',
    broken: [],
    messages: [asked, fn('c1'), fn('c2'), out('c2')],
  },
  {
    rule: 'OR-PAIR-1',
    title: 'an unanswered call in the middle of a prefix',
    mode: 'prefix',
    broken: ['OR-PAIR-1'],
    messages: [asked, fn('c1'), asked, fn('c2')],
  },
  {
    rule: 'OR-PAIR-1',
    title: 'an output far from its call, items in one message',
    broken: [],
    messages: [
      asked,
      [fn('c1'), answer('msg_1')].map((one) => JSON.stringify(one)).join(),
      out('c1'),
    ],
  },
  {
    rule: 'OR-PAIR-2',
    title: 'an output whose call was cut',
    broken: ['OR-PAIR-2'],
    messages: [asked, out('c1'), asked],
  },
  {
    rule: 'OR-PAIR-2',
    title: 'an output of another kind',
    broken: ['OR-PAIR-2', 'OR-PAIR-3'],
    messages: [asked, item('custom_tool_call', 'c1'), out('c1')],
  },
  {
    rule: 'OR-PAIR-2',
    title: 'an output after its call',
    broken: [],
    messages: [asked, fn('c1'), out('c1')],
  },
  ...['custom_tool_call', 'apply_patch_call', 'local_shell_call', 'tool_search_call'].flatMap(
    (type): ExampleOf[] => {
      const output = type === 'tool_search_call' ? 'tool_search_output' : `${type}_output`;
      return [
        {
          rule: 'OR-PAIR-3',
          title: `${type} without output`,
          broken: ['OR-PAIR-3'],
          messages: [asked, item(type, 'c1'), asked],
        },
        {
          rule: 'OR-PAIR-3',
          title: `${output} without call`,
          broken: ['OR-PAIR-3'],
          messages: [asked, item(output, 'c1'), asked],
        },
        {
          rule: 'OR-PAIR-3',
          title: `${type} with output`,
          broken: [],
          messages: [asked, item(type, 'c1'), item(output, 'c1')],
        },
      ];
    },
  ),
  {
    rule: 'OR-PAIR-3',
    title: 'a search that the provider ran',
    broken: [],
    messages: [asked, { type: 'tool_search_call', call_id: null, execution: 'server' }, asked],
  },
  {
    rule: 'OR-RSN-1',
    title: 'reasoning whose call was cut',
    broken: ['OR-RSN-1'],
    messages: [asked, reasoning('rs_1'), asked],
  },
  {
    rule: 'OR-RSN-1',
    title: 'reasoning before a call',
    broken: [],
    messages: [asked, reasoning('rs_1'), fn('c1', 'fc_1'), out('c1')],
  },
  {
    rule: 'OR-RSN-1',
    title: 'cut while reasoning',
    mode: 'prefix',
    broken: [],
    messages: [asked, reasoning('rs_1')],
  },
  {
    rule: 'OR-RSN-2',
    title: 'a call whose reasoning was cut',
    broken: ['OR-RSN-2'],
    before: [asked, reasoning('rs_1'), fn('c1', 'fc_1'), out('c1')],
    messages: [asked, fn('c1', 'fc_1'), out('c1')],
  },
  {
    rule: 'OR-RSN-2',
    title: 'a message that another reasoning leads now',
    broken: ['OR-RSN-2'],
    before: [
      asked,
      reasoning('rs_1'),
      fn('c1'),
      out('c1'),
      reasoning('rs_2'),
      answer('msg_1'),
      asked,
    ],
    messages: [asked, reasoning('rs_1'), answer('msg_1'), asked],
  },
  {
    rule: 'OR-RSN-2',
    title: 'a call without an id',
    broken: [],
    before: [asked, reasoning('rs_1'), fn('c1'), out('c1')],
    messages: [asked, fn('c1'), out('c1')],
  },
  {
    rule: 'OR-RSN-2',
    title: 'reasoning leads what is left of a batch',
    broken: [],
    before: [asked, reasoning('rs_1'), fn('c1', 'fc_1'), fn('c2', 'fc_2'), out('c1'), out('c2')],
    messages: [asked, reasoning('rs_1'), fn('c2', 'fc_2'), out('c2')],
  },
  {
    rule: 'OR-DUP-1',
    title: 'an item twice',
    broken: ['OR-DUP-1'],
    messages: [asked, answer('msg_1'), asked, answer('msg_1')],
  },
  {
    rule: 'OR-DUP-1',
    title: 'two items',
    broken: [],
    messages: [asked, answer('msg_1'), asked, answer('msg_2')],
  },
  {
    rule: 'OR-ID-1',
    title: 'an id of another wire',
    broken: ['OR-ID-1'],
    messages: [asked, fn('c1', 'toolu_1'), out('c1')],
  },
  {
    rule: 'OR-ID-1',
    title: 'an id of its kind',
    broken: [],
    messages: [asked, fn('c1', 'fc_1'), out('c1')],
  },
  {
    rule: 'OR-ID-2',
    title: 'a call_id of 65 characters',
    broken: ['OR-ID-2'],
    messages: [asked, fn('c'.repeat(65)), out('c'.repeat(65))],
  },
  {
    rule: 'OR-ID-2',
    title: 'a call_id of 64 characters',
    broken: [],
    messages: [asked, fn('c'.repeat(64)), out('c'.repeat(64))],
  },
  {
    rule: 'OR-TRIG-1',
    title: 'a trigger before a message',
    broken: ['OR-TRIG-1'],
    messages: [asked, { type: 'compaction_trigger' }, asked],
  },
  {
    rule: 'OR-TRIG-1',
    title: 'a trigger at the end',
    broken: [],
    messages: [asked, { type: 'compaction_trigger' }],
  },
];

export const openaiExamples: readonly Example[] = [
  ...chat.map((example): Example => ({ ...example, dialect: 'openai-chat' })),
  ...responses.map((example): Example => ({ ...example, dialect: 'openai-responses' })),
];
