/**
 * Reading a prompt that asks for a filter program, as the stubs do. The contract with the component that
 * writes it: `system` names the language; `prompt` has the sections `<task>`, `<keep>` (an identifier a
 * line), `<shape>`, and `<output>` with what is shown of the output, or after a round of an exploration
 * `<result>` with what its program printed.
 */

import { GenerationCache } from '../text/generation-cache.ts';
import { identifiersIn } from '../text/identifiers.ts';
import type { ModelRequest } from './model.ts';

export type ProgramLanguage = 'javascript' | 'starlark';

/** What an output is like, as far as it decides how to filter it. */
export type OutputKind =
  | 'json'
  | 'ndjson'
  | 'test-log'
  | 'log'
  | 'hits'
  | 'listing'
  | 'source'
  | 'prose';

export interface ProgramPrompt {
  readonly language: ProgramLanguage;
  /** Identifiers that must survive. */
  readonly keep: readonly string[];
  /** What names the goal and stands in few of the shown lines. */
  readonly terms: readonly string[];
  readonly kind: OutputKind;
  /** False in the first round of an exploration, when nothing of the output has been seen. */
  readonly seen: boolean;
}

export function readProgramPrompt({ system, prompt }: ModelRequest): ProgramPrompt {
  const output = section(prompt, 'output') ?? section(prompt, 'result');
  const shape = section(prompt, 'shape') ?? '';
  const text = output ?? '';
  const lines = text.split('\n');
  return {
    language: system.includes('Starlark') ? 'starlark' : 'javascript',
    keep: (section(prompt, 'keep') ?? '').split('\n').filter((line) => line.trim() !== ''),
    terms: termsOf(section(prompt, 'task') ?? '', text, lines),
    kind: kindOf(shape, lines),
    seen: output !== undefined,
  };
}

/** A prompt around the output that it shows. */
export interface Shown {
  readonly before: string;
  readonly output: string;
  readonly after: string;
}

/** The prompt in three parts; undefined where it shows no output. */
export function shownOutput(prompt: string): Shown | undefined {
  const place = placeOf(prompt, 'output');
  if (place === undefined) return undefined;
  const [from, to] = place;
  return {
    before: prompt.slice(0, from),
    output: prompt.slice(from, to),
    after: prompt.slice(to),
  };
}

function section(text: string, name: string): string | undefined {
  const place = placeOf(text, name);
  return place === undefined ? undefined : text.slice(...place);
}

/** Ends of the section of the name; an output may quote a tag, so it ends at the last closing one. */
function placeOf(text: string, name: string): readonly [start: number, end: number] | undefined {
  const open = text.indexOf(`<${name}>\n`);
  const close = text.lastIndexOf(`</${name}>`);
  if (open < 0 || close < open) return undefined;
  const start = open + name.length + 3;
  const end = close > start && text[close - 1] === '\n' ? close - 1 : close;
  return [start, end];
}

const MOST_TERMS = 12;
/** A term that more of the lines hold tells none of them apart. */
const TELLING_SHARE = 0.15;

/** A word or an identifier of a task, with the slots of its grams. */
interface Candidate {
  readonly term: string;
  readonly slots: readonly number[];
}

/** The words and identifiers of tasks, since all prompts of a session have the same. */
const candidates = new GenerationCache<readonly Candidate[]>(16);

function candidatesOf(task: string): readonly Candidate[] {
  const known = candidates.get(task);
  if (known !== undefined) return known;
  const words = task.match(/\p{L}{6,}/gu) ?? [];
  const terms = new Set([...identifiersIn(task).map(({ value }) => value), ...words]);
  const found = [...terms].map((term) => ({ term, slots: slotsOf(term) }));
  candidates.set(task, found);
  return found;
}

function termsOf(task: string, text: string, lines: readonly string[]): string[] {
  const most = Math.max(1, TELLING_SHARE * lines.length);
  findGrams(text);
  const terms: string[] = [];
  for (const { term, slots } of candidatesOf(task)) {
    // Most terms are in no line, which their grams tell.
    if (slots.some((slot) => grams[slot] === 0)) continue;
    const holding = linesWith(term, text, most);
    if (holding > 0 && holding <= most) terms.push(term);
    if (terms.length === MOST_TERMS) break;
  }
  return terms;
}

/** How many lines hold a term; it is not counted far beyond `most`. */
function linesWith(term: string, text: string, most: number): number {
  let lines = 0;
  for (let at = text.indexOf(term); at >= 0 && lines <= most; at = text.indexOf(term, at)) {
    lines++;
    at = text.indexOf('\n', at);
    if (at < 0) break;
  }
  return lines;
}

/** Characters of a gram, and slots for grams; two grams may have one slot. */
const GRAM = 6;
const SLOTS = 1 << 16;
/** So far that a character has left its slot after as many steps as a gram has characters. */
const SHIFT = Math.ceil(16 / GRAM);

/** Whether the text that was last looked at may have a gram of this slot: 0 only where it has none. */
const grams = new Uint8Array(SLOTS);

function findGrams(text: string): void {
  grams.fill(0);
  let slot = 0;
  for (let at = 0; at < text.length; at++) {
    slot = nextSlot(slot, text.charCodeAt(at));
    if (at >= GRAM - 1) grams[slot] = 1;
  }
}

function slotsOf(term: string): readonly number[] {
  const slots: number[] = [];
  let slot = 0;
  for (let at = 0; at < term.length; at++) {
    slot = nextSlot(slot, term.charCodeAt(at));
    if (at >= GRAM - 1) slots.push(slot);
  }
  return slots;
}

/** The slot of a gram by that of the one before. */
function nextSlot(slot: number, code: number): number {
  return ((slot << SHIFT) ^ Math.imul(code, 0x9e3b)) & (SLOTS - 1);
}

const KINDS: readonly (readonly [OutputKind, RegExp, number])[] = [
  ['test-log', /^\s*(?:ok|not ok|PASS|FAIL|PASSED|FAILED|✓|✔|✗|✖|×)(?:\s|:)/, 0.25],
  ['log', /^\[?\d{4}-\d\d-\d\d[T ]|\b(?:INFO|WARN|ERROR|DEBUG)\b/, 0.5],
  ['hits', /^[^\s:]+:\d+[:-]/, 0.5],
  ['listing', /^(?:[-dl][rwxsStT-]{9}|[\w.@-]*\/?[\w./@-]+$)/, 0.6],
  ['source', /^\s*\d+\t|[;{}]\s*$|^\s*(?:def|class|import|from|return|func|fn)\s/, 0.35],
];

function kindOf(shape: string, lines: readonly string[]): OutputKind {
  if (shape.startsWith('JSON')) return 'json';
  if (shape.startsWith('NDJSON')) return 'ndjson';
  const told = lines.filter((line) => line.trim() !== '');
  for (const [kind, pattern, share] of KINDS) {
    const fitting = told.filter((line) => pattern.test(line)).length;
    if (fitting > 0 && fitting >= share * told.length) return kind;
  }
  return 'prose';
}
