import { Random } from './random.ts';
import { type SessionShape, sessionLines } from './session.ts';
import { outputLine, sentence, vocabulary } from './words.ts';

interface SessionRecord {
  readonly type: string;
  readonly subtype?: string;
  readonly timestamp: string;
  readonly message?: { readonly role: string; readonly content: unknown };
}

/**
 * The session as a proxy logs it: a line holds the whole body of a request, which repeats that of the one before
 * and adds a little, and the answer to it.
 */
export function* requestLogLines(shape: SessionShape): Generator<string> {
  const random = new Random(shape.seed + 1);
  const known = vocabulary(random);
  const system = Array.from({ length: 100 }, () => sentence(random, known)).join(' ');
  const tools = ['Read', 'Bash', 'Edit', 'Grep'].map((name) => ({
    name,
    description: Array.from({ length: 12 }, () => sentence(random, known)).join(' '),
    input_schema: { type: 'object', properties: { file_path: { type: 'string' } } },
  }));
  const around = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 32_000, system, tools });
  let messages: string[] = [];
  for (const line of sessionLines(shape)) {
    const { subtype, timestamp, message }: SessionRecord = JSON.parse(line);
    if (subtype === 'compact_boundary') messages = [];
    if (message === undefined) continue;
    const { role, content } = message;
    const text = JSON.stringify({ role, content });
    if (role === 'assistant') {
      const body = `${around.slice(0, -1)},"messages":[${messages.join(',')}]}`;
      const response = JSON.stringify({ type: 'message', ...message });
      yield `{"timestamp":"${timestamp}","provider":"anthropic","body":${body},"response":${response}}`;
    }
    messages.push(text);
  }
}

/** What `manyTranscripts` writes: transcripts of about this many bytes each. */
export interface ManyShape {
  readonly seed: number;
  readonly transcripts: number;
  readonly bytes: number;
}

/** 1 GB of short sessions. */
export const HUGE_FILE: ManyShape = { seed: 7, transcripts: 10_000, bytes: 100_000 };

/** Enough of them that the start of a thread, and what its compiler and its caches take at first, count little. */
export const MANY_TRANSCRIPTS: ManyShape = { seed: 8, transcripts: 3000, bytes: 100_000 };

/** Lines that the tools of `manyTranscripts` answer with. */
const LINES = 4000;
/** Bytes of one of their answers, about. */
const ANSWER_BYTES = 4000;

/** Transcripts one after the other, as `import` writes them. */
export function* manyTranscripts({ seed, transcripts, bytes }: ManyShape): Generator<string> {
  const random = new Random(seed);
  const known = vocabulary(random);
  const several = (make: () => string): [string, ...string[]] => [
    make(),
    ...Array.from({ length: LINES }, make),
  ];
  const lines = several(() => outputLine(random, known));
  const told = several(() => sentence(random, known));
  for (let number = 0; number < transcripts; number++) {
    const messages: object[] = [
      { role: 'system', content: 'You are careful.' },
      { role: 'user', content: `Task ${number}: ${random.pick(told)}` },
    ];
    const requests: object[] = [];
    let sent = 0;
    for (let turn = 0; turn * ANSWER_BYTES < bytes; turn++) {
      const add = Array.from({ length: messages.length - sent }, (_, index) => sent + index);
      requests.push({ type: 'request', segment: 0, keep: sent, add, action: messages.length });
      sent = messages.length;
      const id = `call_${turn}`;
      const path = `${random.pick(known.files)}`;
      const call = { name: 'read_file', arguments: JSON.stringify({ path }) };
      messages.push({
        role: 'assistant',
        content: random.pick(told),
        tool_calls: [{ id, type: 'function', function: call }],
      });
      const answer: string[] = [];
      for (let length = 0; length < ANSWER_BYTES; ) {
        const line = `${random.pick(lines)} ${random.below(1e6)}`;
        answer.push(line);
        length += line.length;
      }
      messages.push({ role: 'tool', tool_call_id: id, content: answer.join('\n') });
    }
    yield JSON.stringify({
      type: 'transcript',
      format: 'compaction-harness',
      version: 1,
      dialect: 'openai-chat',
      task: `task-${number}`,
      trial: '0',
      lineage: 'main',
      reward: number % 2,
      retries: 0,
      source: { file: 'made', format: 'made', session: `session-${number}` },
    });
    for (const message of messages) {
      yield JSON.stringify({ type: 'message', raw: JSON.stringify(message) });
    }
    for (const request of requests) yield JSON.stringify(request);
    yield JSON.stringify({ type: 'end', requests: requests.length });
  }
}
