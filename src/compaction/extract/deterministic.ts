import { type ContentKind, kindOf } from './containment.ts';
import { foldRepeats } from './fold.ts';
import type { KeepSet } from './keep-set.ts';
import { type Line, splitLines } from './lines.ts';
import { withoutBlankRuns, withoutEscapes, withoutProgress, withoutRedraws } from './noise.ts';
import { projectJson } from './project.ts';

export interface Reduction {
  readonly text: string;
  readonly kind: ContentKind;
}

/**
 * A tool output without provable noise, or undefined where there is none. Text loses terminal escapes,
 * redraws, runs of blank lines and of progress displays, and its repeats are folded with a count; JSON
 * and NDJSON are projected to `keep` (`projectJson`), and stay JSON. Pure and linear; a second
 * reduction finds nothing more.
 */
export function reduceNoise(text: string, keep: KeepSet): Reduction | undefined {
  const kind = kindOf(text);
  const reduced = kind === 'text' ? reduceText(text) : projectJson(text, keep, kind === 'ndjson');
  return reduced === undefined || reduced === text ? undefined : { text: reduced, kind };
}

function reduceText(text: string): string {
  const lines = splitLines(withoutEscapes(text)).map(
    ({ text: line, end }): Line => ({ text: withoutRedraws(line), end }),
  );
  const reduced = foldRepeats(withoutProgress(withoutBlankRuns(lines)));
  return reduced.map(({ text: line, end }) => line + end).join('');
}
