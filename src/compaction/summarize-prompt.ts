import { hasToolResult, isUserTurn, type Message, resultText } from '../transcript/message.ts';
import { userTurnsFromEnd } from '../transcript/message-tokens.ts';
import type { Context } from './component.ts';
import type { SummarizeConfig } from './summarize-config.ts';

/** Raised whenever the wording changes: the prompt is part of `cell_id`. */
export const SUMMARIZE_PROMPT_VERSION = 1;

type Level = SummarizeConfig['summary_level'];

/** Longest summary of a level, in tokens; a reply may use it all. */
export const SUMMARY_TOKENS: Readonly<Record<Level, number>> = {
  concise: 200,
  regular: 400,
  highly_detailed: 1200,
};

const LEVEL_ADVICE: Readonly<Record<Level, string>> = {
  concise: 'Keep only what the next steps cannot do without.',
  regular: 'Keep the facts, decisions and open ends that later steps are likely to need.',
  highly_detailed:
    'Keep every fact, decision, attempt and open end; leave out only repetition and small talk.',
};

/** The stable part: the same text for every call of one level, so that a provider can cache it. */
export function systemPrompt(level: Level): string {
  return [
    'You shorten the history of an AI agent that is in the middle of a task. Your text takes the place',
    'of the messages in <transcript>, and the agent goes on working with nothing else of them.',
    '',
    'Write toward the task in <task> and toward what <recent> shows the agent doing now.',
    '- Copy identifiers exactly as they stand: paths, names, ids, versions, numbers, error texts.',
    '- Say what was asked, what was found, what was changed, what failed, and what is still to be done.',
    '- State only what the transcript says. Do not address the agent, and do not call tools.',
    `- ${LEVEL_ADVICE[level]}`,
    '',
    `Write at most ${SUMMARY_TOKENS[level]} tokens of plain text.`,
  ].join('\n');
}

/** What the summary is written toward: the first user turn, the latest assistant and user turns. */
export interface Goal {
  readonly task: Message | undefined;
  readonly recent: readonly Message[];
}

export function goalOf(messages: readonly Message[]): Goal {
  const task = messages.find(isUserTurn);
  let user: Message | undefined;
  for (const position of userTurnsFromEnd(messages)) {
    user = messages[position];
    if (user !== task) break;
    user = undefined;
  }
  const recent = [messages.findLast((message) => message.role === 'assistant'), user];
  return { task, recent: recent.filter((message) => message !== undefined) };
}

/**
 * The variable part: the goal, and the span.
 *
 * @param span rendered messages, oldest first (`renderHead`, `renderBody`)
 * @param dropped how many messages before them did not fit the summarizer's window
 */
export function userPrompt(goal: Goal, span: readonly string[], dropped: number): string {
  return [
    taskSection(goal.task),
    '<recent>',
    ...goal.recent.map(recentLine),
    '</recent>',
    '<transcript>',
    ...(dropped === 0 ? [] : [gapLine(dropped)]),
    ...span,
    '</transcript>',
  ].join('\n');
}

/**
 * Tokens of a prompt without its span. Each line is counted with its end, and only once a message: the lines
 * begin with `<`, `[` or a letter, so no token reaches over their ends.
 */
export function frameTokens(
  { task, recent }: Goal,
  dropped: number,
  { countTokens, memo }: Pick<Context, 'countTokens' | 'memo'>,
): number {
  const head = () => countTokens(`${taskSection(task)}\n`);
  let tokens = task === undefined ? head() : memo(task, 'frame:task', head);
  for (const message of recent) {
    tokens += memo(message, 'frame:recent', () => countTokens(`${recentLine(message)}\n`));
  }
  if (dropped > 0) tokens += countTokens(`${gapLine(dropped)}\n`);
  return tokens + countTokens(FRAME_TAIL);
}

/** The lines of a prompt that are always the same, the last one without an end. */
const FRAME_TAIL = '<recent>\n</recent>\n<transcript>\n</transcript>';

function taskSection(task: Message | undefined): string {
  const text = task === undefined ? '' : head(textOf(task), TASK_CHARACTERS);
  return `<task>\n${text}\n</task>`;
}

function recentLine(message: Message): string {
  return `${message.role}: ${head(textOf(message), RECENT_CHARACTERS)}`;
}

function gapLine(dropped: number): string {
  return `[${dropped} older messages are left out]`;
}

const TASK_CHARACTERS = 8000;
const RECENT_CHARACTERS = 4000;

/** The line that begins a message in the transcript; `position` is its place in the request, from 0. */
export function renderHead(message: Message, position: number): string {
  return `[${position}] ${hasToolResult(message) ? 'tool result' : message.role}:`;
}

/** What the summarizer reads of one message. */
export function renderBody(
  message: Message,
  includeToolOutputs: boolean,
  countResult: (block: number) => number,
): string {
  const parts: string[] = [];
  for (const [index, block] of message.blocks.entries()) {
    switch (block.kind) {
      case 'text':
        if (block.text.trim() !== '') parts.push(block.text);
        break;
      case 'tool-call':
        parts.push(`call ${block.name} ${block.arguments}`);
        break;
      case 'tool-result': {
        const text = resultText(block);
        const flag = block.isError ? 'error ' : '';
        if (!includeToolOutputs) parts.push(`[${flag}output masked: ${countResult(index)} tokens]`);
        else if (text.trim() !== '') parts.push(`${flag === '' ? '' : 'error: '}${text}`);
        break;
      }
      case 'media':
        parts.push(`[${block.type}]`);
        break;
      // Thinking is not for others to read, and what no dialect models has no text.
      case 'thinking':
      case 'other':
        break;
    }
  }
  return parts.join('\n');
}

function textOf(message: Message): string {
  const parts: string[] = [];
  for (const block of message.blocks) {
    if (block.kind === 'text') parts.push(block.text);
    else if (block.kind === 'tool-call') parts.push(`call ${block.name} ${block.arguments}`);
  }
  return parts.join('\n');
}

/** The first characters of a text, never half of a surrogate pair. */
export function head(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
  return `${text.slice(0, end)} […]`;
}
