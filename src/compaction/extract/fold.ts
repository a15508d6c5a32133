import type { Line } from './lines.ts';

/** Longest block whose repeats are found, in lines: it bounds the work a line costs. */
const LONGEST_BLOCK = 48;
/** How often a line, or a block of lines, stands in a row before it is folded. */
const LINE_COPIES = 3;
const BLOCK_COPIES = 2;

/**
 * Lines and blocks that repeat in a row, as their first copy and a line that counts the others. Inside a
 * block its own repeats are folded first, so that a note always speaks of the lines as they are shown;
 * notes themselves are never folded, so a second folding finds nothing.
 */
export function foldRepeats(lines: readonly Line[]): readonly Line[] {
  const numbers = numbered(lines);
  if (numbers === undefined) return lines;
  const best = worthiestPeriods(lines, numbers);
  const folded: Line[] = [];
  for (let at = 0; at < lines.length; ) {
    const size = best.size[at] ?? 0;
    if (size === 0) {
      const line = lines[at];
      if (line !== undefined) folded.push(line);
      at++;
      continue;
    }
    const copies = best.copies[at] ?? 0;
    const block = foldRepeats(lines.slice(at, at + size));
    for (const line of block) folded.push(line);
    at += size * (copies + 1);
    folded.push({ text: repeatNote(block.length, copies), end: lines[at - 1]?.end ?? '' });
  }
  return folded;
}

/** The note after a block of `size` lines that stands `copies` more times. */
function repeatNote(size: number, copies: number): string {
  const what = size === 1 ? 'the line' : `the ${size} lines`;
  return `[${what} above ${copies} more ${copies === 1 ? 'time' : 'times'}]`;
}

const NOTE = /^\[the (?:line|\d+ lines) above \d+ more times?\]$/;

/** Equal lines have equal numbers, but each note has its own; undefined when no line occurs twice. */
function numbered(lines: readonly Line[]): Int32Array | undefined {
  const known = new Map<string, number>();
  const numbers = new Int32Array(lines.length);
  let count = 0;
  for (const [index, { text }] of lines.entries()) {
    const number =
      (text.startsWith('[') && NOTE.test(text) ? undefined : known.get(text)) ?? count++;
    known.set(text, number);
    numbers[index] = number;
  }
  return count === lines.length ? undefined : numbers;
}

/** For each line the block that begins there whose folding takes most away, if it takes anything. */
function worthiestPeriods(lines: readonly Line[], numbers: Int32Array) {
  const count = lines.length;
  /** Characters before each line. */
  const offsets = new Float64Array(count + 1);
  for (const [index, { text, end }] of lines.entries()) {
    offsets[index + 1] = (offsets[index] ?? 0) + text.length + end.length;
  }
  const size = new Int32Array(count);
  const copies = new Int32Array(count);
  /** Characters that the folding chosen so far drops; of equals the shorter block wins. */
  const worth = new Float64Array(count);
  for (let period = Math.min(LONGEST_BLOCK, count >> 1); period >= 1; period--) {
    const least = period === 1 ? LINE_COPIES : BLOCK_COPIES;
    /** Lines from here on that equal the line one period later. */
    let run = 0;
    for (let at = count - period - 1; at >= 0; at--) {
      run = numbers[at] === numbers[at + period] ? run + 1 : 0;
      const more = Math.floor(run / period);
      if (more + 1 < least) continue;
      const from = at + period;
      const dropped = (offsets[from + more * period] ?? 0) - (offsets[from] ?? 0);
      if (dropped <= repeatNote(period, more).length + 2 || dropped < (worth[at] ?? 0)) continue;
      worth[at] = dropped;
      size[at] = period;
      copies[at] = more;
    }
  }
  return { size, copies };
}
