import type { Example, ExampleOf } from './example.ts';

const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: unknown) => ({ role: 'assistant', content });
const system = (content: unknown) => ({ role: 'system', content });
const text = (said: string) => ({ type: 'text', text: said });
const marked = (block: object, ttl?: string) => ({
  ...block,
  cache_control: ttl === undefined ? { type: 'ephemeral' } : { type: 'ephemeral', ttl },
});
const call = (id: string) => ({ type: 'tool_use', id, name: 'grep', input: { pattern: 'x' } });
const result = (id: string, content: unknown = 'found') => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const thinking = (signature: string, said = 'hm') => ({
  type: 'thinking',
  thinking: said,
  signature,
});
const search = (id: string) => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });
const image = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } };

const start = [user('Look for x.')];
const exchange = (id: string) => [assistant([call(id)]), user([result(id)])];
const settings = { role: 'system', content: [], output_config: { effort: 'low' } };

const systems: ExampleOf[] = [
  {
    rule: 'A-SYS-1',
    title: 'a note between assistant and user',
    broken: ['A-SYS-1', 'A-SYS-2'],
    messages: [...start, assistant('Yes?'), system('Be brief.'), user('Go on.')],
  },
  {
    rule: 'A-SYS-1',
    title: 'a note behind the last assistant turn',
    broken: ['A-SYS-1'],
    messages: [...start, assistant('Yes?'), system('Be brief.')],
  },
  {
    rule: 'A-SYS-1',
    title: 'a note behind a user turn',
    broken: [],
    messages: [...start, system('Be brief.'), assistant('Yes?'), user('Go on.')],
  },
  {
    rule: 'A-SYS-1',
    title: 'settings without content stand anywhere',
    broken: [],
    messages: [...start, assistant([call('t1')]), settings, user([result('t1')])],
  },
  {
    rule: 'A-SYS-2',
    title: 'a summary with role system in front of the kept tail',
    broken: ['A-SYS-2'],
    messages: [...start, system('Summary so far.'), user('And now?')],
  },
  {
    rule: 'A-SYS-2',
    title: 'a run of notes before a user turn',
    broken: ['A-SYS-2'],
    messages: [...start, system('One.'), system('Two.'), user('Go on.')],
  },
  {
    rule: 'A-SYS-2',
    title: 'a run of notes that ends the list',
    broken: [],
    messages: [...start, system('One.'), system('Two.')],
  },
  {
    rule: 'A-SYS-3',
    title: 'a prompt inside the list',
    broken: ['A-SYS-3'],
    messages: [system('You search.'), ...start],
  },
  {
    rule: 'A-SYS-3',
    title: 'a prompt that stands for the top level',
    broken: [],
    messages: [system('You search.'), ...start],
    context: { system_hoisted: true },
  },
];

