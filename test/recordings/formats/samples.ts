/** One small file of each format, as JSON values, for the tests that hold for all formats. */

const usage = { input_tokens: 90, output_tokens: 5, total_tokens: 95, input_tokens_cache_read: 40 };

const tauRun = {
  task_id: 3,
  trial: 1,
  reward: 1,
  info: {},
  traj: [
    { role: 'system', content: 'be kind' },
    { role: 'user', content: 'hello' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'find', arguments: '{"a":1}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', name: 'find', content: 'found it' },
    { role: 'assistant', content: 'done' },
    { role: 'user', content: 'bye' },
  ],
};

export const tau2Run = {
  info: {
    agent_info: { implementation: 'llm_agent', llm: 'gpt-x' },
    environment_info: { policy: 'Follow the rules.' },
  },
  tasks: [{ id: '7' }],
  simulations: [
    {
      id: 'sim-1',
      task_id: '7',
      trial: 2,
      reward_info: { reward: 1 },
      messages: [
        { role: 'assistant', content: 'Hi! How can I help?', tool_calls: null, turn_idx: 0 },
        { role: 'user', content: 'my order', tool_calls: null, timestamp: '2026-01-01T00:00:10Z' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'a', name: 'get', arguments: { id: 'R_1' }, requestor: 'assistant' },
            { id: 'b', name: 'get', arguments: { id: 'R_2' }, requestor: 'assistant' },
          ],
          timestamp: '2026-01-01T00:00:14Z',
          cost: 0.25,
          usage: { prompt_tokens: 50, completion_tokens: 6 },
        },
        { role: 'tool', id: 'a', content: 'one', requestor: 'assistant' },
        { role: 'tool', id: 'b', content: 'two', requestor: 'assistant' },
        { role: 'assistant', content: 'check your phone', tool_calls: null },
        {
          role: 'user',
          content: null,
          tool_calls: [{ id: 'u', name: 'toggle', arguments: {}, requestor: 'user' }],
        },
        { role: 'tool', id: 'u', content: 'toggled', requestor: 'user' },
        { role: 'user', content: 'it works', tool_calls: null },
        { role: 'assistant', content: 'good', tool_calls: null },
        { role: 'user', content: '###STOP###', tool_calls: null },
      ],
    },
  ],
};

export const intercodeRun = {
  0: {
    environment: 'shell',
    task_id: 12,
    query: 'count the files',
    turn_history: {
      thoughts: ['look first', 'send it'],
      actions: ['execute[ls]', 'submit'],
      observations: ['a.txt', ''],
      rewards: [0, 0.5],
      valid_action: [true, true],
    },
    summary: { max_reward: 0.5, turns_taken: 2 },
  },
  1: {
    query: 'nothing asked',
    turn_history: { actions: [], observations: [], rewards: [] },
    summary: { max_reward: 0 },
  },
};

export const inspectSample = {
  id: 'q1',
  epoch: 2,
  input: 'attachment://aaaa',
  target: 'yes',
  messages: [
    { role: 'user', content: 'a long question' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'k', function: 'look', arguments: { n: 1 } }],
    },
    { role: 'tool', tool_call_id: 'k', function: 'look', content: 'seen' },
    { role: 'assistant', content: 'yes' },
  ],
  scores: { match: { value: 'C', answer: 'yes' } },
  attachments: { aaaa: 'a long question', bbbb: 'seen' },
  events: [
    { event: 'span_begin', id: 's1', type: 'solver', name: 'generate' },
    {
      event: 'model',
      span_id: 's1',
      model: 'openai/gpt-x',
      timestamp: '2026-01-01T00:00:00Z',
      input: [{ role: 'user', content: 'attachment://aaaa' }],
      tools: [{ name: 'look', description: 'looks', parameters: { type: 'object' } }],
      output: {
        model: 'gpt-x-1',
        choices: [
          {
            message: {
              role: 'assistant',
              content: '',
              tool_calls: [{ id: 'k', function: 'look', arguments: { n: 1 } }],
            },
          },
        ],
        usage,
      },
    },
    {
      event: 'model',
      span_id: 's1',
      model: 'openai/gpt-x',
      timestamp: '2026-01-01T00:00:09Z',
      input: [
        { role: 'user', content: 'attachment://aaaa' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'k', function: 'look', arguments: { n: 1 } }],
        },
        { role: 'tool', tool_call_id: 'k', function: 'look', content: 'attachment://bbbb' },
      ],
      tools: [{ name: 'look', description: 'looks', parameters: { type: 'object' } }],
      output: {
        model: 'gpt-x-1',
        choices: [{ message: { role: 'assistant', content: 'yes' } }],
        usage,
      },
    },
    { event: 'span_begin', id: 's2', type: 'scorers', name: 'scorers' },
    { event: 'span_begin', id: 's3', parent_id: 's2', type: 'x', name: 'grade' },
    {
      event: 'model',
      span_id: 's3',
      model: 'openai/judge',
      input: [{ role: 'user', content: 'is it right?' }],
      output: { choices: [{ message: { role: 'assistant', content: 'GRADE: C' } }] },
    },
  ],
};

