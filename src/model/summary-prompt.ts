/**
 * Reading a summarization prompt back, as the stubs do. The contract with the component that writes it:
 * `system` contains `at most N tokens`; `prompt` has the sections `<task>`, `<recent>` and
 * `<transcript>`; inside the transcript each message begins with a line such as `[12] assistant:`.
 */

import type { ModelRequest } from './model.ts';

export interface SummaryPrompt {
  /** Tokens that the summary may have. */
  readonly limit: number;
  readonly task: string;
  readonly recent: string;
  /** The messages of the transcript, each with its header line. */
  readonly messages: readonly string[];
}

const messageHeader = /^\[\d+\] ([^\n:]{1,40}):[ \t]*/;

export function readSummaryPrompt(request: ModelRequest): SummaryPrompt {
  const { prompt, system, maxOutputTokens } = request;
  const stated = /at most (\d+(?:[,_]\d{3})*) tokens/.exec(system)?.[1]?.replace(/[,_]/g, '');
  const open = prompt.indexOf('<transcript>');
  // The transcript may quote a closing tag, so its own is the last.
  const close = prompt.lastIndexOf('</transcript>');
  const from = open < 0 ? 0 : open + '<transcript>'.length;
  const to = close < from ? prompt.length : close;
  const around = open < 0 ? '' : `${prompt.slice(0, open)}\n${prompt.slice(to)}`;
  return {
    limit: stated === undefined ? maxOutputTokens : Math.min(Number(stated), maxOutputTokens),
    task: section(around, 'task'),
    recent: section(around, 'recent'),
    messages: messageChunks(prompt.slice(from, to)).filter((message) => message.trim() !== ''),
  };
}

function section(text: string, name: string): string {
  const open = text.indexOf(`<${name}>`);
  if (open < 0) return '';
  const from = open + name.length + 2;
  const close = text.indexOf(`</${name}>`, from);
  return text.slice(from, close < 0 ? text.length : close);
}

/**
 * `text` cut before each line that begins a message or closes the transcript. As such a line begins with
 * `[` or `<`, no token reaches over a cut: the chunks' token counts add up to the text's.
 */
export function messageChunks(text: string): string[] {
  const chunks: string[] = [];
  let start = 0;
  for (const { index } of text.matchAll(/\n(?=\[\d+\] [^\n:]{1,40}:|<\/transcript>)/g)) {
    chunks.push(text.slice(start, index + 1));
    start = index + 1;
  }
  chunks.push(text.slice(start));
  return chunks;
}

/** The role that a message's header line names, and the text after the header. */
export function splitHeader(message: string): { role: string; body: string } {
  const header = messageHeader.exec(message.trimStart());
  if (header === null) return { role: '', body: message };
  return { role: header[1] ?? '', body: message.trimStart().slice(header[0].length) };
}