const pairs: ExampleOf[] = [
  {
    rule: 'A-PAIR-1',
    title: 'a kept call whose results were cut',
    broken: ['A-PAIR-1'],
    messages: [...start, assistant([call('t1')]), user('Summary.')],
  },
  {
    rule: 'A-PAIR-1',
    title: 'one of two parallel results is gone',
    broken: ['A-PAIR-1'],
    messages: [
      ...start,
      assistant([call('t1'), call('t2')]),
      user([result('t1')]),
      assistant('Ok.'),
    ],
  },
  {
    rule: 'A-PAIR-1',
    title: 'text of the same turn behind the call',
    broken: ['A-PAIR-1'],
    messages: [...start, assistant([call('t1'), text('Let me see.')]), user([result('t1')])],
  },
  {
    rule: 'A-PAIR-1',
    title: 'text before the result',
    broken: ['A-PAIR-1'],
    messages: [...start, assistant([call('t1')]), user([text('wait'), result('t1')])],
  },
  {
    rule: 'A-PAIR-1',
    title: 'text of the assistant after its call',
    broken: ['A-PAIR-1'],
    messages: [...start, assistant([call('t1'), text('…')]), user([result('t1')])],
  },
  {
    rule: 'A-PAIR-1',
    title: 'results over two messages, then text',
    broken: [],
    messages: [
      ...start,
      assistant([call('t1'), call('t2')]),
      user([result('t2')]),
      user([result('t1'), text('hm')]),
    ],
  },
  {
    rule: 'A-PAIR-1',
    title: 'a call in flight',
    mode: 'prefix',
    broken: [],
    messages: [...start, assistant([call('t1')])],
  },
  {
    rule: 'A-PAIR-1',
    title: 'a batch in flight, half answered',
    mode: 'prefix',
    broken: [],
    messages: [...start, assistant([call('t1'), call('t2')]), user([result('t2')])],
  },
  {
    rule: 'A-PAIR-1',
    title: 'an unanswered call in the middle of a prefix',
    mode: 'prefix',
    broken: ['A-PAIR-1'],
    messages: [...start, assistant([call('t1')]), user('Go on.'), assistant('Ok.')],
  },
  {
    rule: 'A-PAIR-2',
    title: 'a kept result whose call was cut',
    broken: ['A-PAIR-2'],
    messages: [...start, user([result('t1')])],
  },
  {
    rule: 'A-PAIR-2',
    title: 'a result behind a later assistant turn',
    broken: ['A-PAIR-1', 'A-PAIR-2'],
    messages: [
      ...start,
      assistant([call('t1')]),
      user('hm'),
      assistant('Ok.'),
      user([result('t1')]),
    ],
  },
  {
    rule: 'A-PAIR-2',
    title: 'a result after its call',
    broken: [],
    messages: [...start, ...exchange('t1')],
  },
  {
    rule: 'A-PAIR-3',
    title: 'a copied exchange',
    broken: ['A-PAIR-3'],
    messages: [...start, ...exchange('t1'), ...exchange('t1')],
  },
  {
    rule: 'A-PAIR-3',
    title: 'two exchanges',
    broken: [],
    messages: [...start, ...exchange('t1'), ...exchange('t2')],
  },
  {
    rule: 'A-PAIR-4',
    title: 'a masked result beside the original',
    broken: ['A-PAIR-4'],
    messages: [...start, assistant([call('t1')]), user([result('t1', 'masked'), result('t1')])],
  },
  {
    rule: 'A-PAIR-4',
    title: 'a masked result in place of the original',
    broken: [],
    messages: [...start, assistant([call('t1')]), user([result('t1', 'masked')])],
  },
];

const program = { type: 'server_tool_use', id: 's1', name: 'code_execution', input: {} };
const called = { ...call('t1'), caller: { type: 'code_execution', tool_id: 's1' } };
const ran = { type: 'code_execution_tool_result', tool_use_id: 's1', content: {} };

const server: ExampleOf[] = [
  {
    rule: 'A-SRV-1',
    title: 'a search whose result block is gone',
    broken: ['A-SRV-1'],
    messages: [...start, assistant([search('s1'), text('Nothing.')]), user('Go on.')],
  },
  {
    rule: 'A-SRV-1',
    title: 'a result block whose search is gone',
    broken: ['A-SRV-1'],
    messages: [...start, assistant([found('s1'), text('Nothing.')]), user('Go on.')],
  },
  {
    rule: 'A-SRV-1',
    title: 'a result block in another turn',
    broken: ['A-SRV-1'],
    messages: [
      ...start,
      assistant([search('s1')]),
      user('Go on.'),
      assistant([found('s1')]),
      user('Ok.'),
    ],
  },
  {
    rule: 'A-SRV-1',
    title: 'a search with its result',
    broken: [],
    messages: [...start, assistant([search('s1'), found('s1'), text('Nothing.')]), user('Go on.')],
  },
  {
    rule: 'A-SRV-1',
    title: 'a program that waits for a result',
    broken: [],
    messages: [...start, assistant([program, called]), user([result('t1')])],
  },
  {
    rule: 'A-SRV-1',
    title: 'a program that goes on after a result',
    broken: [],
    messages: [
      ...start,
      assistant([program, called]),
      user([result('t1')]),
      assistant([ran]),
      user('Ok.'),
    ],
  },
  {
    rule: 'A-SRV-1',
    title: 'a program that was given up',
    broken: ['A-SRV-1'],
    messages: [
      ...start,
      assistant([program, called]),
      user([result('t1')]),
      assistant('Ok.'),
      user('Next.'),
    ],
  },
  {
    rule: 'A-SRV-1',
    title: 'a paused turn',
    broken: [],
    messages: [...start, assistant([text('Searching.'), search('s1')])],
  },
  {
    rule: 'A-SRV-2',
    title: 'a call of a program that is gone',
    broken: ['A-SRV-2'],
    messages: [...start, assistant([called]), user([result('t1')])],
  },
  {
    rule: 'A-SRV-2',
    title: 'a direct call',
    broken: [],
    messages: [
      ...start,
      assistant([{ ...call('t1'), caller: { type: 'direct' } }]),
      user([result('t1')]),
    ],
  },
];

