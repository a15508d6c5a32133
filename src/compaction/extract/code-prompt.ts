import { identifiersAmong } from '../../text/identifiers.ts';
import type { LineTokens } from '../../text/line-tokens.ts';
import { replacedTokens } from '../../text/seams.ts';
import { noteTokens, type TokenizerName } from '../../text/tokens.ts';
import { isUserTurn, type Message } from '../../transcript/message.ts';
import { headOf } from '../text-cut.ts';
import { type KeepSet, recentTurns, turnText } from './keep-set.ts';
import { gapOf, outlineOf, sampleOf } from './outline.ts';
import type { Language } from './sandbox/program.ts';

/**
 * Raised whenever a prompt of `extract` or what it makes of an output changes: it is the component's
 * version, and part of the result cache and of `cell_id`.
 */
export const EXTRACT_PROMPT_VERSION = 2;

/** Longest program, in tokens. */
export const PROGRAM_TOKENS = 1500;

export const languageNames: Readonly<Record<Language, string>> = {
  javascript: 'JavaScript',
  starlark: 'Starlark',
};

const OFFERS: Readonly<Record<Language, readonly string[]>> = {
  javascript: [
    'The sandbox runs one plain JavaScript script: the language itself with String, Array, Map, Set, RegExp,',
    'Math and JSON. There is no import, no file, no network, no clock and no randomness.',
    'INPUT is the whole output, a string. Assign the result to OUTPUT, a string, and, if it helps, one',
    'line about what was left out to SUMMARY. Both are declared already.',
  ],
  starlark: [
    'The sandbox runs one Starlark program (the Python subset: def, for, if, lists, dicts, comprehensions,',
    'string methods). json.decode(text), json.encode(value), re_findall(pattern, text),',
    're_match(pattern, text), re_split(pattern, text) and re_sub(pattern, replacement, text) are there.',
    'There is no import, no file, no network, no clock and no randomness.',
    'INPUT is the whole output, a string. Assign the result to OUTPUT, a string, and, if it helps, one',
    'line about what was left out to SUMMARY.',
  ],
};

const EXAMPLES: Readonly<Record<Language, readonly string[]>> = {
  javascript: [
    'Of a build log, what went wrong with the line after it, and the last line:',
    '```javascript',
    "const lines = INPUT.split('\\n');",
    'const isTrouble = (line) => /warning|cannot|undefined symbol/i.test(line);',
    'OUTPUT = lines',
    "  .filter((line, at) => isTrouble(line) || isTrouble(lines[at - 1] ?? '') || at === lines.length - 1)",
    "  .join('\\n');",
    "SUMMARY = 'compiled files without warnings are left out';",
    '```',
    'Of a list of shipments, the late ones and the one that the agent asks about:',
    '```javascript',
    'const shipments = JSON.parse(INPUT);',
    "const keep = shipments.filter((one) => one.late === true || one.id === 'shp-7731');",
    'OUTPUT = JSON.stringify(keep);',
    "SUMMARY = shipments.length - keep.length + ' shipments that arrived in time are left out';",
    '```',
    'Of search hits, the first two of each file:',
    '```javascript',
    'const seen = new Map();',
    "OUTPUT = INPUT.split('\\n').filter((hit) => {",
    "  const file = hit.split(':')[0];",
    '  seen.set(file, (seen.get(file) ?? 0) + 1);',
    '  return seen.get(file) <= 2;',
    "}).join('\\n');",
    '```',
  ],
  starlark: [
    'Of a build log, what went wrong with the line after it, and the last line:',
    '```starlark',
    'lines = INPUT.split("\\n")',
    'kept = []',
    'after = False',
    'for at in range(len(lines)):',
    '    trouble = "warning" in lines[at] or "cannot" in lines[at]',
    '    if trouble or after or at == len(lines) - 1:',
    '        kept.append(lines[at])',
    '    after = trouble',
    'OUTPUT = "\\n".join(kept)',
    'SUMMARY = "compiled files without warnings are left out"',
    '```',
    'Of a list of shipments, the late ones and the one that the agent asks about:',
    '```starlark',
    'shipments = json.decode(INPUT)',
    'keep = [one for one in shipments if one["late"] or one["id"] == "shp-7731"]',
    'OUTPUT = json.encode(keep)',
    'SUMMARY = str(len(shipments) - len(keep)) + " shipments that arrived in time are left out"',
    '```',
  ],
};

