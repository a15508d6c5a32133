import { z } from 'zod';
import { HarnessError, messageOf } from '../errors.ts';
import { MessageTable } from '../transcript/intern.ts';
import type { Message } from '../transcript/message.ts';
import type { Envelope, Request, Transcript } from '../transcript/transcript.ts';
import { dialectOf } from '../wire/catalog.ts';

const tokens = z.number();

const envelope = z.object({
  head: z.string(),
  separator: z.string(),
  gaps: z.array(z.string()).optional(),
  tail: z.string(),
  system: z.string().optional(),
  tools: z.string().optional(),
});

const usage = z.object({
  inputTokens: tokens.optional(),
  outputTokens: tokens.optional(),
  cacheReadTokens: tokens.optional(),
  cacheWriteTokens: tokens.optional(),
  cacheWrite1hTokens: tokens.optional(),
});

const request = z.object({
  segment: z.int(),
  /** Leading messages of the request before it that it keeps. */
  kept: z.int().min(0),
  /** Numbers of the messages that follow them. */
  added: z.array(z.int().min(0)),
  action: z.int().min(0).optional(),
  envelope: z.int().min(0).optional(),
  model: z.string().optional(),
  time: z.number().optional(),
  usage: usage.optional(),
  cost: z.number().optional(),
});

const content = z.object({
  task: z.string(),
  trial: z.string(),
  lineage: z.string(),
  source: z.object({ file: z.string(), format: z.string(), session: z.string() }),
  dialect: z.enum(['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'bedrock']),
  agent: z.string().optional(),
  model: z.string().optional(),
  reward: z.number().optional(),
  cost: z.number().optional(),
  retries: z.int(),
  hash: z.string(),
  /** Exact text of each distinct message. */
  messages: z.array(z.string()),
  envelopes: z.array(envelope),
  requests: z.array(request),
});

type Content = z.output<typeof content>;

/**
 * A transcript as JSON, each distinct message and envelope once: what another process needs to replay it.
 * `transcriptOf` gives the same transcript back.
 */
export function transcriptText(transcript: Transcript): string {
  const messages = new Numbers<Message>();
  const envelopes = new Numbers<Envelope>();
  let before: readonly Message[] = [];
  const requests = transcript.requests.map((one): Content['requests'][number] => {
    const { messages: list, action, envelope: around, ...facts } = one;
    let kept = 0;
    while (kept < list.length && list[kept] === before[kept]) kept++;
    before = list;
    return {
      kept,
      added: list.slice(kept).map((message) => messages.of(message)),
      ...(action === undefined ? {} : { action: messages.of(action) }),
      ...(around === undefined ? {} : { envelope: envelopes.of(around) }),
      ...facts,
    };
  });
  const { requests: _, ...labels } = transcript;
  return JSON.stringify({
    ...labels,
    messages: messages.all.map(({ raw }) => raw),
    envelopes: envelopes.all,
    requests,
  });
}

/** Throws HarnessError `input.schema` for a text that `transcriptText` did not write. */
export function transcriptOf(text: string): Transcript {
  const read = parse(text);
  const dialect = dialectOf(read.dialect);
  const table = new MessageTable();
  const all = read.messages.map((raw) => dialect.parseMessage(raw, table));
  const envelopes = read.envelopes.map(withoutUndefined);
  let before: readonly Message[] = [];
  const requests = read.requests.map((one): Request => {
    const { kept, added, action, envelope: around, ...facts } = one;
    const messages = [...before.slice(0, kept), ...added.map((number) => at(all, number))];
    before = messages;
    return withoutUndefined({
      ...withoutUndefined(facts),
      messages,
      action: action === undefined ? undefined : at(all, action),
      envelope: around === undefined ? undefined : at(envelopes, around),
      usage: facts.usage === undefined ? undefined : withoutUndefined(facts.usage),
    });
  });
  const { messages: _, envelopes: __, ...labels } = read;
  return withoutUndefined({ ...labels, requests });
}

function parse(text: string): Content {
  try {
    return content.parse(JSON.parse(text));
  } catch (cause) {
    const message = `not a transcript as a sweep sends it: ${messageOf(cause)}`;
    throw new HarnessError('input.schema', message, { cause });
  }
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found !== undefined) return found;
  const message = `not a transcript as a sweep sends it: it has ${list.length} parts and names the ${index + 1}th`;
  throw new HarnessError('input.schema', message);
}

/** Numbers things in the order in which they first come. */
class Numbers<T> {
  readonly #numbers = new Map<T, number>();

  of(thing: T): number {
    const known = this.#numbers.get(thing);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(thing, number);
    return number;
  }

  get all(): readonly T[] {
    return [...this.#numbers.keys()];
  }
}

/** What `undefined` may stand in as well as not be there at all. */
type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function withoutUndefined<T extends object>(value: T): Defined<T>;
function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
}
