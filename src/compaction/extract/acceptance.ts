import { identifiersAmong } from '../../text/identifiers.ts';
import { contains, type Granularity } from './containment.ts';

/** Why a model's reduction of one output was not taken; each is counted by its own name. */
export const refusalNames = [
  'no_model',
  'timeout',
  'transport',
  'empty_reply',
  'syntax',
  'runtime',
  'step_limit',
  'time_limit',
  'memory_limit',
  'not_contained',
  'lost_identifier',
  'too_small',
  'no_gain',
] as const;

export type RefusalName = (typeof refusalNames)[number];

export interface Refused {
  readonly kind: 'refused';
  readonly refusal: RefusalName;
  readonly message: string;
}

/** A reduction that may take an output's place. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly text: string;
  /** One line about what was left out, put with the marker. */
  readonly summary?: string;
}

export interface Rules {
  readonly granularity: Granularity;
  readonly minKeepRatio: number;
  /** Identifiers that must survive where the original holds them. */
  readonly identifiers: readonly string[];
  /** Tokens of the original. */
  readonly tokens: number;
  countTokens(text: string): number;
  /** Tokens of a text of so many tokens as it would be sent: with its summary line and the marker. */
  sentTokens(text: string, tokens: number, summary: string | undefined): number;
}

export function refused(refusal: RefusalName, message: string): Refused {
  return { kind: 'refused', refusal, message };
}

/**
 * The proof that a model's reduction may take the output's place, in the order of the names: contained,
 * no identifier lost, not too small, and smaller with its marker.
 */
export function judge(
  original: string,
  candidate: string,
  summary: string | undefined,
  rules: Rules,
): Accepted | Refused {
  const proof = contains(original, candidate, rules.granularity);
  if (!proof.contained) return refused('not_contained', proof.message);
  const lost = lostIdentifier(original, candidate, rules.identifiers);
  if (lost !== undefined)
    return refused('lost_identifier', `${lost} is in the output, not in the result`);
  const { tokens } = rules;
  const kept = rules.countTokens(candidate);
  if (kept < rules.minKeepRatio * tokens) {
    const share = `${kept} of ${tokens} tokens`;
    return refused('too_small', `${share} are kept; the least is ${rules.minKeepRatio} of them`);
  }
  if (rules.sentTokens(candidate, kept, summary) >= tokens) {
    return refused(
      'no_gain',
      `${kept} of ${tokens} tokens are kept, which saves nothing with the marker`,
    );
  }
  return { kind: 'accepted', text: candidate, ...(summary === undefined ? {} : { summary }) };
}

/** The first of the identifiers that the original holds and the candidate does not. */
export function lostIdentifier(
  original: string,
  candidate: string,
  identifiers: readonly string[],
): string | undefined {
  if (identifiers.length === 0) return undefined;
  const after = identifiersAmong(candidate, new Set(identifiers));
  const missing = identifiers.filter((identifier) => !after.has(identifier));
  if (missing.length === 0) return undefined;
  const before = identifiersAmong(original, new Set(missing));
  return missing.find((identifier) => before.has(identifier));
}

const SUMMARY_CHARACTERS = 200;

/** A program's SUMMARY as one short line that cannot be read as a marker; undefined when it says nothing. */
export function summaryLine(summary: string | undefined): string | undefined {
  const line = (summary ?? '')
    .replace(/<<+\s*cg:?|>>+/gi, ' ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .toWellFormed();
  if (line === '') return undefined;
  return line.length <= SUMMARY_CHARACTERS
    ? line
    : `${line.slice(0, SUMMARY_CHARACTERS - 1).toWellFormed()}…`;
}