/** The stable part: the same text for every call in one language, so that a provider can cache it. */
export function codeSystem(language: Language): string {
  return [
    `You write a short ${languageNames[language]} program that reduces one tool output, so that an AI agent`,
    'that is in the middle of a task reads less and loses nothing that it needs. The program is run once,',
    'on this very output.',
    '',
    ...OFFERS[language],
    '',
    'What the result must be, or it is thrown away:',
    '- Only what the output has, unchanged and in its order. Text: whole lines of it. JSON: the same JSON',
    '  with list items and object keys left out, numbers spelled as they were.',
    '- Everything in <keep> that the output has, spelled the same.',
    '- Clearly shorter, but not nothing: keep what serves <task> and what <recent> is about.',
    'Drop what repeats, what passed, what is boilerplate. When in doubt about a line, keep it.',
    'You may see only the beginning and the end of a long output; the program sees all of it.',
    '',
    ...EXAMPLES[language],
    '',
    'Answer with the program alone, in one fenced block.',
  ].join('\n');
}

const TASK_CHARACTERS = 4000;
const RECENT_CHARACTERS = 1500;
const SAMPLE_HEAD = 6000;
const SAMPLE_TAIL = 2000;

/** What a reduction is made toward, as sections of a prompt. */
export function goalSections(
  messages: readonly Message[],
  keep: readonly string[],
): readonly string[] {
  const task = messages.find(isUserTurn);
  const cut = (text: string, limit: number) =>
    text.length <= limit ? text : `${headOf(text, limit)} […]`;
  const recent = recentTurns(messages)
    .filter((message) => message !== task)
    .reverse();
  return [
    '<task>',
    task === undefined ? '' : cut(turnText(task), TASK_CHARACTERS),
    '</task>',
    '<recent>',
    ...recent.map((message) => `${message.role}: ${cut(turnText(message), RECENT_CHARACTERS)}`),
    '</recent>',
    '<keep>',
    ...keep,
    '</keep>',
  ];
}

/** The variable part: the goal, and the output with its size and shape, shown up to a limit. */
export function codePrompt(
  messages: readonly Message[],
  output: string,
  keep: readonly string[],
): string {
  return [
    ...goalSections(messages, keep),
    '<shape>',
    outlineOf(output),
    '</shape>',
    '<output>',
    sampleOf(output, SAMPLE_HEAD, SAMPLE_TAIL),
    '</output>',
  ]
    .join('\n')
    .toWellFormed();
}

/**
 * Tells the counter what the shown part of an output counts, from what all of it does: a model that counts
 * its prompts meets it again.
 */
export function noteShown(
  output: string,
  tokens: number,
  encoding: TokenizerName,
  lines?: LineTokens,
): void {
  const gap = gapOf(output, SAMPLE_HEAD, SAMPLE_TAIL);
  if (gap === undefined) noteTokens(output, tokens, encoding);
  else if (lines !== undefined || gap.end - gap.start < output.length / 2) {
    const shown = sampleOf(output, SAMPLE_HEAD, SAMPLE_TAIL);
    const left = lines?.replaced(gap) ?? replacedTokens(output, tokens, gap, encoding);
    noteTokens(shown, left, encoding);
  }
}

/** Asks for the same program without its syntax error; the output is not sent again. */
export function repairPrompt(program: string, error: string): string {
  return [
    'This program could not be read. Write it again without the error and change nothing else.',
    '<program>',
    program,
    '</program>',
    '<error>',
    error,
    '</error>',
  ]
    .join('\n')
    .toWellFormed();
}

/** Those identifiers to keep that this output holds, in the order of their importance. */
export function heldBy(output: string, keep: KeepSet): readonly string[] {
  const present = identifiersAmong(output, new Set(keep.identifiers));
  return keep.identifiers.filter((identifier) => present.has(identifier));
}