const session = [
  ...start,
  assistant([thinking('s1'), text('one')]),
  user('two?'),
  assistant([thinking('s2'), text('two')]),
  user('three?'),
];
const binding = { model: 'anthropic/claude-opus-5-5' };

const think: ExampleOf[] = [
  {
    rule: 'A-THINK-1',
    title: 'an earlier turn becomes the latest',
    broken: ['A-THINK-1'],
    before: session,
    messages: [...session.slice(0, 2), user('three?')],
  },
  {
    rule: 'A-THINK-1',
    title: 'one of two thoughts is gone',
    broken: ['A-THINK-1'],
    before: [...start, assistant([thinking('s1'), thinking('s2'), text('one')]), user('two?')],
    messages: [...start, assistant([thinking('s2'), text('one')]), user('two?')],
  },
  {
    rule: 'A-THINK-1',
    title: 'an older turn changes',
    broken: [],
    before: session,
    messages: [...start, assistant('one'), ...session.slice(2)],
  },
  {
    rule: 'A-THINK-1',
    title: 'the latest turn loses all its thinking',
    broken: [],
    before: session,
    messages: [...session.slice(0, 3), assistant([text('two')]), user('three?')],
  },
  {
    rule: 'A-THINK-1',
    title: 'the latest turn gets a cache mark',
    broken: [],
    before: session,
    messages: [
      ...session.slice(0, 3),
      assistant([thinking('s2'), marked(text('two'))]),
      user('three?'),
    ],
  },
  {
    rule: 'A-THINK-2',
    title: 'a thought without a signature',
    broken: ['A-THINK-2'],
    messages: [
      ...start,
      assistant([{ type: 'thinking', thinking: 'hm' }, text('one')]),
      user('two?'),
    ],
  },
  {
    rule: 'A-THINK-2',
    title: 'a shortened thought of an older turn',
    broken: ['A-THINK-2'],
    before: session,
    messages: [...start, assistant([thinking('s1', 'h'), text('one')]), ...session.slice(2)],
  },
  {
    rule: 'A-THINK-2',
    title: 'a signature cut short in an older turn',
    broken: ['A-THINK-2'],
    before: session,
    messages: [...start, assistant([thinking('s'), text('one')]), ...session.slice(2)],
  },
  {
    rule: 'A-THINK-2',
    title: 'a signature of a turn that the recorded list did not have yet',
    broken: [],
    before: session,
    messages: [
      ...session,
      assistant([thinking('s3'), text('three')]),
      user('four?'),
      assistant('4'),
    ],
  },
  {
    rule: 'A-THINK-2',
    title: 'a signed thought without text',
    broken: [],
    messages: [...start, assistant([thinking('s1', ''), text('one')]), user('two?')],
  },
  {
    rule: 'A-THINK-3',
    title: 'thinking is all that is left of the turn',
    broken: ['A-THINK-3'],
    messages: [...start, assistant([thinking('s1')]), user('two?')],
  },
  { rule: 'A-THINK-3', title: 'thinking before text', broken: [], messages: session },
  {
    rule: 'A-THINK-3',
    title: 'cut while thinking',
    mode: 'prefix',
    broken: [],
    messages: [...start, assistant([thinking('s1')])],
  },
  {
    rule: 'A-THINK-4',
    title: 'the head of a tool loop lost its thinking',
    broken: ['A-THINK-4'],
    messages: [...start, ...exchange('t1'), ...exchange('t2')],
    context: { thinking: { type: 'enabled', budget_tokens: 2000 } },
  },
  {
    rule: 'A-THINK-4',
    title: 'a loop that thinks at its head',
    broken: [],
    messages: [
      ...start,
      assistant([thinking('s1'), call('t1')]),
      user([result('t1')]),
      ...exchange('t2'),
    ],
    context: { thinking: { type: 'enabled', budget_tokens: 2000 } },
  },
  {
    rule: 'A-THINK-4',
    title: 'a loop that is over',
    broken: [],
    messages: [...start, ...exchange('t1'), assistant('Done.'), user('Thanks.')],
    context: { thinking: { type: 'enabled', budget_tokens: 2000 } },
  },
  {
    rule: 'A-THINK-4',
    title: 'adaptive thinking',
    broken: [],
    messages: [...start, ...exchange('t1')],
    context: { thinking: { type: 'adaptive' } },
  },
  {
    rule: 'A-THINK-5',
    title: 'a masked result before a signed thought',
    broken: ['A-THINK-5'],
    context: binding,
    before: [...start, ...exchange('t1'), ...session.slice(1)],
    messages: [
      ...start,
      assistant([call('t1')]),
      user([result('t1', 'masked')]),
      ...session.slice(1),
    ],
  },
  {
    rule: 'A-THINK-5',
    title: 'a thought in the middle is gone',
    broken: ['A-THINK-5'],
    context: binding,
    before: [...session, assistant([thinking('s3'), text('three')]), user('four?')],
    messages: [
      ...session.slice(0, 3),
      assistant('two'),
      user('three?'),
      assistant([thinking('s3'), text('three')]),
      user('four?'),
    ],
  },
  {
    rule: 'A-THINK-5',
    title: 'the oldest thoughts are gone',
    broken: [],
    context: binding,
    before: session,
    messages: [...start, assistant('one'), ...session.slice(2)],
  },
  {
    rule: 'A-THINK-5',
    title: 'a change behind the last signed thought',
    broken: [],
    context: binding,
    before: [...session, ...exchange('t1')],
    messages: [...session, assistant([call('t1')]), user([result('t1', 'masked')])],
  },
  {
    rule: 'A-THINK-5',
    title: 'a model that does not bind',
    broken: [],
    context: { model: 'claude-sonnet-4-5' },
    before: session,
    messages: [user('Summary.'), ...session.slice(2)],
  },
];

