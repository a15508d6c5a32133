/** Reads the recorded fixtures with schemas of its own, so that no code under test describes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const record = z.record(z.string(), z.unknown());

const block = z.looseObject({ type: z.string() });
type Block = z.infer<typeof block>;

const message = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(block), z.null()]),
  tool_calls: z
    .array(
      z.object({
        id: z.string(),
        type: z.literal('function'),
        function: z.object({ name: z.string(), arguments: z.string() }),
      }),
    )
    .min(1)
    .optional(),
  tool_call_id: z.string().optional(),
});
export type CapturedMessage = z.infer<typeof message>;

const capture = z.strictObject({
  provider: z.enum(['anthropic', 'openai']),
  session: z.string(),
  task: z.string(),
  agent: z.literal('scripted-agent'),
  model: z.string(),
  body: z.looseObject({
    model: z.string(),
    system: z.unknown().optional(),
    tools: z.array(record),
    messages: z.array(message),
  }),
  response: z.looseObject({
    role: z.literal('assistant').optional(),
    content: z.array(block).optional(),
    choices: z.array(z.looseObject({ message })).optional(),
  }),
  reward: z.union([z.literal(0), z.literal(1)]).optional(),
});
export type Capture = z.infer<typeof capture>;

interface CapturedSession {
  readonly file: string;
  readonly text: string;
  readonly captures: readonly Capture[];
  readonly last: Capture;
  /** Messages of the last request. */
  readonly messages: readonly CapturedMessage[];
}

/** Every `*.jsonl` of a folder, in the order of names. */
export function readSessions(folder: string): readonly CapturedSession[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const captures = text
        .trimEnd()
        .split('\n')
        .map((line) => capture.parse(JSON.parse(line)));
      const last = captures.at(-1);
      if (last === undefined) throw new Error(`${file} has no line`);
      return { file, text, captures, last, messages: last.body.messages };
    });
}

/** The message without cache marks, a string content as one text block. */
export function canonical(one: CapturedMessage): unknown {
  const { content, ...rest } = one;
  return { ...rest, content: blocksOf(one).map(({ cache_control: _, ...kept }) => kept) };
}

/** The blocks of a message; a string is one text block. */
export function blocksOf({ content }: CapturedMessage): readonly Block[] {
  if (content === null) return [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** The assistant message that a capture's response holds. */
export function responseMessage({ response }: Capture): CapturedMessage {
  const choice = response.choices?.[0]?.message;
  return choice ?? message.parse({ role: 'assistant', content: response.content });
}

interface CapturedCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

/** Tool calls of one message, in either dialect. */
export function callsOf(one: CapturedMessage): readonly CapturedCall[] {
  const uses = blocksOf(one).flatMap((entry) =>
    entry.type === 'tool_use'
      ? [
          {
            id: z.string().parse(entry.id),
            name: z.string().parse(entry.name),
            argumentsText: JSON.stringify(entry.input),
          },
        ]
      : [],
  );
  const chat = (one.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
    id,
    name,
    argumentsText: text,
  }));
  return [...uses, ...chat];
}

interface CapturedResult {
  readonly id: string;
  readonly text: string;
  readonly failed: boolean;
  readonly images: number;
}

/** Tool results of one message, in either dialect. */
export function resultsOf(one: CapturedMessage): readonly CapturedResult[] {
  if (one.role === 'tool') {
    const text = z.string().parse(one.content);
    return [{ id: z.string().parse(one.tool_call_id), text, failed: false, images: 0 }];
  }
  return blocksOf(one).flatMap((entry) => {
    if (entry.type !== 'tool_result') return [];
    const content = z.union([z.string(), z.array(block)]).parse(entry.content);
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const text = parts.map((part) => ('text' in part ? String(part.text) : '')).join('');
    return [
      {
        id: z.string().parse(entry.tool_use_id),
        text,
        failed: entry.is_error === true,
        images: parts.filter(({ type }) => type === 'image').length,
      },
    ];
  });
}

/** Everything of a message that a model reads as text: texts, thinking, calls and results. */
export function textsOf(one: CapturedMessage): readonly string[] {
  const results = resultsOf(one).map(({ text }) => text);
  const plain =
    one.role === 'tool'
      ? []
      : blocksOf(one).flatMap((entry) => {
          if (entry.type === 'text') return [String(entry.text)];
          return entry.type === 'thinking' ? [String(entry.thinking)] : [];
        });
  const calls = callsOf(one).flatMap(({ name, argumentsText }) => [name, argumentsText]);
  return [...plain, ...calls, ...results];
}

/**
 * What would make the list unsendable: a subset of the shape rules, written apart from `src/shape`.
 * Pairing and placement of system messages, in either dialect.
 */
export function unsendable(
  provider: Capture['provider'],
  messages: readonly CapturedMessage[],
): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  messages.forEach((one, index) => {
    const results = resultsOf(one).map(({ id }) => id);
    for (const id of results) {
      if (open.includes(id)) open = open.filter((pending) => pending !== id);
      else problems.push(`${index}: result of no pending call`);
    }
    if (results.length === 0 && open.length > 0) problems.push(`${index}: call without its result`);
    if (provider === 'anthropic') {
      if (open.length > 0 && results.length > 0) problems.push(`${index}: not all results at once`);
      if (one.role === 'system') {
        if (messages[index - 1]?.role !== 'user')
          problems.push(`${index}: system not after a user`);
        const next = messages[index + 1];
        if (next !== undefined && next.role !== 'assistant') {
          problems.push(`${index}: system not before an assistant`);
        }
      }
    }
    for (const entry of blocksOf(one)) {
      if (entry.type === 'text' && String(entry.text).trim() === '') {
        problems.push(`${index}: blank text`);
      }
    }
    for (const { id } of callsOf(one)) {
      if (seen.has(id)) problems.push(`${index}: call id occurs twice`);
      seen.add(id);
      open.push(id);
    }
  });
  if (open.length > 0) problems.push('a call at the end is unanswered');
  if (provider === 'anthropic' && messages.at(-1)?.role === 'assistant') {
    problems.push('the list ends in an assistant turn');
  }
  return problems;
}
