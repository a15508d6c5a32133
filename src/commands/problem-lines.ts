import { describePlace } from '../errors.ts';
import type { Problem } from '../recordings/problem.ts';
import type { Paint } from '../report/paint.ts';
import { withoutSecrets } from '../text/redact.ts';
import { visible } from '../text/visible.ts';

const SHOWN = 20;

/**
 * `file:line: message` of each problem, errors first; what is too many to read is counted.
 *
 * @param redact a message may quote the recording, and what that holds must not get into a log
 * @param elsewhere where those that are too many can be read
 */
export function problemLines(
  problems: readonly Problem[],
  paint: Paint,
  redact: (text: string) => string = withoutSecrets,
  elsewhere = 'all in the manifest',
): string[] {
  return [
    ...linesOf(
      problems.filter(({ severity }) => severity === 'error'),
      'error',
      paint.red,
      redact,
      elsewhere,
    ),
    ...linesOf(
      problems.filter(({ severity }) => severity === 'notice'),
      'notice',
      paint.yellow,
      redact,
      elsewhere,
    ),
  ];
}

function linesOf(
  problems: readonly Problem[],
  word: 'error' | 'notice',
  paint: (text: string) => string,
  redact: (text: string) => string,
  elsewhere: string,
): string[] {
  const lines = problems.slice(0, SHOWN).map(({ at, message }) => {
    const place = describePlace(at);
    return `${paint(`${word}:`)} ${visible(redact(place === '' ? message : `${place}: ${message}`))}`;
  });
  const hidden = problems.length - lines.length;
  if (hidden > 0) lines.push(`${paint(`${word}:`)} … and ${hidden} more, ${elsewhere}`);
  return lines;
}
