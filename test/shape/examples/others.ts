import type { Example, ExampleOf } from './example.ts';

const ask = { role: 'user', parts: [{ text: 'x' }] };
const say = { role: 'model', parts: [{ text: 'Done.' }] };
const functions = (names: readonly string[], signature?: string, args = {}) => ({
  role: 'model',
  parts: names.map((name, index) => ({
    functionCall: { name, args },
    ...(index === 0 && signature !== undefined ? { thoughtSignature: signature } : {}),
  })),
});
const responded = (...names: string[]) => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: {} } })),
});
const gemini3 = { model: 'google/gemini-3-pro' };

const gemini: ExampleOf[] = [
  {
    rule: 'G-ORDER-1',
    title: 'a call at the beginning',
    broken: ['G-ORDER-1'],
    messages: [functions(['f']), responded('f')],
  },
  {
    rule: 'G-ORDER-1',
    title: 'a call after a model turn',
    broken: ['G-ORDER-1'],
    messages: [ask, say, functions(['f']), responded('f')],
  },
  {
    rule: 'G-ORDER-1',
    title: 'a call after a response',
    broken: [],
    messages: [ask, functions(['f']), responded('f'), functions(['g']), responded('g')],
  },
  {
    rule: 'G-ORDER-2',
    title: 'a response whose call was cut',
    broken: ['G-ORDER-2'],
    messages: [ask, responded('f')],
  },
  {
    rule: 'G-ORDER-2',
    title: 'a note between call and response',
    broken: ['G-COUNT', 'G-ORDER-2'],
    messages: [ask, functions(['f']), ask, responded('f')],
  },
  {
    rule: 'G-ORDER-2',
    title: 'a response after its call',
    broken: [],
    messages: [ask, functions(['f']), responded('f')],
  },
  {
    rule: 'G-COUNT',
    title: 'one of two responses is gone',
    broken: ['G-COUNT'],
    messages: [ask, functions(['f', 'g']), responded('g')],
  },
  {
    rule: 'G-COUNT',
    title: 'a call whose response was cut',
    broken: ['G-COUNT'],
    messages: [ask, functions(['f']), ask],
  },
  {
    rule: 'G-COUNT',
    title: 'a batch in flight, half answered',
    mode: 'prefix',
    broken: [],
    messages: [ask, functions(['f', 'g']), responded('g')],
  },
  {
    rule: 'G-COUNT',
    title: 'as many responses as calls',
    broken: [],
    messages: [ask, functions(['f', 'g']), responded('f', 'g')],
  },
  {
    rule: 'G-EMPTY',
    title: 'a content whose parts are gone',
    broken: ['G-EMPTY'],
    messages: [ask, { role: 'model', parts: [] }, ask],
  },
  { rule: 'G-EMPTY', title: 'a content with a part', broken: [], messages: [ask] },
  {
    rule: 'G-SIG-1',
    title: 'a call without its signature',
    broken: ['G-SIG-1'],
    context: gemini3,
    messages: [ask, functions(['f']), responded('f')],
  },
  {
    rule: 'G-SIG-1',
    title: 'the first of two calls is signed',
    broken: [],
    context: gemini3,
    messages: [ask, functions(['f', 'g'], 'sig'), responded('f', 'g')],
  },
  {
    rule: 'G-SIG-1',
    title: 'an older model',
    broken: [],
    context: { model: 'gemini-2.5-pro' },
    messages: [ask, functions(['f']), responded('f')],
  },
  {
    rule: 'G-SIG-2',
    title: 'arguments cut under the signature',
    broken: ['G-SIG-2'],
    context: gemini3,
    before: [ask, functions(['f'], 'sig', { text: 'long' }), responded('f')],
    messages: [ask, functions(['f'], 'sig', { text: 'l' }), responded('f')],
  },
  {
    rule: 'G-SIG-2',
    title: 'a signature cut short',
    broken: ['G-SIG-2'],
    context: gemini3,
    before: [ask, functions(['f'], 'sig'), responded('f')],
    messages: [ask, functions(['f'], 'si'), responded('f')],
  },
  {
    rule: 'G-SIG-2',
    title: 'the sentinel signs anything',
    broken: [],
    context: gemini3,
    before: [ask, functions(['f'], 'skip_thought_signature_validator', { a: 1 }), responded('f')],
    messages: [ask, functions(['f'], 'skip_thought_signature_validator', { a: 2 }), responded('f')],
  },
  { rule: 'G-END', title: 'the last user turn is gone', broken: ['G-END'], messages: [ask, say] },
  {
    rule: 'G-END',
    title: 'the list ends in a response',
    broken: [],
    messages: [ask, functions(['f']), responded('f')],
  },
];

