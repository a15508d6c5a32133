import { describePlace } from '../errors.ts';
import type { Problem } from '../recordings/problem.ts';
import type { Paint } from '../report/paint.ts';
import { redaction } from '../rows/note.ts';
import { visible } from '../text/visible.ts';

const SHOWN = 20;

/** A message may quote the recording, and what that holds must not get into a log. */
const redact = redaction([]);

/** `file:line: message` of each problem, errors first; what is too many to read is counted. */
export function problemLines(problems: readonly Problem[], paint: Paint): string[] {
  return [
    ...linesOf(
      problems.filter(({ severity }) => severity === 'error'),
      'error',
      paint.red,
    ),
    ...linesOf(
      problems.filter(({ severity }) => severity === 'notice'),
      'notice',
      paint.yellow,
    ),
  ];
}

function linesOf(
  problems: readonly Problem[],
  word: 'error' | 'notice',
  paint: (text: string) => string,
): string[] {
  const lines = problems.slice(0, SHOWN).map(({ at, message }) => {
    const place = describePlace(at);
    return `${paint(`${word}:`)} ${visible(redact(place === '' ? message : `${place}: ${message}`))}`;
  });
  const hidden = problems.length - lines.length;
  if (hidden > 0) lines.push(`${paint(`${word}:`)} … and ${hidden} more, all in the manifest`);
  return lines;
}
