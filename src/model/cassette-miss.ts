/** What a strict replay says of a call that its cassette does not hold. */
import { diffLines } from '../text/line-diff.ts';
import { redactionOf } from '../text/redact.ts';
import type { CassetteCall } from './cassette-call.ts';

export interface RecordedCall {
  readonly call: CassetteCall;
  /** Line of the cassette. */
  readonly line: number;
}

/** Differences that are shown, and characters around each. */
const MOST_DIFFERENCES = 3;
const CONTEXT = 60;

const ADVICE =
  'record it with --model record and this cassette, or choose --on-miss live, stub or skip';

/** The message, and the line of the nearest recorded call, where there is one. */
export function describeMiss(
  call: CassetteCall,
  recorded: Iterable<RecordedCall>,
  size: number,
): { readonly message: string; readonly line: number | undefined } {
  const { purpose, sample } = call.request;
  const what = `the cassette holds no answer to this call (${purpose}, model ${call.model}, sample ${sample})`;
  const asked = linesOf(call);
  const nearest = nearestOf(call, asked, recorded);
  if (nearest === undefined) {
    const held = size === 0 ? 'it holds no answer at all' : `none of its ${size} is like it`;
    return { message: `${what}; ${held}; ${ADVICE}`, line: undefined };
  }
  const percent = Math.floor(nearest.likeness * 1000) / 10;
  const recordedLines = linesOf(nearest.call);
  const redact = redactionOf([...textsOf(recordedLines), ...textsOf(asked)]);
  const differences = differencesOf(redacted(recordedLines, redact), redacted(asked, redact));
  const shown = differences.slice(0, MOST_DIFFERENCES).flat();
  const more = differences.length - MOST_DIFFERENCES;
  const message = [
    what,
    `  the nearest recorded one is of line ${nearest.line}, ${percent} % the same; it differs here:`,
    ...shown.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and in ${more} more places`] : []),
    `  ${ADVICE}`,
  ].join('\n');
  return { message, line: nearest.line };
}

/** One line for each that a reader would compare, named by where it stands. */
interface NamedLine {
  readonly name: string;
  readonly text: string;
}

function linesOf(call: CassetteCall): readonly NamedLine[] {
  const { purpose, sample, maxOutputTokens } = call.request;
  const settings = [
    ['model', call.model],
    ['purpose', purpose],
    ['sample', String(sample)],
    ['max_output_tokens', String(maxOutputTokens)],
    ...Object.entries(call.parameters ?? {}).map(([name, value]) => [name, String(value)]),
  ].map(([name = '', text = '']) => ({ name, text }));
  if (call.kind === 'prompt') {
    const { system, prompt } = call.request;
    return [...settings, ...named('system', system), ...named('prompt', prompt)];
  }
  const { system = '', tools = '[]', messages } = call.request;
  return [
    ...settings,
    { name: 'wire', text: call.wire },
    { name: 'system', text: system },
    ...items('tool', tools),
    ...items('message', messages),
  ];
}

function named(name: string, text: string): readonly NamedLine[] {
  return text.split('\n').map((line, index) => ({ name: `${name} line ${index + 1}`, text: line }));
}

/** The elements of a JSON list; what is no list is one line. */
function items(name: string, json: string): readonly NamedLine[] {
  try {
    const value: unknown = JSON.parse(json);
    if (Array.isArray(value)) {
      return value.map((item, index) => ({
        name: `${name} ${index}`,
        text: JSON.stringify(item) ?? '',
      }));
    }
  } catch {
    // One line.
  }
  return [{ name, text: json }];
}

interface Nearest extends RecordedCall {
  /** Share of the characters that both have, from 0 to 1. */
  readonly likeness: number;
}

function nearestOf(
  call: CassetteCall,
  asked: readonly NamedLine[],
  recorded: Iterable<RecordedCall>,
): Nearest | undefined {
  let best: (Nearest & { readonly rank: number }) | undefined;
  for (const candidate of recorded) {
    if (candidate.call.kind !== call.kind) continue;
    const samePurpose = candidate.call.request.purpose === call.request.purpose;
    const likeness = likenessOf(asked, linesOf(candidate.call));
    const rank = likeness + (samePurpose ? 1 : 0);
    if (best === undefined || rank > best.rank) best = { ...candidate, likeness, rank };
  }
  return best;
}

/** By whole lines; of lines that are not the same, what both begin and end with. */
function likenessOf(asked: readonly NamedLine[], recorded: readonly NamedLine[]): number {
  const left = new Map<string, number>();
  let total = 0;
  for (const { text } of recorded) {
    left.set(text, (left.get(text) ?? 0) + 1);
    total += text.length + 1;
  }
  let shared = 0;
  for (const [index, { text }] of asked.entries()) {
    total += text.length + 1;
    const count = left.get(text) ?? 0;
    if (count > 0) {
      left.set(text, count - 1);
      shared += 2 * (text.length + 1);
      continue;
    }
    const other = recorded[index]?.text;
    if (other === undefined || (left.get(other) ?? 0) === 0) continue;
    const { head, tail } = sharedEnds(text, other);
    shared += 2 * (head + tail);
  }
  return total === 0 ? 1 : shared / total;
}

function differencesOf(
  recorded: readonly NamedLine[],
  asked: readonly NamedLine[],
): readonly (readonly string[])[] {
  const lines = diffLines(textsOf(recorded), textsOf(asked));
  const found: string[][] = [];
  let [before, after] = [0, 0];
  for (let at = 0; at < lines.length; ) {
    if (lines[at]?.kind === 'same') {
      [before, after, at] = [before + 1, after + 1, at + 1];
      continue;
    }
    const [fromBefore, fromAfter] = [before, after];
    for (; at < lines.length && lines[at]?.kind !== 'same'; at++) {
      if (lines[at]?.kind === 'removed') before++;
      else after++;
    }
    const removed = recorded.slice(fromBefore, before);
    const added = asked.slice(fromAfter, after);
    for (let pair = 0; pair < Math.max(removed.length, added.length); pair++) {
      found.push(difference(removed[pair], added[pair]));
    }
  }
  return found;
}

function textsOf(lines: readonly NamedLine[]): readonly string[] {
  return lines.map(({ text }) => text);
}

/** Before anything is cut, since a part of a secret does not look like one. */
function redacted(
  lines: readonly NamedLine[],
  redact: (text: string) => string,
): readonly NamedLine[] {
  return lines.map(({ name, text }) => ({ name, text: redact(text) }));
}

function difference(recorded: NamedLine | undefined, asked: NamedLine | undefined): string[] {
  const name = asked?.name ?? recorded?.name ?? '';
  const { head, tail } = sharedEnds(recorded?.text ?? '', asked?.text ?? '');
  const excerpt = (line: NamedLine | undefined): string => {
    if (line === undefined) return '(nothing)';
    const from = Math.max(0, head - CONTEXT);
    const to = Math.min(line.text.length, Math.max(head, line.text.length - tail) + CONTEXT);
    const text = line.text.slice(from, Math.min(to, from + 4 * CONTEXT));
    return `${from > 0 ? '…' : ''}${text}${to < line.text.length ? '…' : ''}`;
  };
  return [`${name}:`, `  - recorded: ${excerpt(recorded)}`, `  + asked:    ${excerpt(asked)}`];
}

/** Characters that two lines begin and end with alike, without overlap. */
function sharedEnds(a: string, b: string): { readonly head: number; readonly tail: number } {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a.charCodeAt(head) === b.charCodeAt(head)) head++;
  let tail = 0;
  while (
    tail < most - head &&
    a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)
  ) {
    tail++;
  }
  return { head, tail };
}