const empty: ExampleOf[] = [
  {
    rule: 'A-EMPTY-1',
    title: 'an empty text block',
    broken: ['A-EMPTY-1'],
    messages: [user([text('')])],
  },
  {
    rule: 'A-EMPTY-1',
    title: 'an empty text block in a result',
    broken: ['A-EMPTY-1'],
    messages: [...start, assistant([call('t1')]), user([result('t1', [text('')])])],
  },
  {
    rule: 'A-EMPTY-1',
    title: 'an empty result',
    broken: [],
    messages: [...start, assistant([call('t1')]), user([result('t1', '')])],
  },
  {
    rule: 'A-EMPTY-2',
    title: 'a blank text block',
    broken: ['A-EMPTY-2'],
    messages: [user([text(' \n')])],
  },
  { rule: 'A-EMPTY-2', title: 'a blank string', broken: ['A-EMPTY-2'], messages: [user('\n')] },
  { rule: 'A-EMPTY-2', title: 'white space around text', broken: [], messages: [user(' x \n')] },
  {
    rule: 'A-EMPTY-3',
    title: 'an empty user message',
    broken: ['A-EMPTY-3'],
    messages: [user('')],
  },
  {
    rule: 'A-EMPTY-3',
    title: 'a user message whose blocks are gone',
    broken: ['A-EMPTY-3'],
    messages: [user([])],
  },
  {
    rule: 'A-EMPTY-3',
    title: 'a system message whose text is gone',
    broken: ['A-EMPTY-3'],
    messages: [...start, system('')],
  },
  {
    rule: 'A-EMPTY-3',
    title: 'a message without content',
    broken: ['A-EMPTY-3'],
    messages: [{ role: 'user' }],
  },
  { rule: 'A-EMPTY-3', title: 'an image alone', broken: [], messages: [user([image])] },
  {
    rule: 'A-EMPTY-4',
    title: 'an error without text',
    broken: ['A-EMPTY-4'],
    messages: [...start, assistant([call('t1')]), user([{ ...result('t1', ''), is_error: true }])],
  },
  {
    rule: 'A-EMPTY-4',
    title: 'an error with text',
    broken: [],
    messages: [
      ...start,
      assistant([call('t1')]),
      user([{ ...result('t1', 'no'), is_error: true }]),
    ],
  },
  {
    rule: 'A-EMPTY-5',
    title: 'an empty compaction block',
    broken: ['A-EMPTY-5'],
    messages: [
      ...start,
      assistant([{ type: 'compaction', content: null }, text('x')]),
      user('Go on.'),
    ],
  },
  {
    rule: 'A-EMPTY-5',
    title: 'a compaction block',
    broken: [],
    messages: [
      ...start,
      assistant([{ type: 'compaction', content: 'All so far.' }, text('x')]),
      user('Go on.'),
    ],
  },
  {
    rule: 'A-ERR-TEXT',
    title: 'an error with an image',
    broken: ['A-ERR-TEXT'],
    messages: [
      ...start,
      assistant([call('t1')]),
      user([{ ...result('t1', [image]), is_error: true }]),
    ],
  },
  {
    rule: 'A-ERR-TEXT',
    title: 'an image without the flag',
    broken: [],
    messages: [...start, assistant([call('t1')]), user([result('t1', [image])])],
  },
];

