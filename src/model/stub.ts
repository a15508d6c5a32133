/**
 * Two deterministic models that need no network, named in every row. `stub` summarizes by extraction and
 * writes filter programs that fit their output; `stub-vague` gives as much text without any identifier of
 * its input, and programs that look at nothing. What a component keeps under
 * either bounds what it keeps under a real summarizer.
 */

import { cutToTokens } from '../text/cut.ts';
import { replacedTokens } from '../text/seams.ts';
import { countTokens } from '../text/tokens.ts';
import { summarizeByExtraction } from './extractive.ts';
import { filterProgramReply } from './filter-program.ts';
import { genericProse } from './generic-prose.ts';
import { MessageMemo } from './message-facts.ts';
import type { Model, ModelReply, ModelRequest } from './model.ts';
import { type Shown, shownOutput } from './program-prompt.ts';
import { asksForQuestions, stubQuestions } from './stub-questions.ts';
import { stubTurns } from './stub-turns.ts';
import { messageChunks, readSummaryPrompt } from './summary-prompt.ts';

export const stubNames = ['stub', 'stub-vague'] as const;
export type StubName = (typeof stubNames)[number];

/** Tokens of a reply to anything but a summarization prompt. */
const EXTRACT_TOKENS = 200;

/**
 * A new stub, with a memo of its own for the messages it has met; the memo never changes a reply. Its
 * tokens are those of o200k_base. A summary is never empty where the transcript holds a word.
 */
export function stubModel(name: StubName): Model {
  const memo = new MessageMemo();

  function reply(request: ModelRequest): ModelReply {
    memo.startCall();
    const text = replyText(request);
    const outputTokens = asksForProgram(request) ? linesTokens(text, memo) : countTokens(text);
    return { text, inputTokens: inputTokens(request, memo), outputTokens };
  }

  function replyText(request: ModelRequest): string {
    // Who measures is not who summarizes, so both stubs ask the same questions.
    if (asksForQuestions(request)) return stubQuestions(request.prompt);
    if (asksForProgram(request)) return filterProgramReply(request, name === 'stub-vague');
    return said(request);
  }

  function said(request: ModelRequest): string {
    const extracted =
      request.purpose === 'summarize'
        ? summarizeByExtraction(readSummaryPrompt(request), memo)
        : lastSection(request);
    return name === 'stub' ? extracted : genericProse(countTokens(extracted));
  }

  return {
    name,
    contextWindow: 200_000,
    ask: async (request, signal) => {
      signal.throwIfAborted();
      return reply(request);
    },
    turns: stubTurns(),
  };
}

/** An exploration also asks about pieces of text; these questions are answered in words. */
function asksForProgram({ purpose, system }: ModelRequest): boolean {
  if (purpose === 'extract' || purpose === 'repair') return true;
  return purpose === 'explore' && /\bprogram\b/.test(system);
}

/** Counted by parts that add up, so that a prompt that shares them with earlier ones costs only what is new. */
function inputTokens(request: ModelRequest, memo: MessageMemo): number {
  const { system, prompt } = request;
  const shown = asksForProgram(request) ? shownOutput(prompt) : undefined;
  const told = shown === undefined ? chunkTokens(prompt, memo) : shownTokens(shown, memo);
  return memo.tokensOf(system) + told;
}

/** Counted message by message, since transcripts grow. */
function chunkTokens(prompt: string, memo: MessageMemo): number {
  const [first = '', ...chunks] = messageChunks(prompt);
  return memo.tokensOfParts([...headChunks(first), ...chunks]);
}

/** Of a prompt that shows an output, whose tokens the counter may know already. */
function shownTokens({ before, output, after }: Shown, memo: MessageMemo): number {
  const encoding = 'o200k_base';
  const end = output.length;
  // The line that opens the section begins with `<`, so it begins a token.
  const open = before.lastIndexOf('\n', before.length - 2) + 1;
  let tokens = countTokens(output, encoding);
  tokens = replacedTokens(output, tokens, { start: end, end, by: after }, encoding);
  const first = { start: 0, end: 0, by: before.slice(open) };
  tokens = replacedTokens(output + after, tokens, first, encoding);
  const [head = '', rest = ''] = headChunks(before.slice(0, open));
  return tokens + memo.tokensOf(head) + linesTokens(rest, memo);
}

/** What stands before the first message, cut behind the task, which all prompts of a session share. */
function headChunks(head: string): string[] {
  // A line that begins with `<` begins a token.
  const cut = head.indexOf('\n<recent>\n') + 1;
  return cut === 0 ? [head] : [head.slice(0, cut), head.slice(cut)];
}

/** Counted line by line: most lines of a program or of a goal stood in others before. */
function linesTokens(text: string, memo: MessageMemo): number {
  let tokens = 0;
  let start = 0;
  // A line whose first visible character is no slash begins a token, with its indentation.
  for (const { index } of text.matchAll(/\n(?=[ \t]*[^\s/])/g)) {
    tokens += memo.tokensOf(text.slice(start, index + 1));
    start = index + 1;
  }
  return tokens + memo.tokensOf(text.slice(start));
}

/** The beginning of the prompt's last section: of the last tagged one, else of the last paragraph. */
function lastSection({ prompt, maxOutputTokens }: ModelRequest): string {
  const closing = [...prompt.matchAll(/<\/([a-z][\w-]*)>/gi)].at(-1);
  const open = closing === undefined ? -1 : prompt.lastIndexOf(`<${closing[1]}>`, closing.index);
  const text =
    closing === undefined || open < 0
      ? (prompt
          .trim()
          .split(/\n\s*\n/)
          .at(-1) ?? '')
      : prompt.slice(open + `<${closing[1]}>`.length, closing.index);
  return cutToTokens(text.trim(), Math.min(EXTRACT_TOKENS, maxOutputTokens));
}
