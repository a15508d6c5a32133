import { createHash } from 'node:crypto';
import { valueEnd } from '../../wire/json-spans.ts';
import type { Context, Slot } from '../component.ts';
import type { ToolOutput } from '../tool-outputs.ts';
import { kindOf } from './containment.ts';
import type { ExtractConfig } from './extract-config.ts';

/**
 * What was decided about an output: the text in its place, with its summary line, or undefined to leave
 * it untouched.
 */
export interface Decision {
  readonly text: string | undefined;
}

interface Entry {
  readonly text: string;
  /** Digest of the content, once it was asked for. */
  content?: string;
  decision: Decision;
}

/**
 * The decisions of a lineage, by everything but the turn that can change them: the output's content,
 * prompt version, model and settings. So an output that is sent again gives the same bytes without a
 * call, and one that failed is not asked about again. They outlive a rewrite that was reverted, since a
 * decision is about an output and not about the request in which it was made.
 */
export class ResultCache {
  /** By basis, and then by what the content looks like: only what looks alike is compared. */
  readonly #entries = new Map<string, Map<number, Entry[]>>();

  static of(slot: Slot): ResultCache {
    const known = slot.get();
    if (known instanceof ResultCache) return known;
    const cache = new ResultCache();
    slot.set(cache);
    return cache;
  }

  /** @param basis of `basisOf` */
  get(output: ToolOutput, basis: string, context: Pick<Context, 'memo'>): Decision | undefined {
    const alike = this.#entries.get(basis)?.get(lookOf(output, context));
    return find(alike ?? [], output.text)?.decision;
  }

  set(output: ToolOutput, basis: string, decision: Decision, context: Pick<Context, 'memo'>): void {
    const looks = this.#entries.get(basis) ?? new Map<number, Entry[]>();
    this.#entries.set(basis, looks);
    const look = lookOf(output, context);
    const alike = looks.get(look) ?? [];
    looks.set(look, alike);
    const known = find(alike, output.text);
    if (known === undefined) alike.push({ text: output.text, decision });
    else known.decision = decision;
  }
}

function find(entries: readonly Entry[], text: string): Entry | undefined {
  let content: string | undefined;
  for (const entry of entries) {
    if (entry.text === text) return entry;
    content ??= digest(normalized(text));
    entry.content ??= digest(normalized(entry.text));
    if (entry.content === content) return entry;
  }
  return undefined;
}

function lookOf({ message, block, text }: ToolOutput, context: Pick<Context, 'memo'>): number {
  return context.memo(message, `look:${block}`, () => fingerprint(text));
}

/**
 * What can change a result beside the output, as text. When the component may act is left out: it does
 * not change how it acts.
 *
 * @param model its name; undefined where none is asked
 */
export function basisOf(
  { trigger: _when, ...settings }: ExtractConfig,
  model: string | undefined,
  promptVersion: number,
): string {
  return JSON.stringify([promptVersion, model ?? null, settings]);
}

/** FNV-1a. Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm". */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const SPACE = 32;
const LAST_ASCII = 126;

/** A number that texts of the same content share: of their characters apart from markers and white space. */
export function fingerprint(text: string): number {
  const bare = text.includes('<<cg:') ? text.replace(MARKERS, '') : text;
  let hash = FNV_OFFSET;
  for (let index = 0; index < bare.length; index++) {
    const code = bare.charCodeAt(index);
    if (code <= SPACE || (code > LAST_ASCII && isWideSpace(code))) continue;
    hash = Math.imul(hash ^ code, FNV_PRIME);
  }
  return hash;
}

/** At least what JavaScript takes for white space beyond ASCII. */
function isWideSpace(code: number): boolean {
  if (code === 0xa0 || code === 0x1680 || code === 0x3000 || code === 0xfeff) return true;
  return code >= 0x2000 && code <= 0x206f;
}

const MARKERS = /<<cg:(?:[0-9a-f]{16}|dropped)>>/g;

/**
 * The content apart from markers and white space. Of text the indentation stays: where the agent
 * corrected it, the earlier text would mislead.
 */
export function normalized(text: string): string {
  const bare = text.replace(MARKERS, '');
  if (kindOf(bare) !== 'text') return withoutJsonSpace(bare);
  const isPlain = !SPACED.test(bare);
  return bare
    .split('\n')
    .map((line) => (isPlain ? line.trimEnd() : withoutRuns(line)))
    .filter((line) => line !== '')
    .join('\n');
}

/** White space inside a line that is not one space; of most texts none is. */
const SPACED = /\S(?:[^\S\n\r ]|\r(?!\n)| [^\S\n])/;

function withoutRuns(line: string): string {
  const from = line.length - line.trimStart().length;
  return (line.slice(0, from) + line.slice(from).replace(/\s+/g, ' ')).trimEnd();
}

/** JSON without the white space between its parts. */
function withoutJsonSpace(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let quote = text.indexOf('"'); quote >= 0; quote = text.indexOf('"', at)) {
    const end = valueEnd(text, quote);
    parts.push(text.slice(at, quote).replace(/\s+/g, ''), text.slice(quote, end));
    at = end;
  }
  parts.push(text.slice(at).replace(/\s+/g, ''));
  return parts.join('');
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 32);
}
