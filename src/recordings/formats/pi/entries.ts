import { z } from 'zod';
import type { Block, DialectName, Role } from '../../../transcript/message.ts';
import type { Usage } from '../../../transcript/transcript.ts';
import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';
import { contentBlocks, toolCall, toolResult } from '../../content-parts.ts';
import { readTime } from '../../responses.ts';
import { schemaError } from '../../schema.ts';

const entrySchema = z.looseObject({
  type: z.string(),
  id: z.string().nullish(),
  parentId: z.string().nullish(),
  timestamp: z.union([z.string(), z.number()]).nullish(),
  message: z.looseObject({ role: z.string(), content: z.unknown().optional() }).optional(),
  summary: z.string().nullish(),
  firstKeptEntryIndex: z.number().nullish(),
  firstKeptEntryId: z.string().nullish(),
});
type ParsedEntry = z.infer<typeof entrySchema>;

/** What an entry adds to the list. */
type Said =
  | { readonly kind: 'turn'; readonly role: Role; readonly blocks: readonly Block[] }
  | {
      readonly kind: 'answer';
      readonly blocks: readonly Block[];
      readonly model: string | undefined;
      readonly usage: Usage | undefined;
      /** USD. */
      readonly cost: number | undefined;
      /** Ended by the person or by an error, before it was whole. */
      readonly isCut: boolean;
    }
  | { readonly kind: 'compaction'; readonly summary: string; readonly keeps: Keeps }
  /** Nothing; `why` says what the entry is for. */
  | { readonly kind: 'none'; readonly why: string };

/** The first entry that a compaction keeps: by position in the file, or by id. */
export interface Keeps {
  readonly index: number | undefined;
  readonly id: string | undefined;
}

export interface Entry {
  readonly type: string;
  readonly id: string | undefined;
  readonly parent: string | undefined;
  readonly time: number | undefined;
  readonly said: Said;
  readonly value: JsonObject;
}

const ABOUT = 'an entry {type, id, timestamp, message: {role, content}}';

/** Reads one entry. @throws HarnessError `input.schema`, or a SyntaxError. */
export function readEntry(text: string): Entry {
  const value: unknown = JSON.parse(text);
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, ABOUT, value);
  const entry = parsed.data;
  return {
    type: entry.type,
    id: entry.id ?? undefined,
    parent: entry.parentId ?? undefined,
    time: readTime(entry.timestamp) ?? readTime(entry.message?.timestamp),
    said: saidBy(entry),
    value: entry,
  };
}

function saidBy(entry: ParsedEntry): Said {
  switch (entry.type) {
    case 'message':
      return entry.message === undefined
        ? { kind: 'none', why: 'message without content' }
        : saidInMessage(entry.message);
    case 'compaction': {
      const keeps = {
        index: entry.firstKeptEntryIndex ?? undefined,
        id: entry.firstKeptEntryId ?? undefined,
      };
      return { kind: 'compaction', summary: entry.summary ?? '', keeps };
    }
    case 'branch_summary':
      return user(`Summary of a branch that was left:\n${entry.summary ?? ''}`);
    case 'custom_message':
      return { kind: 'turn', role: 'user', blocks: contentBlocks(entry.content) };
    default:
      return KNOWN.has(entry.type)
        ? { kind: 'none', why: '' }
        : { kind: 'none', why: `unknown entry "${entry.type}"` };
  }
}

/** Entries that change settings or say something of the session. */
const KNOWN = new Set([
  'session',
  'model_change',
  'thinking_level_change',
  'session_info',
  'label',
]);

function user(text: string): Said {
  return { kind: 'turn', role: 'user', blocks: [{ kind: 'text', text }] };
}

function saidInMessage(message: JsonObject & { readonly role: string }): Said {
  switch (message.role) {
    case 'user':
    case 'custom':
    case 'hookMessage':
      return { kind: 'turn', role: 'user', blocks: contentBlocks(message.content) };
    case 'assistant':
      return readAnswer(message);
    case 'toolResult': {
      const isError = message.isError === true;
      const result = toolResult(wireId(stringOf(message.toolCallId)), message.content, isError);
      return { kind: 'turn', role: 'tool', blocks: [result] };
    }
    case 'bashExecution':
      return message.excludeFromContext === true
        ? { kind: 'none', why: 'command of the person, kept from the model' }
        : user(shellText(message));
    case 'branchSummary':
    case 'compactionSummary':
      return user(`Summary of earlier work:\n${stringOf(message.summary)}`);
    default:
      return { kind: 'none', why: `unknown role "${message.role}"` };
  }
}

/** A command that the person ran, and its output. */
function shellText(message: JsonObject): string {
  const { exitCode: code } = message;
  const output = stringOf(message.output);
  const end =
    message.cancelled === true
      ? '\n(cancelled)'
      : typeof code === 'number' && code !== 0
        ? `\n(exit code ${code})`
        : '';
  return `$ ${stringOf(message.command)}\n${output}${end}`;
}

function readAnswer(message: JsonObject): Said {
  const parts: readonly unknown[] = Array.isArray(message.content)
    ? message.content
    : contentOf(message.content);
  const stop = stringOf(message.stopReason);
  return {
    kind: 'answer',
    blocks: parts.filter(isObject).flatMap((part) => answerBlocks(part, message)),
    model: typeof message.model === 'string' ? message.model : undefined,
    usage: readUsage(message.usage),
    cost: readCost(message.usage),
    isCut: stop === 'aborted' || stop === 'error',
  };
}

function contentOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : [];
}

function answerBlocks(part: JsonObject, message: JsonObject): readonly Block[] {
  if (part.type === 'toolCall') {
    return [toolCall(wireId(stringOf(part.id)), stringOf(part.name), part.arguments)];
  }
  if (part.type !== 'thinking') return contentBlocks([part]);
  const signature = stringOf(part.thinkingSignature);
  const text = stringOf(part.thinking);
  if (signature === '') return [];
  return [{ kind: 'thinking', text, signature, raw: wireThinking(text, signature, message) }];
}

/** Thinking as the provider spelled it: on Responses the signature is the whole item. */
function wireThinking(text: string, signature: string, message: JsonObject): string {
  const dialect = dialectOfApi(stringOf(message.api));
  if (dialect === 'openai-responses' && signature.startsWith('{')) return signature;
  return JSON.stringify({ type: 'thinking', thinking: text, signature });
}

/** Ids of Responses calls are recorded with that of their item behind a bar. */
function wireId(id: string): string {
  return id.split('|')[0] ?? id;
}

function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { input, output, cacheRead, cacheWrite } = value;
  const usage: Usage = {
    ...(typeof input === 'number' ? { inputTokens: input } : {}),
    ...(typeof output === 'number' ? { outputTokens: output } : {}),
    ...(typeof cacheRead === 'number' ? { cacheReadTokens: cacheRead } : {}),
    ...(typeof cacheWrite === 'number' ? { cacheWriteTokens: cacheWrite } : {}),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

function readCost(usage: unknown): number | undefined {
  const cost = isObject(usage) && isObject(usage.cost) ? usage.cost.total : undefined;
  return typeof cost === 'number' ? cost : undefined;
}

/** The wire behind the client's name of a provider's API. */
export function dialectOfApi(api: string): DialectName | undefined {
  if (api === '') return undefined;
  if (api.startsWith('anthropic')) return 'anthropic';
  if (api.startsWith('bedrock')) return 'bedrock';
  if (api.startsWith('google')) return 'gemini';
  return api.includes('responses') ? 'openai-responses' : 'openai-chat';
}