const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (said: string) => ({ text: said });
const use = (id: string, input: unknown = {}) => ({
  toolUse: { toolUseId: id, name: 'grep', input },
});
const result = (id: string, said = 'found') => ({
  toolResult: { toolUseId: id, content: [{ text: said }] },
});
const start = user(text('x'));

const bedrock: ExampleOf[] = [
  {
    rule: 'B-ALT',
    title: 'a summary before the kept user turn',
    broken: ['B-ALT'],
    messages: [start, user(text('Summary.')), assistant(text('Ok.')), start],
  },
  {
    rule: 'B-ALT',
    title: 'a summary with role system',
    broken: ['B-ALT'],
    messages: [start, { role: 'system', content: [text('Summary.')] }],
  },
  {
    rule: 'B-ALT',
    title: 'turns that alternate',
    broken: [],
    messages: [start, assistant(text('Ok.')), start],
  },
  {
    rule: 'B-FIRST',
    title: 'the first user turn is gone',
    broken: ['B-FIRST'],
    messages: [assistant(text('Ok.')), start],
  },
  { rule: 'B-FIRST', title: 'the first user turn is there', broken: [], messages: [start] },
  {
    rule: 'B-PAIR-1',
    title: 'one of two results is gone',
    broken: ['B-PAIR-1'],
    messages: [start, assistant(use('t1'), use('t2')), user(result('t1'))],
  },
  {
    rule: 'B-PAIR-1',
    title: 'a batch in flight, half answered',
    mode: 'prefix',
    broken: [],
    messages: [start, assistant(use('t1'), use('t2')), user(result('t1'))],
  },
  {
    rule: 'B-PAIR-1',
    title: 'results in another order',
    broken: [],
    messages: [start, assistant(use('t1'), use('t2')), user(result('t2'), result('t1'))],
  },
  {
    rule: 'B-PAIR-2',
    title: 'a result whose use was cut',
    broken: ['B-PAIR-2'],
    messages: [start, assistant(use('t1')), user(result('t1'), result('t2'))],
  },
  {
    rule: 'B-PAIR-2',
    title: 'a second result',
    broken: ['B-PAIR-2'],
    messages: [start, assistant(use('t1')), user(result('t1'), result('t1'))],
  },
  {
    rule: 'B-PAIR-2',
    title: 'as many results as uses',
    broken: [],
    messages: [start, assistant(use('t1')), user(result('t1'))],
  },
  { rule: 'B-BLANK', title: 'a blank text', broken: ['B-BLANK'], messages: [user(text(' '))] },
  {
    rule: 'B-BLANK',
    title: 'a blank result',
    broken: ['B-BLANK'],
    messages: [start, assistant(use('t1')), user(result('t1', ''))],
  },
  {
    rule: 'B-BLANK',
    title: 'a message whose blocks are gone',
    broken: ['B-BLANK'],
    messages: [user()],
  },
  { rule: 'B-BLANK', title: 'text', broken: [], messages: [start] },
  {
    rule: 'B-CFG',
    title: 'tool blocks without declarations',
    broken: ['B-CFG'],
    context: { toolConfig: null },
    messages: [start, assistant(use('t1')), user(result('t1'))],
  },
  {
    rule: 'B-CFG',
    title: 'no tool blocks',
    broken: [],
    context: { toolConfig: null },
    messages: [start],
  },
  {
    rule: 'B-CFG',
    title: 'declarations that are not known',
    broken: [],
    messages: [start, assistant(use('t1')), user(result('t1'))],
  },
  {
    rule: 'B-MIX',
    title: 'text beside a result',
    broken: ['B-MIX'],
    context: { model: 'mistral.mistral-large-2407-v1:0' },
    messages: [start, assistant(use('t1')), user(result('t1'), text('y'))],
  },
  {
    rule: 'B-MIX',
    title: 'Claude takes text beside a result',
    broken: [],
    context: { model: 'us.anthropic.claude-sonnet-4-5-v1:0' },
    messages: [start, assistant(use('t1')), user(result('t1'), text('y'))],
  },
  {
    rule: 'B-INPUT',
    title: 'an input cut as text',
    broken: ['B-INPUT'],
    messages: [start, assistant(use('t1', '{"a"')), user(result('t1'))],
  },
  {
    rule: 'B-INPUT',
    title: 'an empty input',
    broken: [],
    messages: [start, assistant(use('t1')), user(result('t1'))],
  },
];

