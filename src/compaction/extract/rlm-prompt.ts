import type { Message } from '../../transcript/message.ts';
import { headOf } from '../text-cut.ts';
import { goalSections, languageNames } from './code-prompt.ts';
import { outlineOf, sampleOf } from './outline.ts';
import type { Language } from './sandbox/program.ts';

const OFFERS: Readonly<Record<Language, readonly string[]>> = {
  javascript: [
    'Each round you write one plain JavaScript script; variables stay from round to round. INPUT is the',
    'whole output, a string. print(value) or console.log(value) shows you something, cut to a few lines.',
  ],
  starlark: [
    'Each round you write one Starlark program (the Python subset, with json.decode, json.encode,',
    're_findall, re_match, re_split and re_sub); variables stay from round to round. INPUT is the whole',
    'output, a string. print(value) shows you something, cut to a few lines.',
  ],
};

/** The stable part of every round in one language. */
export function exploreSystem(language: Language): string {
  return [
    `You reduce one tool output with ${languageNames[language]} programs, so that an AI agent in the middle of a`,
    'task reads less and loses nothing that it needs. You are told the size and the shape of the output, not',
    'the output: look into it step by step.',
    '',
    ...OFFERS[language],
    'ask(question, piece) has a language model read a piece of text and returns its answer, a string.',
    'There is no import, no file, no network, no clock and no randomness.',
    '',
    'When you know enough, assign the result to OUTPUT, a string: that ends the exploration. SUMMARY may be',
    'one line about what was left out. The result is thrown away unless it is',
    '- only what the output has, unchanged and in its order (text: whole lines of it; JSON: the same JSON',
    '  with list items and object keys left out, numbers spelled as they were),',
    '- with everything in <keep> that the output has, spelled the same,',
    '- clearly shorter, but not nothing.',
    '',
    'Answer with the next program alone, in one fenced block.',
  ].join('\n');
}

/** One round that was run: the program, and what it gave. */
export interface Round {
  readonly program: string;
  readonly result: string;
}

const PRINTED_HEAD = 1500;
const PRINTED_TAIL = 500;

/** What the model reads of a run's result. */
export function shownResult(text: string): string {
  return text.trim() === '' ? '(nothing was printed)' : sampleOf(text, PRINTED_HEAD, PRINTED_TAIL);
}

/** @param left rounds that are left, this one included */
export function explorePrompt(
  messages: readonly Message[],
  output: string,
  keep: readonly string[],
  rounds: readonly Round[],
  left: number,
): string {
  const earlier = rounds.flatMap(({ program, result }, index) => [
    `<round number="${index + 1}">`,
    program,
    '<result>',
    result,
    '</result>',
    '</round>',
  ]);
  const last =
    left === 1 ? ['This is the last round: set OUTPUT now.'] : [`${left} rounds are left.`];
  return [
    ...goalSections(messages, keep),
    '<shape>',
    outlineOf(output),
    '</shape>',
    ...earlier,
    ...last,
  ]
    .join('\n')
    .toWellFormed();
}

export const ASK_SYSTEM =
  'Answer the question about the piece of text in a few words. Copy names, ids and numbers exactly. Say "not there" where the piece does not tell.';

const QUESTION_CHARACTERS = 1000;
const PIECE_CHARACTERS = 40_000;
/** Longest answer, in tokens. */
export const ANSWER_TOKENS = 400;

export function askPrompt(question: string, piece: string): string {
  return [
    '<question>',
    headOf(question, QUESTION_CHARACTERS),
    '</question>',
    '<piece>',
    headOf(piece, PIECE_CHARACTERS),
    '</piece>',
  ]
    .join('\n')
    .toWellFormed();
}
