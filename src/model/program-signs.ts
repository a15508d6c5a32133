import type { OutputKind } from './program-prompt.ts';

/** How the lines of a kind of output are chosen. */
export interface Choice {
  /** Texts that mark a line worth keeping. */
  readonly signs: readonly string[];
  /** Lines kept after one with a sign. */
  readonly after: number;
  /** Lines kept at the start and at the end. */
  readonly head: number;
  readonly tail: number;
  /** What a summary says of the lines left out. */
  readonly leftOut: string;
}

const CHOICES: Readonly<Record<Exclude<OutputKind, 'json'>, Choice>> = {
  'test-log': {
    signs: ['FAIL', 'not ok', 'rror', '✗', '✖', '×', 'expected', 'failures', 'failed'],
    after: 2,
    head: 3,
    tail: 3,
    leftOut: 'lines of passing tests',
  },
  log: {
    signs: ['WARN', 'ERROR', 'FATAL', 'xception', 'failed', 'status=5', 'timeout'],
    after: 0,
    head: 5,
    tail: 5,
    leftOut: 'routine log lines',
  },
  hits: { signs: [], after: 0, head: 12, tail: 4, leftOut: 'further hits' },
  listing: { signs: ['README', 'package.json'], after: 0, head: 20, tail: 5, leftOut: 'entries' },
  source: {
    signs: ['function ', 'class ', 'def ', 'export ', 'import ', 'func ', 'fn ', 'TODO', '# '],
    after: 1,
    head: 6,
    tail: 2,
    leftOut: 'lines of bodies',
  },
  ndjson: { signs: ['"error"', 'failed'], after: 0, head: 3, tail: 2, leftOut: 'records' },
  prose: { signs: ['# ', 'must', 'error', '=='], after: 1, head: 8, tail: 4, leftOut: 'lines' },
};

/** The ways of a stub that sees nothing: only the ends of the output, whatever is in it. */
const BLIND: Choice = { signs: [], after: 0, head: 30, tail: 10, leftOut: 'lines in the middle' };

export function choiceFor(kind: OutputKind, blind: boolean): Choice {
  return blind || kind === 'json' ? BLIND : CHOICES[kind];
}

/** Share of the output's characters below which a program adds lines from the start. */
export const LEAST_SHARE = 0.1;
/** An identifier in more lines than this is kept in the first ones and the last. */
export const MOST_LINES = 30;
