/**
 * The shape oracle: would the provider take this list of messages? Works on exact JSON text, needs no
 * network, and takes time linear in the list; what was read of a message is kept as long as its object lives.
 */
import { HarnessError } from '../errors.ts';
import type { DialectName } from '../transcript/message.ts';
import type { ShapeContext } from './context.ts';
import { excerptOf } from './excerpt.ts';
import { asArray } from './json-values.ts';
import {
  type Finding,
  itemsOf,
  type ListView,
  once,
  type Rule,
  type Severity,
  type ShapeMode,
  type WireMessage,
} from './rule.ts';
import { anthropicRules } from './rules/anthropic.ts';
import { sameBytes } from './rules/any.ts';
import { bedrockRules } from './rules/bedrock.ts';
import { geminiRules } from './rules/gemini.ts';
import { openaiChatRules } from './rules/openai-chat.ts';
import { openaiResponsesRules } from './rules/openai-responses.ts';

export type ShapeDialect = DialectName;

export interface ShapeRequest {
  readonly dialect: ShapeDialect;
  readonly messages: readonly WireMessage[];
  /** The list before the rewrite; rules that compare with it are not applied without it. */
  readonly before?: readonly WireMessage[];
  readonly context?: ShapeContext;
}

export interface ValidateOptions {
  /** `sendable` by default. */
  readonly mode?: ShapeMode;
  /** Which rules to apply, by id; all by default. */
  readonly rules?: (id: string) => boolean;
}

export interface Violation {
  readonly rule: string;
  readonly severity: Severity;
  /** Index of the message in the list. */
  readonly message: number;
  /** Index of the block in the message; on `openai-responses`, of the item where it has several. */
  readonly block?: number;
  /** What was found. */
  readonly detail: string;
  /** The beginning of the offending text, at most 80 characters, safe to print. */
  readonly excerpt: string;
}

/** Rules that apply to each dialect. */
const rulesOf: { readonly [Dialect in ShapeDialect]: readonly Rule[] } = {
  anthropic: [...anthropicRules, sameBytes],
  'openai-chat': [...openaiChatRules, sameBytes],
  'openai-responses': [...openaiResponsesRules, sameBytes],
  gemini: [...geminiRules, sameBytes],
  bedrock: [...bedrockRules, sameBytes],
};

/** All rules, each once. */
export const rules: readonly Rule[] = [
  ...new Map(
    Object.values(rulesOf)
      .flat()
      .map((rule) => [rule.id, rule]),
  ).values(),
];

/**
 * Checks a list against the rules of its dialect. Violations come in the order of the rules, each with its
 * places in the order of the list. A rule whose model, request field or earlier list is not given is not applied.
 * @throws HarnessError `input.syntax` when a message is not JSON text, or nested too deep to be compared.
 */
export function validate(request: ShapeRequest, options: ValidateOptions = {}): Violation[] {
  try {
    return violationsOf(request, options);
  } catch (error) {
    // What can be parsed may still be too deep to be written again, which goes down level by level.
    if (!(error instanceof RangeError)) throw error;
    const message = 'a message of the list is nested too deep to be judged';
    throw new HarnessError('input.syntax', message, { cause: error });
  }
}

function violationsOf(request: ShapeRequest, options: ValidateOptions): Violation[] {
  const list: ListView = {
    messages: request.messages,
    before: request.before,
    context: request.context ?? {},
    mode: options.mode ?? 'sendable',
  };
  const violations: Violation[] = [];
  const excerpt = excerpts();
  for (const rule of rulesOf[request.dialect]) {
    if (options.rules?.(rule.id) === false) continue;
    for (const finding of rule.check(list)) {
      violations.push({
        rule: rule.id,
        severity: finding.severity ?? rule.severity,
        message: finding.message,
        ...(finding.block === undefined ? {} : { block: finding.block }),
        detail: finding.detail,
        excerpt: finding.excerpt ?? excerpt(list.messages[finding.message], finding.block),
      });
    }
  }
  return violations;
}

/**
 * The violations of `after` that `before` did not have, so that an invalid input is not held against a
 * rewrite. Compared by rule and count, since a rewrite moves places; of several violations of a rule those that
 * say what `before` did not say are named first.
 */
export function addedViolations(
  before: readonly Violation[],
  after: readonly Violation[],
): Violation[] {
  const allowance = new Map<string, number>();
  const said = new Map<string, number>();
  for (const violation of before) {
    increment(allowance, violation.rule, 1);
    increment(said, keyOf(violation), 1);
  }
  const known: Violation[] = [];
  const fresh: Violation[] = [];
  for (const violation of after) {
    const left = said.get(keyOf(violation)) ?? 0;
    if (left > 0) said.set(keyOf(violation), left - 1);
    (left > 0 ? known : fresh).push(violation);
  }
  const added = new Set<Violation>();
  for (const violation of [...known, ...fresh]) {
    const left = allowance.get(violation.rule) ?? 0;
    if (left > 0) allowance.set(violation.rule, left - 1);
    else added.add(violation);
  }
  return after.filter((violation) => added.has(violation));
}

function keyOf(violation: Violation): string {
  return `${violation.rule} ${violation.severity} ${violation.detail}`;
}

function increment(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}

/** Excerpts of the places of findings; a message with many findings is parsed once. */
function excerpts(): (message: WireMessage | undefined, block: Finding['block']) => string {
  const partsOf = once((message: WireMessage): readonly unknown[] => {
    const items = itemsOf(message);
    if (items.length !== 1) return items;
    const [item = {}] = items;
    return asArray(item.parts ?? item.tool_calls ?? item.content);
  });
  return (message, block) => {
    if (message === undefined) return '';
    const part = block === undefined ? undefined : partsOf(message)[block];
    return excerptOf(part === undefined ? message.raw : (JSON.stringify(part) ?? ''));
  };
}