const any: ExampleOf[] = [
  {
    rule: 'X-UNI-1',
    title: 'half an emoji',
    broken: ['X-UNI-1'],
    messages: ['{"role":"user","content":"done \ud83c"}'],
  },
  {
    rule: 'X-UNI-1',
    title: 'half an emoji, escaped',
    broken: ['X-UNI-1'],
    messages: ['{"role":"user","content":"done \\ud83c"}'],
  },
  {
    rule: 'X-UNI-1',
    title: 'the other half, in a key',
    broken: ['X-UNI-1'],
    messages: [
      { role: 'user', content: 'x' },
      '{"role":"assistant","content":"x","tool_calls":[{"id":"c","function":{"arguments":"","\\uDF89":1}}]}',
      { role: 'tool', tool_call_id: 'c', content: '' },
    ],
  },
  {
    rule: 'X-UNI-1',
    title: 'a pair, plain, escaped and half of each',
    broken: [],
    messages: ['{"role":"user","content":"🎉 \\ud83c\\udf89 \ud83c\\udf89"}'],
  },
  {
    rule: 'X-UNI-1',
    title: 'a backslash before the letters',
    broken: [],
    messages: ['{"role":"user","content":"\\\\ud83c and \\\\\\\\ud83c"}'],
  },
  {
    rule: 'X-BYTE-1',
    title: 'reordered keys',
    broken: ['X-BYTE-1'],
    before: ['{"role":"user","content":"x"}'],
    messages: ['{"content":"x","role":"user"}'],
  },
  {
    rule: 'X-BYTE-1',
    title: 'a number spelled anew',
    broken: ['X-BYTE-1'],
    before: ['{"role":"user","content":"x","n":1e3}'],
    messages: ['{"role":"user","content":"x","n":1000}'],
  },
  {
    rule: 'X-BYTE-1',
    title: 'an escape spelled anew',
    broken: ['X-BYTE-1'],
    before: ['{"role":"user","content":"\\u00e9"}'],
    messages: ['{"role":"user","content":"é"}'],
  },
  {
    rule: 'X-BYTE-1',
    title: 'spacing',
    broken: ['X-BYTE-1'],
    before: ['{"role": "user", "content": "x"}'],
    messages: ['{"role":"user","content":"x"}'],
  },
  {
    rule: 'X-BYTE-1',
    title: 'the same bytes at another place, and a rewritten message',
    broken: [],
    before: ['{"role":"user","content":"y"}', '{"role": "user","content":"x"}'],
    messages: ['{"role": "user","content":"x"}', '{"role":"user","content":"z"}'],
  },
  {
    rule: 'X-BYTE-1',
    title: 'two spellings that were both recorded',
    broken: [],
    before: ['{"role":"user","content":"x"}', '{"content":"x","role":"user"}'],
    messages: ['{"content":"x","role":"user"}'],
  },
];

export const otherExamples: readonly Example[] = [
  ...gemini.map((example): Example => ({ ...example, dialect: 'gemini' })),
  ...bedrock.map((example): Example => ({ ...example, dialect: 'bedrock' })),
  ...any.map((example): Example => ({ ...example, dialect: 'openai-chat' })),
];