export const inspectLog = {
  version: 2,
  status: 'success',
  eval: { task: 'questions', model: 'openai/gpt-x' },
  plan: {},
  samples: [inspectSample],
};

const calls = [
  { id: 'c1', type: 'function', function: { name: 'open', arguments: '{"p":"a.py"}' } },
];

export const sweAgentRun = {
  environment: 'main',
  trajectory: [
    {
      action: 'open a.py',
      observation: 'text of a.py',
      response: 'I open it',
      thought: 'I open it',
      query: [
        { role: 'system', content: 'shell', agent: 'main' },
        { role: 'user', content: 'an example', agent: 'main', is_demo: true },
        { role: 'user', content: [{ type: 'text', text: 'fix it' }], agent: 'main' },
      ],
    },
    {
      action: 'submit',
      observation: '',
      response: 'done now',
      thought: 'done now',
      query: [
        { role: 'system', content: 'shell', agent: 'main' },
        { role: 'user', content: 'an example', agent: 'main', is_demo: true },
        { role: 'user', content: [{ type: 'text', text: 'fix it' }], agent: 'main' },
        {
          role: 'assistant',
          content: 'I open it',
          agent: 'main',
          tool_calls: calls,
          action: 'open a.py',
        },
        { role: 'tool', content: 'text of a.py', agent: 'main', tool_call_ids: ['c1'] },
      ],
    },
  ],
  history: [
    { role: 'system', content: 'shell', agent: 'main' },
    { role: 'user', content: 'an example', agent: 'main', is_demo: true },
    { role: 'user', content: [{ type: 'text', text: 'fix it' }], agent: 'main' },
    {
      role: 'assistant',
      content: 'I open it',
      agent: 'main',
      tool_calls: calls,
      action: 'open a.py',
    },
    { role: 'tool', content: 'text of a.py', agent: 'main', tool_call_ids: ['c1'] },
  ],
  info: { exit_status: 'submitted', model_stats: { instance_cost: 0.5 } },
  replay_config: JSON.stringify({ agent: { model: { name: 'claude-x' } } }),
};

export const sweAgentOldRun = {
  environment: 'main',
  trajectory: [
    {
      action: 'ls\n',
      observation: 'a.py',
      response: 'look\n```\nls\n```',
      state: '',
      thought: 'look',
    },
    { action: 'submit\n', observation: '', response: 'lost', state: '', thought: '' },
  ],
  history: [
    { role: 'system', content: 'shell', agent: 'primary' },
    { role: 'user', content: 'an example', agent: 'primary', is_demo: true },
    { role: 'assistant', content: 'an example answer', agent: 'primary', is_demo: true },
    { role: 'user', content: 'fix it', agent: 'primary' },
    {
      role: 'assistant',
      content: 'look\n```\nls\n```',
      thought: 'look',
      action: 'ls\n',
      agent: 'primary',
    },
    { role: 'user', content: 'a.py', agent: 'primary' },
    { role: 'user', content: 'a part of it', agent: 'helper' },
    { role: 'assistant', content: 'helped', agent: 'helper' },
  ],
  info: { exit_status: 'submitted' },
};

export const miniRun = {
  info: {
    exit_status: 'Submitted',
    mini_version: '1.0.0',
    model_stats: { instance_cost: 0.75 },
    config: { model: { model_name: 'claude-x' } },
  },
  messages: [
    { role: 'system', content: 'one command', timestamp: 1767225600 },
    { role: 'user', content: 'solve it', timestamp: 1767225601 },
    {
      role: 'assistant',
      content: 'THOUGHT\n```bash\nls\n```',
      timestamp: 1767225605,
      extra: {
        response: { model: 'claude-x-1', usage: { prompt_tokens: 30, completion_tokens: 4 } },
      },
    },
    {
      role: 'user',
      content: '<returncode>0</returncode>\n<output>\na\n</output>',
      timestamp: 1767225606,
    },
    { role: 'exit', content: 'the patch', extra: { exit_status: 'Submitted' } },
  ],
  trajectory_format: 'mini-swe-agent-1',
};

export const miniBareRun = [
  { role: 'system', content: 'one command' },
  { role: 'user', content: 'solve it' },
  { role: 'assistant', content: 'THOUGHT\n```mswea_bash_command\nls\n```' },
  { role: 'user', content: '<returncode>0</returncode>\n<output>\na\n</output>' },
];

