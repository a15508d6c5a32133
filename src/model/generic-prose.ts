/** Prose about any work at all: what `stub-vague` says, whatever it was given. */

import { countTokens } from '../text/tokens.ts';

/** Plain words only: nothing in them can be an identifier. The last ones are short, to end on a length. */
const sentences = [
  'The conversation has made steady progress on what the user asked for.',
  'Several sources were looked at and the relevant parts were read with care.',
  'Some attempts worked at once, while others had to be repeated in a different way.',
  'The assistant explained each step and waited for the outcome before going on.',
  'A number of details were collected along the way and compared with one another.',
  'The user gave further information when it was needed.',
  'One or two problems came up, and they were discussed until the way forward was clear.',
  'The results were checked against the original wish, and most of them agreed with it.',
  'Certain items were changed, others were left as they had been before.',
  'The rules that apply to this kind of work were kept in mind throughout.',
  'It was agreed what should happen next and what should not be touched.',
  'What remains is to finish the open points and to report back at the end.',
] as const;
const closings = [
  'Work continues from here.',
  'More will follow.',
  'It continues.',
  'More.',
] as const;

/** Text of at most `tokens` tokens, and of at most one fewer. */
export function genericProse(tokens: number): string {
  let text = '';
  let left = tokens;
  const append = (sentence: string): boolean => {
    const next = text === '' ? sentence : ` ${sentence}`;
    const cost = countTokens(next);
    if (cost > left) return false;
    text += next;
    left -= cost;
    return true;
  };
  for (let index = 0; append(sentences[index % sentences.length] ?? ''); index++);
  for (const closing of closings) while (append(closing));
  if (text === '' && left > 0) append('Work');
  return text;
}
