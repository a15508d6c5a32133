/** One small file of each agent's own format, for the tests that hold for all: records of a JSONL file, or a value. */
export interface AgentSample {
  readonly format: string;
  readonly file: string;
  /** Records, one a line; or the value of a JSON file. */
  readonly value: unknown;
}

const input = (text: string) => [{ type: 'input_text', text }];
const item = (payload: object) => ({
  timestamp: '2026-01-01T00:00:01Z',
  type: 'response_item',
  payload,
});
const event = (payload: object) => ({
  timestamp: '2026-01-01T00:00:02Z',
  type: 'event_msg',
  payload,
});
const counted = { input_tokens: 9, cached_input_tokens: 4, output_tokens: 2 };

const codex: AgentSample = {
  format: 'codex-rollout',
  file: 'codex.jsonl',
  value: [
    {
      timestamp: '2026-01-01T00:00:00Z',
      type: 'session_meta',
      payload: { id: 's1', base_instructions: { text: 'B' } },
    },
    { timestamp: '2026-01-01T00:00:00Z', type: 'turn_context', payload: { model: 'gpt-x' } },
    item({ type: 'message', role: 'user', content: input('go') }),
    item({ type: 'reasoning', summary: [], encrypted_content: 'e' }),
    item({ type: 'function_call', name: 'shell', arguments: '{"a":1}', call_id: 'c1' }),
    item({ type: 'function_call_output', call_id: 'c1', output: 'out' }),
    event({ type: 'token_count', info: { total_token_usage: counted, last_token_usage: counted } }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'mid' }] }),
    {
      type: 'compacted',
      payload: {
        message: 'S',
        replacement_history: [{ type: 'message', role: 'user', content: input('S') }],
      },
    },
    event({ type: 'thread_rolled_back', num_turns: 1 }),
    item({ type: 'message', role: 'user', content: input('on') }),
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'end' }] }),
  ],
};

const pi: AgentSample = {
  format: 'pi-session',
  file: 'pi.jsonl',
  value: [
    { type: 'session', version: 3, id: 's1', cwd: '/w', timestamp: '2026-01-01T00:00:00Z' },
    {
      type: 'message',
      id: 'a',
      parentId: null,
      message: { role: 'user', content: [{ type: 'text', text: 'go' }] },
    },
    {
      type: 'message',
      id: 'b',
      parentId: 'a',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', thinkingSignature: 'sig' },
          { type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'a' } },
        ],
        api: 'anthropic-messages',
        model: 'claude-x',
        usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.1 } },
        stopReason: 'toolUse',
      },
    },
    {
      type: 'message',
      id: 'c',
      parentId: 'b',
      message: {
        role: 'toolResult',
        toolCallId: 't1',
        content: [{ type: 'text', text: 'out' }],
        isError: false,
      },
    },
    {
      type: 'compaction',
      id: 'd',
      parentId: 'c',
      summary: 'S',
      firstKeptEntryId: 'b',
      tokensBefore: 9,
    },
    {
      type: 'message',
      id: 'e',
      parentId: 'd',
      message: { role: 'bashExecution', command: 'ls', output: 'a', exitCode: 1 },
    },
    {
      type: 'message',
      id: 'f',
      parentId: 'e',
      message: { role: 'assistant', content: [{ type: 'text', text: 'end' }] },
    },
  ],
};

const geminiMessages = [
  { id: 'u1', type: 'user', timestamp: '2026-01-01T00:00:00Z', content: 'go' },
  {
    id: 'g1',
    type: 'gemini',
    content: 'look',
    model: 'gemini-x',
    tokens: { input: 9, output: 2, cached: 4, thoughts: 1, tool: 0 },
    toolCalls: [
      {
        id: 'c1',
        name: 'read',
        args: { path: 'a' },
        status: 'success',
        result: [{ functionResponse: { id: 'c1', name: 'read', response: { output: 'out' } } }],
      },
    ],
  },
  { id: 'i1', type: 'info', content: 'note' },
  { id: 'g2', type: 'gemini', content: 'done' },
];
const gemini: AgentSample = {
  format: 'gemini-cli-chat',
  file: 'chat.json',
  value: { sessionId: 's1', projectHash: 'h', messages: geminiMessages },
};
const geminiLines: AgentSample = {
  format: 'gemini-cli-chat',
  file: 'chat.jsonl',
  value: [
    { sessionId: 's1', projectHash: 'h', kind: 'main' },
    ...geminiMessages,
    { $set: { summary: 'x' } },
  ],
};

const response = {
  id: 'r1',
  model: 'model-x',
  usage: { prompt_tokens: 9, completion_tokens: 2 },
  choices: [
    {
      message: {
        role: 'assistant',
        content: 'hm',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'bash', arguments: '{"a":1}' } },
        ],
      },
    },
  ],
};
const metadata = { function_name: 'bash', tool_call_id: 'c1', model_response: response };
const v0: AgentSample = {
  format: 'openhands-v0-events',
  file: 'v0.json',
  value: [
    {
      id: 0,
      source: 'agent',
      action: 'system',
      args: { content: 'S', tools: [{ function: { name: 'bash' } }] },
    },
    { id: 1, source: 'user', action: 'message', args: { content: 'go' } },
    {
      id: 2,
      source: 'agent',
      action: 'run',
      args: { command: 'ls' },
      tool_call_metadata: metadata,
    },
    {
      id: 3,
      source: 'agent',
      observation: 'run',
      content: 'out',
      extras: {},
      cause: 2,
      tool_call_metadata: metadata,
    },
    {
      id: 4,
      source: 'agent',
      action: 'condensation',
      args: { forgotten_event_ids: [2, 3], summary: 'S' },
    },
    { id: 5, source: 'agent', action: 'message', args: { content: 'done' } },
  ],
};

