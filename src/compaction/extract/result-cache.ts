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

/**
 * The decisions of a lineage, by everything but the turn that can change them: the output's content,
 * prompt version, model and settings. So an output that is sent again gives the same bytes without a
 * call, and one that failed is not asked about again. They outlive a rewrite that was reverted, since a
 * decision is about an output and not about the request in which it was made.
 */
export class ResultCache {
  readonly #decisions: Map<string, Decision>;

  private constructor(decisions: Map<string, Decision>) {
    this.#decisions = decisions;
  }

  static of(slot: Slot): ResultCache {
    const known = slot.get();
    if (known instanceof ResultCache) return known;
    const cache = new ResultCache(new Map());
    slot.set(cache);
    return cache;
  }

  get(key: string): Decision | undefined {
    return this.#decisions.get(key);
  }

  set(key: string, decision: Decision): void {
    this.#decisions.set(key, decision);
  }
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

/** @param basis of `basisOf` */
export function cacheKey(
  output: ToolOutput,
  basis: string,
  context: Pick<Context, 'memo'>,
): string {
  const content = context.memo(output.message, `content:${output.block}`, () =>
    digest(normalized(output.text)),
  );
  return digest(`${content} ${basis}`);
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
