/**
 * Reading a prompt that asks for a filter program, as the stubs do. The contract with the component that
 * writes it: `system` names the language; `prompt` has the sections `<task>`, `<keep>` (an identifier a
 * line), `<shape>`, and `<output>` with what is shown of the output, or after a round of an exploration
 * `<result>` with what its program printed.
 */

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
  const lines = (output ?? '').split('\n');
  return {
    language: system.includes('Starlark') ? 'starlark' : 'javascript',
    keep: (section(prompt, 'keep') ?? '').split('\n').filter((line) => line.trim() !== ''),
    terms: termsOf(section(prompt, 'task') ?? '', lines),
    kind: kindOf(shape, lines),
    seen: output !== undefined,
  };
}

/** The last section of the name; an output may quote a tag, so it ends at the last closing one. */
function section(text: string, name: string): string | undefined {
  const open = text.indexOf(`<${name}>\n`);
  const close = text.lastIndexOf(`</${name}>`);
  if (open < 0 || close < open) return undefined;
  return text.slice(open + name.length + 3, close).replace(/\n$/, '');
}

const MOST_TERMS = 12;
/** A term that more of the lines hold tells none of them apart. */
const TELLING_SHARE = 0.15;

function termsOf(task: string, lines: readonly string[]): string[] {
  const words = task.match(/\p{L}{6,}/gu) ?? [];
  const candidates = new Set([...identifiersIn(task).map(({ value }) => value), ...words]);
  const all = lines.join('\n');
  const most = Math.max(1, TELLING_SHARE * lines.length);
  const terms: string[] = [];
  for (const term of candidates) {
    // Most terms are in no line, which one search tells.
    if (!all.includes(term)) continue;
    if (lines.filter((line) => line.includes(term)).length <= most) terms.push(term);
    if (terms.length === MOST_TERMS) break;
  }
  return terms;
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
