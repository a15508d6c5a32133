/** Small recordings of the formats that the samples of other tests leave out, and request bodies of each wire. */

const SESSION = 'session-of-samples';

function line(uuid: string, parentUuid: string | null, type: string, fields: object): object {
  const timestamp = `2026-01-01T00:00:${String(Number.parseInt(uuid.slice(1), 10)).padStart(2, '0')}Z`;
  return { type, uuid, parentUuid, sessionId: SESSION, isSidechain: false, timestamp, ...fields };
}

const usage = { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 100 };
const answer = (id: string, ...content: object[]) => ({
  message: { id, type: 'message', role: 'assistant', model: 'claude-x', content, usage },
});
const said = (content: unknown) => ({ message: { role: 'user', content } });
const call = (id: string) => ({
  type: 'tool_use',
  id,
  name: 'Bash',
  input: { command: `do ${id}` },
});
const result = (id: string) => [
  { type: 'tool_result', tool_use_id: id, content: `the output of ${id}`, is_error: false },
];
const text = (value: string) => ({ type: 'text', text: value });

/** A session with a split response, a sub-agent, a compaction and notes. */
export const claudeCodeLines: readonly object[] = [
  { type: 'summary', summary: 'a summary of the session', leafUuid: 'u09' },
  line('u01', null, 'user', said('please look into the failing build')),
  line(
    'u02',
    'u01',
    'assistant',
    answer('m1', { type: 'thinking', thinking: 'hm', signature: 's' }),
  ),
  line('u03', 'u02', 'assistant', answer('m1', text('I look into the build'))),
  line('u04', 'u03', 'assistant', answer('m1', call('t1'))),
  line('u05', 'u04', 'user', said(result('t1'))),
  line('u06', null, 'user', { ...said('you are the helper agent'), isSidechain: true }),
  line('u07', 'u06', 'assistant', {
    ...answer('m2', text('the helper has found it')),
    isSidechain: true,
  }),
  line('u08', 'u05', 'assistant', answer('m3', text('the build is repaired'))),
  line('u09', 'u08', 'user', said('now write the release notes')),
  line('u10', 'u09', 'system', { subtype: 'compact_boundary', content: 'compacted' }),
  line('u11', 'u10', 'user', { ...said('what was done so far'), isCompactSummary: true }),
  line('u12', 'u11', 'assistant', answer('m4', call('t2'))),
  line('u13', 'u12', 'user', said(result('t2'))),
  line('u14', 'u13', 'assistant', answer('m5', text('the notes are written'))),
];

const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' },
};

/** Conversations that grow, by wire. */
export const requestBodies: { readonly [provider: string]: readonly object[] } = {
  anthropic: [
    {
      model: 'claude-x',
      system: [{ type: 'text', text: 'answer briefly', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
      messages: [{ role: 'user', content: [text('count the files here'), image] }],
      metadata: { user_id: 'user_1_session_abc' },
    },
    {
      model: 'claude-x',
      system: [{ type: 'text', text: 'answer briefly' }],
      tools: [{ name: 'Bash', input_schema: { type: 'object' } }],
      messages: [
        { role: 'user', content: [text('count the files here'), image] },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'I should list', signature: 'sig' }, call('t1')],
        },
        { role: 'user', content: result('t1') },
      ],
      metadata: { user_id: 'user_1_session_abc' },
    },
  ],
  openai: [
    {
      model: 'gpt-x',
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'go on then' },
      ],
    },
    {
      model: 'gpt-x',
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'go on then' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'the result of c1' },
      ],
    },
  ],
  'openai-responses': [
    { model: 'gpt-x', instructions: 'be kind', input: [{ role: 'user', content: 'go to work' }] },
    {
      model: 'gpt-x',
      instructions: 'be kind',
      input: [
        { role: 'user', content: 'go to work' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"path":"a/b"}' },
        { type: 'function_call_output', call_id: 'c', output: 'the output of c' },
      ],
    },
  ],
  gemini: [
    {
      systemInstruction: { parts: [{ text: 'be kind' }] },
      contents: [{ role: 'user', parts: [{ text: 'go and see' }] }],
    },
    {
      systemInstruction: { parts: [{ text: 'be kind' }] },
      contents: [
        { role: 'user', parts: [{ text: 'go and see' }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { path: 'a/b' } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'f', response: { output: 'it was seen' } } }],
        },
      ],
    },
  ],
  bedrock: [
    { modelId: 'claude-x', messages: [{ role: 'user', content: [{ text: 'go to sleep' }] }] },
    {
      modelId: 'claude-x',
      system: [{ text: 'be kind' }],
      messages: [
        { role: 'user', content: [{ text: 'go to sleep' }] },
        {
          role: 'assistant',
          content: [{ toolUse: { toolUseId: 'c', name: 'f', input: { n: 1 } } }],
        },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: 'c', content: [{ text: 'it slept' }] } }],
        },
      ],
    },
  ],
};

const responses: { readonly [provider: string]: object } = {
  anthropic: { role: 'assistant', content: [text('there are three files')], usage },
  openai: {
    choices: [{ message: { role: 'assistant', content: 'it is all done now' } }],
    usage: { prompt_tokens: 30, completion_tokens: 2 },
  },
  'openai-responses': {
    output: [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'it is at its end' }],
      },
    ],
    usage: { input_tokens: 30, output_tokens: 2, input_tokens_details: { cached_tokens: 10 } },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'it has been seen' }] } }],
    usageMetadata: { promptTokenCount: 30, candidatesTokenCount: 2 },
  },
  bedrock: {
    output: { message: { role: 'assistant', content: [{ text: 'it sleeps well' }] } },
    usage: { inputTokens: 30, outputTokens: 2 },
  },
};

/** Captures with session, time, reward and answer, by provider. */
export function capturesOf(provider: string): readonly object[] {
  const bodies = requestBodies[provider] ?? [];
  return bodies.map((body, index) => ({
    provider,
    timestamp: `2026-01-01T00:00:0${index}Z`,
    session: `session-${provider}`,
    task: 'a task of the samples',
    ...(index === bodies.length - 1 ? { reward: 1, response: responses[provider] } : {}),
    body,
  }));
}

/** What a proxy and a browser save: bodies as texts, a streamed answer. */
export const exchanges: readonly object[] = [
  {
    startedDateTime: '2026-01-01T00:00:00Z',
    request: {
      method: 'POST',
      url: 'https://api.anthropic.com/v1/messages',
      headers: [{ name: 'x-app', value: 'cli' }],
      postData: {
        mimeType: 'application/json',
        text: JSON.stringify(requestBodies.anthropic?.[0]),
      },
    },
    response: {
      status: 200,
      content: {
        text: [
          { type: 'message_start', message: { role: 'assistant', content: [], usage } },
          { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'three' } },
          { type: 'content_block_stop', index: 0 },
          {
            type: 'message_delta',
            delta: { stop_reason: 'end_turn' },
            usage: { output_tokens: 2 },
          },
          { type: 'message_stop' },
        ]
          .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
          .join(''),
      },
    },
  },
  {
    startedDateTime: '2026-01-01T00:00:01Z',
    request: {
      method: 'POST',
      url: 'https://api.openai.com/v1/chat/completions',
      headers: { 'x-app': 'cli' },
      body: requestBodies.openai?.[1],
    },
    response: { status: 200, body: responses.openai },
  },
];
