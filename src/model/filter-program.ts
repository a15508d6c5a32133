/**
 * What the stubs answer where a filter program is asked for: `stub` writes one that fits the output it is
 * shown; `stub-vague` one that sees nothing of it and keeps its two ends.
 */

import type { ModelRequest } from './model.ts';
import { JAVASCRIPT_LOOK, javascriptJson, javascriptLines } from './program-javascript.ts';
import { type ProgramPrompt, readProgramPrompt } from './program-prompt.ts';
import { choiceFor } from './program-signs.ts';
import { STARLARK_LOOK, starlarkJson, starlarkLines } from './program-starlark.ts';

/** The reply to a prompt of purpose `extract`, `repair` or `explore`: a program in a fenced block. */
export function filterProgramReply(request: ModelRequest, blind: boolean): string {
  const prompt = readProgramPrompt(request);
  const looks = request.purpose === 'explore' && !prompt.seen && !blind;
  // A repair shows a program but no output, so the stub writes one that needs to know nothing of it.
  const program = looks ? look(prompt) : filter(prompt, blind || request.purpose === 'repair');
  return `\`\`\`${prompt.language}\n${program}\`\`\``;
}

function look({ language }: ProgramPrompt): string {
  return language === 'javascript' ? JAVASCRIPT_LOOK : STARLARK_LOOK;
}

function filter(given: ProgramPrompt, blind: boolean): string {
  const prompt = blind ? { ...given, keep: [], terms: [] } : given;
  const isJson = prompt.kind === 'json';
  if (prompt.language === 'javascript') {
    return isJson
      ? javascriptJson(prompt, blind)
      : javascriptLines(prompt, choiceFor(prompt.kind, blind));
  }
  return isJson
    ? starlarkJson(prompt, blind)
    : starlarkLines(prompt, choiceFor(prompt.kind, blind));
}
