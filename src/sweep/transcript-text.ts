import { z } from 'zod';
import { HarnessError, messageOf } from '../errors.ts';
import { sharedStart } from '../transcript/growing-lists.ts';
import { MessageTable } from '../transcript/intern.ts';
import { requestOfView } from '../transcript/list-views.ts';
import type { Identity, Message } from '../transcript/message.ts';
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

/** A transcript as plain data, each distinct message and envelope once: what another thread needs to replay it. */
export type TranscriptParts = Omit<Content, 'messages'> & { readonly messages: readonly Message[] };

/**
 * A transcript as JSON: what another process needs to replay it. `transcriptOf` gives the same transcript back.
 */
export function transcriptText(transcript: Transcript): string {
  const parts = transcriptParts(transcript);
  return JSON.stringify({ ...parts, messages: parts.messages.map(({ raw }) => raw) });
}

/** `transcriptOfParts` gives the same transcript back. What was computed of its messages stays here. */
export function transcriptParts(transcript: Transcript): TranscriptParts {
  const messages = new Numbers<Message>();
  const envelopes = new Numbers<Envelope>();
  let before: readonly Message[] = [];
  const requests = transcript.requests.map((one): Content['requests'][number] => {
    const { messages: list, action, envelope: around, ...facts } = one;
    const kept = sharedStart(before, list);
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
  return {
    ...labels,
    source: { ...transcript.source },
    messages: withoutMemos(messages.all),
    envelopes: envelopes.all.map(({ gaps, ...rest }) => ({
      ...rest,
      ...(gaps === undefined ? {} : { gaps: [...gaps] }),
    })),
    requests,
  };
}

/** Messages that share an identity still do. */
function withoutMemos(messages: readonly Message[]): readonly Message[] {
  const bare = new Map<Identity, Identity>();
  return messages.map((message) => {
    const { identity } = message;
    let own = bare.get(identity);
    if (own === undefined) {
      own = { hash: identity.hash, memo: new Map() };
      bare.set(identity, own);
    }
    return { ...message, identity: own };
  });
}

/** Throws HarnessError `input.schema` for a text that `transcriptText` did not write. */
export function transcriptOf(text: string): Transcript {
  const { messages: raws, ...rest } = parse(text);
  const dialect = dialectOf(rest.dialect);
  const table = new MessageTable();
  const messages = raws.map((raw) => dialect.parseMessage(raw, table));
  return transcriptOfParts({ ...rest, messages });
}

export function transcriptOfParts(parts: TranscriptParts): Transcript {
  const { messages: all, envelopes: around, requests: sent, ...labels } = parts;
  const envelopes = around.map(withoutUndefined);
  const isShort = listedItems(sent) <= SHORT_LISTS;
  let list: Message[] = [];
  const requests = sent.map((one): Request => {
    const { kept, added } = one;
    // Lists that only grow are one array.
    if (kept < list.length) list = list.slice(0, kept);
    for (const place of added) list.push(at(all, place));
    const facts = factsOf(one, all, envelopes);
    return isShort ? { ...facts, messages: [...list] } : requestOfView(list, list.length, facts);
  });
  return withoutUndefined({ ...labels, requests });
}

/** Items of all lists of a transcript up to which each is an array of its own, which is faster to go through. */
const SHORT_LISTS = 1 << 16;

function listedItems(requests: Content['requests']): number {
  let length = 0;
  let items = 0;
  for (const { kept, added } of requests) {
    length = Math.min(kept, length) + added.length;
    items += length;
  }
  return items;
}

/** Spelled out: it is done for every request of a run, and objects of one shape are faster to read. */
function factsOf(
  request: Content['requests'][number],
  messages: readonly Message[],
  envelopes: readonly Envelope[],
): Omit<Request, 'messages'> {
  const { segment, action, envelope: number, model, time, usage: used, cost } = request;
  return {
    segment,
    ...(number === undefined ? {} : { envelope: at(envelopes, number) }),
    ...(action === undefined ? {} : { action: at(messages, action) }),
    ...(model === undefined ? {} : { model }),
    ...(time === undefined ? {} : { time }),
    ...(used === undefined ? {} : { usage: withoutUndefined(used) }),
    ...(cost === undefined ? {} : { cost }),
  };
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
