import { basename, dirname } from 'node:path';
import { largestOf } from '../../text/long-lists.ts';
import type { MessageTable } from '../../transcript/intern.ts';
import type { Message } from '../../transcript/message.ts';
import type { Request, Transcript, Usage } from '../../transcript/transcript.ts';
import { gemini } from '../../wire/gemini.ts';
import { isObject } from '../../wire/json-object.ts';
import { stringOf } from '../../wire/parts.ts';
import { factsOf } from '../conversation.ts';
import type { Document } from '../document.ts';
import { byNaturalOrder, type FoundFile } from '../paths.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { Fates, merged, skipped } from './fates.ts';
import type { Format, ReadContext } from './format.ts';
import { type Chat, type ChatCall, type ChatMessage, readChat } from './gemini-cli/records.ts';

const NAME = 'gemini-cli-chat';

/**
 * Chats of a coding agent that speaks gemini: one object with the messages, or a line for each. Results
 * stand inside the call that they answer. Thoughts are not sent again, and the system prompt is not
 * recorded.
 */
export const geminiCliChat: Format = {
  name: NAME,
  about: '{sessionId, projectHash, messages: [{type: user | gemini | info, content}]}',

  detect: ({ sample }) => sample.some(isChat),

  groupKeys: ({ sample, file }) =>
    sample
      .filter(isObject)
      .flatMap((value) => [
        ...(typeof value.sessionId === 'string' ? [value.sessionId] : []),
        ...(value.kind === AGENT ? [parentFolder(file)] : []),
      ]),

  read(documents, context) {
    const ordered = [...documents].sort((a, b) => byNaturalOrder(a.file.path, b.file.path));
    const files = ordered.map((document) => readFile(document, context));
    const seen = new Map<string, ChatFile>();
    // Of snapshots of one chat the longest has them all.
    const longestFirst = [...files].sort((a, b) => b.chat.messages.length - a.chat.messages.length);
    for (const file of longestFirst) {
      const known = seen.get(file.session);
      if (known === undefined || !isPartOf(file.chat, known.chat)) seen.set(file.session, file);
      else {
        file.isCopy = true;
        file.fates.revise(0, file.fates.next, merged('part of a longer chat of the same session'));
      }
    }
    const transcripts = named(
      files.filter((file) => !file.isCopy),
      context.table,
    );
    for (const { path, fates } of files) fates.tell(path, context.loss);
    return transcripts;
  },
};

function isChat(value: unknown): boolean {
  if (!isObject(value) || typeof value.sessionId !== 'string') return false;
  if (typeof value.projectHash !== 'string' && !Array.isArray(value.messages)) return false;
  return !Array.isArray(value.messages) || value.messages.every(isChatMessage);
}

function isChatMessage(value: unknown): boolean {
  return isObject(value) && typeof value.type === 'string' && !('role' in value);
}

/** What a chat calls itself that another session started. */
const AGENT = 'subagent';

/** Chats of sub-agents stand in a folder that is named by the session they work for. */
function parentFolder(file: FoundFile): string {
  return basename(dirname(file.absolute));
}

interface ChatFile {
  readonly path: string;
  readonly session: string;
  /** Session that a sub-agent's chat works for. */
  readonly parent: string | undefined;
  readonly chat: Chat;
  readonly fates: Fates;
  isCopy: boolean;
}

function readFile(document: Document, context: ReadContext): ChatFile {
  const fates = new Fates();
  const { path } = document.file;
  const chat = readChat(document, context, fates);
  const isAgent = chat.facts.kind === AGENT;
  return {
    path,
    session: stringOf(chat.facts.sessionId) || path,
    parent: isAgent ? parentFolder(document.file) : undefined,
    chat,
    fates,
    isCopy: false,
  };
}

function isPartOf(chat: Chat, other: Chat): boolean {
  const ids = new Set(other.messages.map(({ id }) => id));
  return chat.messages.every(({ id }) => id !== undefined && ids.has(id));
}