const v1: AgentSample = {
  format: 'openhands-v1-events',
  file: 'v1.jsonl',
  value: [
    {
      id: 'e0',
      source: 'agent',
      kind: 'SystemPromptEvent',
      system_prompt: { type: 'text', text: 'S' },
      tools: [{ title: 't' }],
    },
    {
      id: 'e1',
      source: 'user',
      kind: 'MessageEvent',
      llm_message: { role: 'user', content: [{ type: 'text', text: 'go' }] },
    },
    {
      id: 'e2',
      source: 'agent',
      kind: 'ActionEvent',
      thought: [{ type: 'text', text: 'hm' }],
      tool_name: 't',
      tool_call_id: 'c1',
      tool_call: { id: 'c1', name: 't', arguments: '{}' },
      llm_response_id: 'r1',
    },
    {
      id: 'e3',
      source: 'environment',
      kind: 'ObservationEvent',
      tool_call_id: 'c1',
      observation: { content: [{ type: 'text', text: 'out' }], is_error: false },
    },
    {
      id: 'e4',
      source: 'environment',
      kind: 'Condensation',
      forgotten_event_ids: ['e2', 'e3'],
      summary: 'S',
      summary_offset: 1,
    },
    {
      id: 'e5',
      source: 'agent',
      kind: 'MessageEvent',
      llm_message: { role: 'assistant', content: [{ type: 'text', text: 'end' }] },
    },
  ],
};

const langgraph: AgentSample = {
  format: 'langgraph-thread',
  file: 'thread.json',
  value: {
    values: {
      messages: [
        { type: 'human', id: 'h', content: [{ type: 'text', text: 'go' }], additional_kwargs: {} },
        {
          type: 'ai',
          id: 'a1',
          content: '',
          tool_calls: [{ name: 'f', args: {}, id: 'c1' }],
          usage_metadata: { input_tokens: 9, output_tokens: 2 },
          response_metadata: { model_name: 'x' },
        },
        { type: 'tool', id: 't', content: 'out', tool_call_id: 'c1' },
        {
          lc: 1,
          type: 'constructor',
          id: ['langchain_core', 'messages', 'AIMessage'],
          kwargs: { content: 'done', response_metadata: { model_name: 'x' } },
        },
      ],
    },
    metadata: { thread_id: 't1', step: 4 },
  },
};

const otel: AgentSample = {
  format: 'otel-traces',
  file: 'trace.json',
  value: {
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'svc' } }] },
        scopeSpans: [
          {
            spans: [
              {
                traceId: 'aa',
                spanId: '01',
                name: 'chat',
                startTimeUnixNano: '1767225600000000000',
                attributes: [
                  { key: 'gen_ai.request.model', value: { stringValue: 'gpt-x' } },
                  { key: 'gen_ai.prompt.0.role', value: { stringValue: 'user' } },
                  { key: 'gen_ai.prompt.0.content', value: { stringValue: 'go' } },
                  { key: 'gen_ai.completion.0.content', value: { stringValue: 'done' } },
                  { key: 'gen_ai.usage.input_tokens', value: { intValue: '9' } },
                  { key: 'gen_ai.usage.output_tokens', value: { intValue: '2' } },
                ],
              },
              {
                traceId: 'aa',
                spanId: '02',
                parentSpanId: '01',
                name: 'vercel',
                attributes: [
                  { key: 'ai.operationId', value: { stringValue: 'ai.generateText.doGenerate' } },
                  {
                    key: 'ai.prompt.messages',
                    value: { stringValue: '[{"role":"user","content":"hi"}]' },
                  },
                  { key: 'ai.response.text', value: { stringValue: 'hello' } },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
};

const sdk: AgentSample = {
  format: 'claude-sdk-stream-json',
  file: 'stream.jsonl',
  value: [
    { type: 'system', subtype: 'init', session_id: 's1', tools: ['Bash'], model: 'claude-x' },
    { type: 'user', session_id: 's1', message: { role: 'user', content: 'go' } },
    {
      type: 'assistant',
      session_id: 's1',
      message: {
        id: 'm1',
        model: 'claude-x',
        content: [{ type: 'tool_use', id: 't1', name: 'Bash', input: { prompt: 'p' } }],
        usage: { input_tokens: 1, output_tokens: 2 },
      },
    },
    {
      type: 'user',
      session_id: 's1',
      message: { content: [{ type: 'tool_result', tool_use_id: 't1', content: 'out' }] },
    },
    { type: 'system', subtype: 'compact_boundary', session_id: 's1' },
    { type: 'user', session_id: 's1', parent_tool_use_id: 't1', message: { content: 'sub' } },
    {
      type: 'assistant',
      session_id: 's1',
      parent_tool_use_id: 't1',
      message: { id: 'm2', content: [{ type: 'text', text: 'found' }] },
    },
    { type: 'result', total_cost_usd: 0.1, duration_ms: 9, session_id: 's1' },
  ],
};

export const agentSamples: readonly AgentSample[] = [
  ...[codex, pi, gemini, geminiLines, v0, v1, langgraph, otel, sdk],
];
