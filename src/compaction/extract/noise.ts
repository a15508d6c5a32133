import { pushAll } from '../../text/long-lists.ts';
import type { Line } from './lines.ts';

/** Control sequences of a terminal; an escape that begins none of them is taken alone. */
const ESCAPES =
  // CSI; OSC with its end; the short forms with and without intermediates.
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]+[0-~]|[0-Z\\^_`a-~])?/g;

/** The text as a terminal would show it, without colours and cursor moves. No escape is left. */
export function withoutEscapes(text: string): string {
  return text.includes('\u001b') ? text.replace(ESCAPES, '') : text;
}

/** Longer lines are no progress displays. */
const PROGRESS_CHARACTERS = 400;

const SHARE = /\d\s?%|\d\s?\/\s?\d/;
const BAR = /[█▏▎▍▌▋▊▉░▒▓━]{3}|\[[ =#>.*-]{5,}\]|[⠁-⣿]/;
const RATE = /[kKMG]i?B\/s|\bit\/s|\bETA\b|\beta\b/;

/** What a line says apart from figures and drawing: two states of one display agree in it. */
function wordsOf(text: string): string {
  return text.replace(/[^\p{L}]+/gu, ' ').trim();
}

/**
 * A line that was drawn over with carriage returns, as the last drawing left it. A drawing is dropped
 * where the next one redraws the same words or where it only shows progress; other text stays, since a
 * file may use the carriage return as its line end.
 */
export function withoutRedraws(line: string): string {
  if (!line.includes('\r')) return line;
  const drawings = line.split('\r').filter((drawing) => drawing.trim() !== '');
  const kept: string[] = [];
  let next: string | undefined;
  for (const drawing of drawings.reverse()) {
    const words = wordsOf(drawing);
    if (next !== undefined && (words === next || showsProgress(drawing))) continue;
    kept.push(drawing);
    next = words;
  }
  return kept.reverse().join('\r');
}

function showsProgress(text: string): boolean {
  if (text.length > PROGRESS_CHARACTERS) return false;
  return SHARE.test(text) || BAR.test(text) || RATE.test(text);
}

/** A drawing on a line of its own needs more proof, since a table of shares looks like one. */
function isProgressLine(text: string): boolean {
  if (text.length > PROGRESS_CHARACTERS || !SHARE.test(text)) return false;
  return BAR.test(text) || RATE.test(text);
}

/** Runs of the same progress display keep their last line. */
export function withoutProgress(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  let run: string | undefined;
  for (const line of lines) {
    const words = isProgressLine(line.text) ? wordsOf(line.text) : undefined;
    if (words !== undefined && words === run) kept.pop();
    run = words;
    kept.push(line);
  }
  return kept;
}

/** A run of so many blank lines says no more than one of them. */
const BLANK_RUN = 3;

export function withoutBlankRuns(lines: readonly Line[]): Line[] {
  const kept: Line[] = [];
  let blanks: Line[] = [];
  const close = () => {
    pushAll(kept, blanks.length >= BLANK_RUN ? blanks.slice(0, 1) : blanks);
    blanks = [];
  };
  for (const line of lines) {
    if (line.text.trim() === '') blanks.push(line);
    else {
      close();
      kept.push(line);
    }
  }
  close();
  return kept;
}