function named(files: readonly ChatFile[], table: MessageTable): readonly Transcript[] {
  const mains = new Map<string, ChatFile>();
  for (const file of files) {
    if (file.parent === undefined && !mains.has(file.session)) mains.set(file.session, file);
  }
  const counts = new Map<string, number>();
  return files.flatMap((file) => {
    const requests = requestsOf(file, table);
    if (requests.length === 0) return [];
    const root = file.parent === undefined ? undefined : mains.get(file.parent);
    const key = `${root?.session ?? file.session} ${root === undefined ? '' : 'agent'}`;
    const number = (counts.get(key) ?? 0) + 1;
    counts.set(key, number);
    const conversation = number === 1 ? 'main' : `lineage-${number}`;
    const model = requests.find((request) => request.model !== undefined)?.model;
    return [
      toTranscript({
        task: stemOf((root ?? mains.get(file.session) ?? file).path),
        trial: '0',
        lineage: root === undefined ? conversation : `agent-${number}`,
        source: { file: file.path, format: NAME, session: root?.session ?? file.session },
        dialect: 'gemini',
        agent: 'gemini-cli',
        ...(model === undefined ? {} : { model }),
        requests,
        retries: 0,
      }),
    ];
  });
}

/** What the person said, or an answer with the calls that belong to it. */
type Turn =
  | { readonly kind: 'user'; readonly message: ChatMessage }
  | { readonly kind: 'answer'; readonly message: ChatMessage; readonly calls: readonly ChatCall[] };

function requestsOf({ chat, fates }: ChatFile, table: MessageTable): readonly Request[] {
  const list: Message[] = [];
  const requests: Request[] = [];
  let lastTime: number | undefined;
  let answered: number | undefined;
  const add = (role: 'user' | 'model', parts: readonly string[]): Message | undefined => {
    if (parts.length === 0) return undefined;
    const message = gemini.parseMessage(`{"role":"${role}","parts":[${parts.join(',')}]}`, table);
    list.push(message);
    return message;
  };
  for (const turn of turnsOf(chat.messages, fates)) {
    const { message } = turn;
    if (turn.kind === 'answer') {
      const { calls } = turn;
      answered = message.position;
      const before = list.slice();
      const action = add('model', [...message.parts, ...calls.map(({ call }) => call)]);
      requests.push({
        segment: 0,
        messages: before,
        ...(action === undefined ? {} : { action }),
        ...factsOf({ model: message.model, time: lastTime, usage: usageOf(message.tokens) }),
      });
      add(
        'user',
        calls.flatMap(({ results }) => results),
      );
      const ends = calls.flatMap(({ time }) => time ?? []);
      lastTime = ends.length > 0 ? largestOf(ends) : (message.time ?? lastTime);
    } else {
      add('user', message.parts);
      lastTime = message.time ?? lastTime;
    }
  }
  fates.endAt(answered);
  return requests;
}

/**
 * What was said, without the client's own messages. An answer whose calls were recorded apart, because
 * a message of the client came in between, is one answer.
 */
function turnsOf(messages: readonly ChatMessage[], fates: Fates): readonly Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const { type, calls, position } = message;
    const before = turns.at(-1);
    if (type === 'user') turns.push({ kind: 'user', message });
    else if (type !== 'gemini') {
      const why = CLIENT_TYPES.has(type) ? `${type} of the client` : `unknown message "${type}"`;
      fates.set(position, skipped(why));
    } else if (before?.kind === 'answer' && before.calls.length === 0 && isRest(message)) {
      turns[turns.length - 1] = { ...before, calls };
      fates.set(position, merged('calls of the answer before it'));
    } else turns.push({ kind: 'answer', message, calls });
  }
  return turns;
}

const CLIENT_TYPES = new Set(['info', 'warning', 'error', 'system', 'about', 'help', 'stats']);

/** Calls alone, which cost nothing of their own. */
function isRest({ calls, parts, tokens }: ChatMessage): boolean {
  if (calls.length === 0 || parts.length > 0) return false;
  return !tokens?.input && !tokens?.output;
}

/** The input of this provider's counts holds what was read from the cache; thoughts are output. */
function usageOf(tokens: ChatMessage['tokens']): Usage | undefined {
  if (tokens === undefined || tokens === null) return undefined;
  const { input, output, cached, thoughts, tool } = tokens;
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  const read = Math.min(cached ?? 0, input);
  return {
    inputTokens: input - read + (tool ?? 0),
    outputTokens: output + (thoughts ?? 0),
    ...(typeof cached === 'number' ? { cacheReadTokens: read } : {}),
  };
}