const images = (count: number) => [user(Array.from({ length: count }, () => image))];
const sizes = (count: number, first: readonly number[]) =>
  Array.from({ length: count }, (_, index) => (index === 0 ? first : [80, 60]));

const limits: ExampleOf[] = [
  {
    rule: 'A-ROLE-1',
    title: 'a call in a user turn',
    broken: ['A-PAIR-2', 'A-ROLE-1'],
    messages: [user([text('Summary.'), call('t1')]), user([result('t1')])],
  },
  {
    rule: 'A-ROLE-1',
    title: 'thinking in a user turn',
    broken: ['A-ROLE-1'],
    messages: [user([thinking('s1'), text('x')])],
  },
  {
    rule: 'A-ROLE-1',
    title: 'a tool message',
    broken: ['A-PAIR-1', 'A-ROLE-1'],
    messages: [...start, assistant([call('t1')]), { role: 'tool', content: 'found' }],
  },
  {
    rule: 'A-ROLE-1',
    title: 'blocks where they belong',
    broken: [],
    messages: [...start, ...exchange('t1')],
  },
  {
    rule: 'A-END-1',
    title: 'a summary as the last assistant message',
    broken: ['A-END-1'],
    messages: [...start, assistant('Summary.')],
    context: { model: 'us.anthropic.claude-opus-4-6-v1:0' },
  },
  {
    rule: 'A-END-1',
    title: 'an older model takes a prefill',
    broken: [],
    messages: [...start, assistant('Summary.')],
    context: { model: 'claude-sonnet-4-5' },
  },
  {
    rule: 'A-END-1',
    title: 'a note behind the last user turn',
    broken: [],
    messages: [...start, system('Be brief.')],
    context: { model: 'claude-opus-5-5' },
  },
  {
    rule: 'A-END-1',
    title: 'a prefix ends anywhere',
    mode: 'prefix',
    broken: [],
    messages: [...start, assistant('One.')],
    context: { model: 'claude-opus-5-5' },
  },
  {
    rule: 'A-END-2',
    title: 'a prefill that ends in a space',
    broken: ['A-END-2'],
    messages: [...start, assistant('The answer is ')],
    context: { model: 'claude-3-5-sonnet-20241022' },
  },
  {
    rule: 'A-END-2',
    title: 'a space at the end of an earlier turn',
    broken: [],
    messages: [...start, assistant('Well '), user('Go on.')],
    context: { model: 'claude-3-5-sonnet-20241022' },
  },
  {
    rule: 'A-FIRST-1',
    title: 'the first user turn is gone',
    broken: ['A-FIRST-1'],
    messages: [assistant('One.'), user('Go on.')],
  },
  { rule: 'A-FIRST-1', title: 'the first user turn is there', broken: [], messages: start },
  { rule: 'A-MIN-1', title: 'nothing is left', broken: ['A-MIN-1'], messages: [] },
  { rule: 'A-MIN-1', title: 'one message is left', broken: [], messages: start },
  {
    rule: 'A-IMG-1',
    title: 'a large image among many',
    broken: ['A-IMG-1'],
    messages: images(21),
    context: { image_dims: sizes(21, [900, 2001]) },
  },
  {
    rule: 'A-IMG-1',
    title: 'a large image among few',
    broken: [],
    messages: images(20),
    context: { image_dims: sizes(20, [900, 2001]) },
  },
  {
    rule: 'A-IMG-1',
    title: 'many images at the limit',
    broken: [],
    messages: images(21),
    context: { image_dims: sizes(21, [2000, 2000]) },
  },
];

