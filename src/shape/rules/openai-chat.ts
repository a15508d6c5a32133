/** Rules of OpenAI Chat Completions. */
import { quote } from '../excerpt.ts';
import { asObject, asString, type JsonObject, kindOf, objectsOf } from '../json-values.ts';
import {
  dialectRules,
  type Finding,
  type ListRule,
  type MessageFinding,
  type MessageRule,
  once,
  type Rule,
  type RuleText,
  type ShapeMode,
} from '../rule.ts';
import { wellFormed } from './any.ts';

interface ChatFacts {
  /** 1 where the message takes part in a call. */
  readonly kinds: number;
  readonly role: string;
  /** Ids of the calls; a call without an id has an empty one. */
  readonly calls: readonly string[];
  readonly answers: string;
}

const NO_CALLS: readonly string[] = [];

function chatFacts(items: readonly JsonObject[]): ChatFacts {
  const message = items[0] ?? {};
  const calls = objectsOf(message.tool_calls);
  const role = asString(message.role) ?? '';
  return {
    kinds: role === 'tool' || calls.length > 0 ? 1 : 0,
    role,
    calls: calls.length === 0 ? NO_CALLS : calls.map((call) => asString(call.id) ?? ''),
    answers: asString(message.tool_call_id) ?? '',
  };
}

function described(text: Omit<RuleText, 'provider' | 'severity' | 'source' | 'needs'>): RuleText {
  return {
    provider: 'openai-chat',
    severity: 'error',
    source: 'shape-rules.md, OpenAI Chat Completions: provider documentation and public reports',
    needs: 'list',
    ...text,
  };
}

interface Pairing {
  readonly unanswered: readonly Finding[];
  readonly unexpected: readonly Finding[];
}

/** Pairs by position: the tool messages right after an assistant turn answer its calls, each once. */
const pairingOf = once((facts: readonly ChatFacts[], mode: ShapeMode): Pairing => {
  const unanswered: Finding[] = [];
  const unexpected: Finding[] = [];
  let pending = new Map<string, number>();
  let caller = 0;
  const close = () => {
    for (const id of pending.keys()) {
      unanswered.push({
        message: caller,
        detail: `call ${quote(id)} has no tool message right after it`,
      });
    }
    pending = new Map();
  };
  facts.forEach(({ role, calls, answers }, message) => {
    if (role === 'tool') {
      const open = pending.get(answers) ?? 0;
      if (open === 0) {
        unexpected.push({
          message,
          detail: `tool message for ${quote(answers)}, which is not pending`,
        });
      } else if (open === 1) pending.delete(answers);
      else pending.set(answers, open - 1);
      return;
    }
    close();
    if (role !== 'assistant') return;
    caller = message;
    for (const id of calls) pending.set(id, (pending.get(id) ?? 0) + 1);
  });
  if (mode === 'sendable') close();
  return { unanswered, unexpected };
});

const listRules: readonly ListRule<ChatFacts>[] = [
  {
    ...described({
      id: 'OC-PAIR-1',
      explanation:
        'An assistant turn with tool_calls is followed at once by one tool message a call.',
      providerError: "an assistant message with 'tool_calls' must be followed by tool messages",
      fix: 'Keep or drop the calls together with all their tool messages, and insert after the last of them.',
      rewriteCanBreak: true,
    }),
    concerns: 1,
    find: (facts, { mode }) => pairingOf(facts, mode).unanswered,
  },
  {
    ...described({
      id: 'OC-PAIR-2',
      explanation: 'A tool message answers a pending call, once.',
      providerError:
        "messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
      fix: 'Drop the tool message together with its call; replace it in place instead of adding another.',
      rewriteCanBreak: true,
    }),
    concerns: 1,
    find: (facts, { mode }) => pairingOf(facts, mode).unexpected,
  },
];

function hasCalls(message: JsonObject): boolean {
  if (Array.isArray(message.tool_calls)) return message.tool_calls.length > 0;
  return typeof message.function_call === 'object' && message.function_call !== null;
}

const messageRules: readonly MessageRule[] = [
  {
    ...described({
      id: 'OC-EMPTY-1',
      explanation: 'tool_calls is not an empty list.',
      providerError: "[] is too short - 'tool_calls'",
      fix: 'Drop the key together with the last call.',
      rewriteCanBreak: true,
    }),
    *find([message]): Generator<MessageFinding> {
      const calls = message?.tool_calls;
      if (Array.isArray(calls) && calls.length === 0) yield { detail: 'tool_calls is []' };
    },
  },
  {
    ...described({
      id: 'OC-NULL-1',
      explanation: 'An assistant turn has content or calls.',
      providerError: "assistant messages need 'content' or 'tool_calls'",
      fix: 'Drop the message.',
      rewriteCanBreak: true,
    }),
    *find([message = {}]): Generator<MessageFinding> {
      if (message.role !== 'assistant' || hasCalls(message)) return;
      // A refusal and an audio answer stand for the content.
      if (asString(message.refusal) !== undefined || asString(asObject(message.audio).id)) return;
      const { content } = message;
      const empty = Array.isArray(content) && content.length === 0;
      if (content !== undefined && content !== null && !empty) return;
      yield { detail: `content is ${empty ? '[]' : kindOf(content)} and there are no calls` };
    },
  },
  {
    ...described({
      id: 'OC-ARGS-1',
      explanation: "A call's arguments are a string.",
      providerError: 'function.arguments: expected a string',
      fix: 'Write the arguments as JSON text in a string, as they were recorded.',
      rewriteCanBreak: true,
    }),
    *find([message]): Generator<MessageFinding> {
      for (const [block, call] of objectsOf(message?.tool_calls).entries()) {
        if (call.type === 'custom') continue;
        const given = asObject(call.function).arguments;
        if (typeof given === 'string') continue;
        yield {
          block,
          detail: `arguments of ${quote(asString(call.id) ?? '')} are ${kindOf(given)}`,
        };
      }
    },
  },
];

export const openaiChatRules: readonly Rule[] = dialectRules({
  facts: chatFacts,
  message: [...messageRules, wellFormed],
  list: listRules,
});
