import type { MessageTable } from '../../../transcript/intern.ts';
import type { Message } from '../../../transcript/message.ts';
import type { Request } from '../../../transcript/transcript.ts';
import { isObject } from '../../../wire/json-object.ts';
import { elements, path, type Span, slice } from '../../../wire/json-spans.ts';
import { openaiChat } from '../../../wire/openai-chat.ts';
import {
  type ChatContent,
  chatAssistant,
  chatResult,
  chatSystem,
  chatUser,
  compactJson,
  envelopeOf,
} from '../../chat.ts';
import { readTime, readUsage } from '../../responses.ts';
import { type CallFacts, NEVER_SENT } from '../../transcripts.ts';
import type { ReadContext } from '../format.ts';
import type { Content, Step, Trajectory } from './steps.ts';

/** One trajectory of a file. */
export interface Played {
  readonly trajectory: Trajectory;
  readonly text: string;
  /** The trajectory in `text`. */
  readonly span: Span;
  readonly file: string;
}

/**
 * The requests of a trajectory: one for each step of the agent that asked its model. A step's results
 * answer its calls; one that names no call is what the user says next. Copied context was answered
 * before. Where the agent replaced its own context, the list starts anew behind its system prompt.
 *
 * @param segment number of the first segment
 */
export function requestsOf(played: Played, context: ReadContext, segment = 0): readonly Request[] {
  const { trajectory, text, span, file } = played;
  const { table, loss } = context;
  const list = path(text, ['steps'], span);
  const spans = list === undefined ? [] : elements(text, list);
  const facts = surroundingsOf(played, table);
  const requests: Request[] = [];
  let messages: readonly Message[] = [];
  let current = segment;
  /** Steps since the last call: they were sent if another call follows. */
  let waiting = 0;
  for (const [index, step] of trajectory.steps.entries()) {
    if (isReplacement(step)) {
      const isSystem = ({ role }: Message) => role === 'system';
      const rest = messages.findIndex((message) => !isSystem(message));
      messages = messages.slice(0, rest < 0 ? messages.length : rest);
      if (requests.length > 0) current = (requests.at(-1)?.segment ?? 0) + 1;
      loss.merged(file, "the agent's own compaction");
      continue;
    }
    const written = write(step, text, spans[index]).map((raw) =>
      openaiChat.parseMessage(raw, table),
    );
    const [answer] = written;
    const isCall =
      step.source === 'agent' && step.is_copied_context !== true && step.llm_call_count !== 0;
    if (isCall && answer !== undefined && messages.length > 0) {
      const before = trajectory.steps[index - 1];
      const known = { ...facts, ...factsOf(step, before, facts.model) };
      requests.push({ segment: current, messages, action: answer, ...known });
      loss.read(file, waiting + 1);
      waiting = 0;
    } else if (written.length === 0) loss.skipped(file, 'a step without content');
    else waiting++;
    messages = [...messages, ...written];
  }
  loss.skipped(file, NEVER_SENT, waiting);
  return requests;
}

function surroundingsOf({ trajectory, text, span }: Played, table: MessageTable): CallFacts {
  const declared = path(text, ['agent', 'tool_definitions'], span);
  const model = trajectory.agent?.model_name ?? undefined;
  const isList = Array.isArray(trajectory.agent?.tool_definitions);
  const tools = declared === undefined || !isList ? undefined : slice(text, declared);
  const envelope = envelopeOf(openaiChat, { model, tools }, table);
  return {
    ...(model === undefined ? {} : { model }),
    ...(envelope === undefined ? {} : { envelope }),
  };
}

/** A note that the agent replaced what it had sent so far. */
function isReplacement(step: Step): boolean {
  const extra = isObject(step.extra) ? step.extra : {};
  const management = isObject(extra.context_management) ? extra.context_management : {};
  return step.source === 'system' && management.type === 'compaction';
}

function write(step: Step, text: string, span: Span | undefined): readonly string[] {
  const said = contentOf(step.message);
  const written: string[] = [];
  if (step.source === 'system') {
    if (said !== '') written.push(chatSystem(said));
  } else if (step.source === 'user') written.push(chatUser(said));
  else written.push(chatAssistant(said, callsOf(step, text, span), step.reasoning_content ?? ''));
  const calls = new Set(step.tool_calls?.flatMap((call) => call.tool_call_id ?? []));
  for (const { source_call_id: id, content } of step.observation?.results ?? []) {
    // A sub-agent's reference has no content of its own.
    if (content === null || content === undefined) continue;
    const answers = typeof id === 'string' && calls.has(id);
    written.push(answers ? chatResult(id, contentOf(content)) : chatUser(contentOf(content)));
  }
  return written;
}

function callsOf(step: Step, text: string, span: Span | undefined) {
  return (step.tool_calls ?? []).map((call, index) => {
    const given = path(text, ['tool_calls', index, 'arguments'], span);
    const isText = typeof call.arguments === 'string';
    const raw = given === undefined ? '{}' : slice(text, given);
    return {
      id: call.tool_call_id ?? '',
      name: call.function_name,
      arguments: isText ? String(call.arguments) : compactJson(raw),
    };
  });
}

/** Text, or the wire's parts; an image is where the recording keeps it. */
function contentOf(content: Content): ChatContent {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return content.map((part) => {
    if (part.type === 'text') return { type: 'text', text: part.text ?? '' };
    const source = isObject(part.source) ? part.source : {};
    const url = source.path ?? source.url ?? '';
    return part.type === 'image' ? { type: 'image_url', image_url: { url } } : part;
  });
}

function factsOf(step: Step, before: Step | undefined, usual: string | undefined): CallFacts {
  const metrics = step.metrics ?? {};
  const usage = readUsage({
    prompt_tokens: metrics.prompt_tokens,
    completion_tokens: metrics.completion_tokens,
    prompt_tokens_details: { cached_tokens: metrics.cached_tokens ?? undefined },
  });
  // The file's name of a model says its provider, the step's often not.
  const own = step.model_name ?? undefined;
  const model = own === undefined || usual?.endsWith(`/${own}`) === true ? usual : own;
  const time = readTime(before?.timestamp) ?? readTime(step.timestamp);
  return {
    ...(model === undefined ? {} : { model }),
    ...(time === undefined ? {} : { time }),
    ...(usage === undefined ? {} : { usage }),
    ...(typeof metrics.cost_usd === 'number' ? { cost: metrics.cost_usd } : {}),
  };
}