const fields: ExampleOf[] = [
  {
    rule: 'A-CACHE-1',
    title: 'a mark of ours beside four of the host',
    broken: ['A-CACHE-1'],
    messages: [user([marked(text('a')), marked(text('b')), marked(text('c'))])],
    context: { tools: [marked({ name: 'grep' })], system: [marked(text('You search.'))] },
  },
  {
    rule: 'A-CACHE-1',
    title: 'a mark inside a result counts',
    broken: ['A-CACHE-1'],
    messages: [
      ...start,
      assistant([call('t1')]),
      user([
        marked(
          result(
            't1',
            [1, 2, 3, 4].map(() => marked(text('x'))),
          ),
        ),
      ]),
    ],
  },
  {
    rule: 'A-CACHE-1',
    title: 'four marks',
    broken: [],
    messages: [user([marked(text('a')), marked(text('b'))])],
    context: { tools: [marked({ name: 'grep' })], system: [marked(text('You search.'))] },
  },
  {
    rule: 'A-CACHE-2',
    title: 'a mark on thinking',
    broken: ['A-CACHE-2'],
    messages: [...start, assistant([marked(thinking('s1')), text('one')]), user('two?')],
  },
  {
    rule: 'A-CACHE-2',
    title: 'a mark on text that was emptied',
    broken: ['A-CACHE-2', 'A-EMPTY-1'],
    messages: [user([marked(text(''))])],
  },
  {
    rule: 'A-CACHE-2',
    title: 'a mark on a result',
    broken: [],
    messages: [...start, assistant([call('t1')]), user([marked(result('t1'))])],
  },
  {
    rule: 'A-CACHE-3',
    title: 'an hour after five minutes',
    broken: ['A-CACHE-3'],
    messages: [user([marked(text('a')), marked(text('b'), '1h')])],
  },
  {
    rule: 'A-CACHE-3',
    title: 'an hour after the five minutes of the prompt',
    broken: ['A-CACHE-3'],
    messages: [user([marked(text('a'), '1h')])],
    context: { system: [marked(text('s'), '5m')] },
  },
  {
    rule: 'A-CACHE-3',
    title: 'an hour on the prompt after five minutes on a tool',
    broken: ['A-CACHE-3'],
    messages: start,
    context: { tools: [marked({ name: 'grep' })], system: [marked(text('s'), '1h')] },
  },
  {
    rule: 'A-CACHE-3',
    title: 'five minutes on the prompt after an hour on a tool',
    broken: [],
    messages: start,
    context: { tools: [marked({ name: 'grep' }, '1h')], system: [marked(text('s'), '5m')] },
  },
  {
    rule: 'A-CACHE-3',
    title: 'five minutes after an hour',
    broken: [],
    messages: [user([marked(text('a'), '1h'), marked(text('b'))])],
  },
  {
    rule: 'A-ID-1',
    title: 'joined ids',
    broken: ['A-ID-1'],
    messages: [...start, ...exchange('call:1')],
  },
  {
    rule: 'A-ID-1',
    title: 'a plain id',
    broken: [],
    messages: [...start, ...exchange('call_1-A')],
  },
  {
    rule: 'A-NAME-1',
    title: 'a lost name',
    broken: ['A-NAME-1'],
    messages: [...start, assistant([{ ...call('t1'), name: '' }]), user([result('t1')])],
  },
  { rule: 'A-NAME-1', title: 'a name', broken: [], messages: [...start, ...exchange('t1')] },
  {
    rule: 'A-INPUT-1',
    title: 'an input cut as text',
    broken: ['A-INPUT-1'],
    messages: [...start, assistant([{ ...call('t1'), input: '{"patt' }]), user([result('t1')])],
  },
  {
    rule: 'A-INPUT-1',
    title: 'an empty input',
    broken: [],
    messages: [...start, assistant([{ ...call('t1'), input: {} }]), user([result('t1')])],
  },
  {
    rule: 'A-EXTRA-1',
    title: 'bookkeeping on a message',
    broken: ['A-EXTRA-1'],
    messages: [{ ...user('x'), summarized: true }],
  },
  {
    rule: 'A-EXTRA-1',
    title: 'the keys that the wire knows',
    broken: [],
    messages: [...start, { ...system('Be brief.'), clear_at: 'next_user_message' }],
  },
];

export const anthropicExamples: readonly Example[] = [
  ...systems,
  ...pairs,
  ...server,
  ...think,
  ...empty,
  ...limits,
  ...fields,
].map((example) => ({ ...example, dialect: 'anthropic' }));