export const atifRun = {
  schema_version: 'ATIF-v1.5',
  session_id: 'session-9',
  agent: {
    name: 'walker',
    model_name: 'openai/gpt-x',
    tool_definitions: [{ type: 'function', function: { name: 'walk', parameters: {} } }],
  },
  steps: [
    { step_id: 1, source: 'system', message: 'walk well' },
    { step_id: 2, source: 'user', message: 'go home', timestamp: '2026-01-01T00:00:00Z' },
    {
      step_id: 3,
      source: 'agent',
      model_name: 'gpt-x',
      message: '',
      reasoning_content: 'which way?',
      timestamp: '2026-01-01T00:00:05Z',
      tool_calls: [
        {
          tool_call_id: 't1',
          function_name: 'walk',
          arguments: { steps: 3, id: 7 },
        },
      ],
      observation: { results: [{ source_call_id: 't1', content: 'walked' }] },
      metrics: { prompt_tokens: 100, completion_tokens: 9, cached_tokens: 60, cost_usd: 0.125 },
    },
    {
      step_id: 4,
      source: 'agent',
      message: 'nearly there',
      observation: { results: [{ content: 'a dog barks' }] },
      metrics: { prompt_tokens: 120, completion_tokens: 3 },
    },
    { step_id: 5, source: 'agent', message: 'home', llm_call_count: 0 },
  ],
  final_metrics: { total_cost_usd: 0.25 },
};

export const whowhenRun = {
  history: [
    { role: 'human', content: 'how many stops?' },
    { role: 'Orchestrator (thought)', content: 'a plan' },
    { role: 'Orchestrator (-> WebSurfer)', content: 'look it up' },
    { role: 'WebSurfer', content: 'ten stops' },
    { role: 'Orchestrator (thought)', content: 'so ten' },
    { role: 'Orchestrator (termination condition)', content: 'No agent selected.' },
  ],
  question: 'how many stops?',
  ground_truth: '11',
  is_corrected: false,
  mistake_agent: 'WebSurfer',
  mistake_step: '3',
};

export const whowhenNamedRun = {
  is_correct: true,
  question_ID: 'q-1',
  system_prompt: { Coder: 'you code', Judge: 'you judge' },
  history: [
    { role: 'assistant', name: 'Coder', content: 'You are given a task.' },
    { role: 'user', name: 'Judge', content: 'please code' },
    { role: 'assistant', name: 'Coder', content: 'code' },
    { role: 'user', name: 'Computer_terminal', content: 'exitcode: 0' },
  ],
  mistake_agent: 'Coder',
};

export const clineRun = {
  version: 1,
  agent: 'lead',
  sessionId: 's-1',
  system_prompt: 'You are an agent.',
  messages: [
    {
      id: 'm1',
      role: 'user',
      ts: 1767225600000,
      content: [
        { type: 'text', text: 'change it' },
        { type: 'file', path: '/x/a.ts', content: 'const a = 1;' },
      ],
    },
    {
      id: 'm2',
      role: 'assistant',
      ts: 1767225604000,
      content: [{ type: 'tool_use', id: 'u1', name: 'read', input: { path: '/x/a.ts' } }],
      modelInfo: { id: 'anthropic/claude-x', provider: 'cline' },
      metrics: {
        inputTokens: 100,
        outputTokens: 7,
        cacheReadTokens: 60,
        cacheWriteTokens: 10,
        cost: 0.5,
      },
    },
    {
      id: 'm3',
      role: 'user',
      ts: 1767225605000,
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'u1',
          name: 'read',
          content: [{ query: '/x/a.ts', result: 'const a = 1;', success: true }],
        },
      ],
    },
    { id: 'm4', role: 'assistant', ts: 1767225609000, content: [{ type: 'text', text: 'done' }] },
  ],
};

const requestLog = [
  { provider: 'openai', body: { model: 'gpt-x', messages: [{ role: 'user', content: 'go' }] } },
];

const messageList = [
  { role: 'user', content: 'go' },
  { role: 'assistant', content: 'gone' },
];

export interface SampleFile {
  readonly format: string;
  readonly file: string;
  readonly value: unknown;
}

/** Files by format; two where a format has two kinds. */
export const sampleFiles: readonly SampleFile[] = [
  { format: 'tau-bench', file: 'results.json', value: [tauRun] },
  { format: 'tau2-bench', file: 'results.json', value: tau2Run },
  { format: 'intercode', file: 'results.json', value: intercodeRun },
  { format: 'inspect-eval', file: 'log.json', value: inspectLog },
  { format: 'inspect-eval', file: 'samples/q1_epoch_2.json', value: inspectSample },
  { format: 'swe-agent-traj', file: 'run.traj', value: sweAgentRun },
  { format: 'swe-agent-traj', file: 'old.traj', value: sweAgentOldRun },
  { format: 'mini-swe-agent', file: 'run.traj.json', value: miniRun },
  { format: 'mini-swe-agent', file: 'bare.traj.json', value: miniBareRun },
  { format: 'atif', file: 'trajectory.json', value: atifRun },
  { format: 'whowhen-multiagent', file: 'run.json', value: whowhenRun },
  { format: 'whowhen-multiagent', file: 'named.json', value: whowhenNamedRun },
  { format: 'cline-messages', file: 'session.json', value: clineRun },
  { format: 'llm-request-log', file: 'log.json', value: requestLog },
  { format: 'messages', file: 'list.json', value: messageList },
];
