import { z } from 'zod';
import { HarnessError, messageOf } from '../errors.ts';
import { judgeDialect } from '../recordings/dialects.ts';
import type { DialectName, Message } from '../transcript/message.ts';
import {
  type CompactionRequest,
  type Context,
  defineComponent,
  type Outcome,
} from './component.ts';
import type { ExternalTarget } from './external-call.ts';
import { requestGate, trigger } from './trigger.ts';

const SECONDS = 1000;
const LONGEST_TIMEOUT = 600;

const dialectNames = ['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'bedrock'] as const;

const externalConfig = z
  .strictObject({
    command: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'a text or a list of texts')
      .optional()
      .describe('A program and its arguments; one text is read by `sh -c`. Either this or `url`.'),
    url: z
      .string()
      .refine(isEndpoint, 'an http or https URL without credentials')
      .optional()
      .describe(
        'An endpoint that takes the body by POST; `{provider}` and `{dialect}` are filled in.',
      ),
    timeout: z
      .number()
      .positive()
      .max(LONGEST_TIMEOUT)
      .default(30)
      .describe('Longest wait for a reply, in seconds.'),
    dialect: z
      .enum(dialectNames)
      .optional()
      .describe(
        'The only wire that it reads: requests of another are skipped. Absent: every wire.',
      ),
    env: z
      .array(z.string().min(1))
      .default([])
      .describe('Names of environment variables that the command may read.'),
    trigger,
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    message: 'exactly one of command and url',
  });

type ExternalConfig = z.output<typeof externalConfig>;

function isEndpoint(text: string): boolean {
  const filled = text.replaceAll(/\{(?:provider|dialect)\}/g, 'x');
  if (!URL.canParse(filled)) return false;
  const { protocol, username, password } = new URL(filled);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** What a provider is called in the addresses of gateways. */
const PROVIDERS: Readonly<Record<DialectName, string>> = {
  anthropic: 'anthropic',
  'openai-chat': 'openai',
  'openai-responses': 'openai-responses',
  gemini: 'gemini',
  bedrock: 'bedrock',
};

/** Failures in a row after which it is not asked again in this lineage: each may cost the whole limit. */
const MOST_FAILURES = 3;

/**
 * Somebody else's compactor: it gets the request body as it would be sent, and replies a whole body, of which
 * the message list is taken. Messages that it left alone are mapped back to the recorded ones, byte for
 * byte. What it dropped cannot be got back.
 */
export const external = defineComponent<ExternalConfig>({
  name: 'external',
  kind: 'offload',
  about: 'Asks a program or an HTTP endpoint of your own to rewrite the request body.',
  version: 1,
  timeLimit: (LONGEST_TIMEOUT + 5) * SECONDS,
  stashes: false,
  config: externalConfig,
  compact,
});

async function compact(
  { messages, tokens }: CompactionRequest,
  config: ExternalConfig,
  context: Context,
): Promise<Outcome> {
  const { dialect, contextWindow, callExternal, envelope, signal } = context;
  if (config.dialect !== undefined && config.dialect !== dialect.name) {
    return { kind: 'skipped', gate: 'dialect' };
  }
  const gate = requestGate(config.trigger, { tokens, messages: messages.length, contextWindow });
  if (gate !== undefined) return { kind: 'skipped', gate };
  if (callExternal === undefined) return { kind: 'skipped', gate: 'no_external_calls' };
  const failures = context.attempt.get();
  if (typeof failures === 'number' && failures >= MOST_FAILURES) {
    return { kind: 'skipped', gate: 'failed_before' };
  }
  const reply = await callExternal(
    targetOf(config, dialect.name),
    dialect.encode(messages, envelope),
    { milliseconds: config.timeout * SECONDS, signal },
  );
  if (reply.kind === 'failed') {
    context.attempt.set((typeof failures === 'number' ? failures : 0) + 1);
    return refused(reply.reason, reply.detail);
  }
  context.attempt.set(0);
  const read = readReply(reply.body, context);
  if (read.kind === 'unreadable') return refused('reply', read.detail);
  const rewritten = withOriginals(read.messages, messages);
  if (isSameList(rewritten, messages)) return { kind: 'skipped', gate: 'unchanged' };
  return { kind: 'changed', messages: rewritten, stashed: [], irreversible: true };
}

function refused(reason: string, detail: string): Outcome {
  return { kind: 'refused', reason: `external:${reason}`, detail };
}

function targetOf({ command, url, env }: ExternalConfig, dialect: DialectName): ExternalTarget {
  if (url !== undefined) {
    const filled = url
      .replaceAll('{provider}', encodeURIComponent(PROVIDERS[dialect]))
      .replaceAll('{dialect}', encodeURIComponent(dialect));
    return { kind: 'url', url: filled };
  }
  const words = typeof command === 'string' ? ['/bin/sh', '-c', command] : (command ?? []);
  return { kind: 'command', words, variables: env };
}

type Reading =
  | { readonly kind: 'list'; readonly messages: readonly Message[] }
  | { readonly kind: 'unreadable'; readonly detail: string };

function readReply(body: string, { dialect, table }: Context): Reading {
  try {
    const { messages } = dialect.parse(body, table);
    if (messages.length === 0) return { kind: 'unreadable', detail: 'the list is empty' };
    const judged = judgeDialect(JSON.parse(body));
    if (judged?.certain === true && judged.dialect !== dialect.name) {
      const detail = `a body of ${judged.dialect}, expected one of ${dialect.name}`;
      return { kind: 'unreadable', detail };
    }
    return { kind: 'list', messages };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { kind: 'unreadable', detail: messageOf(error) };
  }
}

/** The same list with the recorded objects where a message is the same, by its bytes or canonically. */
function withOriginals(
  list: readonly Message[],
  originals: readonly Message[],
): readonly Message[] {
  const byBytes = new Map(originals.map((message) => [message.raw, message]));
  const byIdentity = new Map(originals.map((message) => [message.identity.hash, message]));
  return list.map(
    (message) => byBytes.get(message.raw) ?? byIdentity.get(message.identity.hash) ?? message,
  );
}

function isSameList(list: readonly Message[], other: readonly Message[]): boolean {
  return list.length === other.length && list.every((message, index) => message === other[index]);
}
