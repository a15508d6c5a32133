import type { ShapeContext } from '../../../src/shape/context.ts';
import type { ShapeMode, WireMessage } from '../../../src/shape/rule.ts';
import { type ShapeDialect, type Violation, validate } from '../../../src/shape/validate.ts';

/** A small list with all that it breaks, errors and warnings; nothing where it is legal. */
export interface Example {
  readonly dialect: ShapeDialect;
  /** The rule that the list is about. */
  readonly rule: string;
  readonly title: string;
  /** Messages as values, or their exact JSON texts. */
  readonly messages: readonly unknown[];
  readonly before?: readonly unknown[];
  readonly context?: ShapeContext;
  readonly mode?: ShapeMode;
  readonly broken: readonly string[];
}

export type ExampleOf = Omit<Example, 'dialect'>;

export function wire(messages: readonly unknown[]): readonly WireMessage[] {
  return messages.map((message) => ({
    raw: typeof message === 'string' ? message : JSON.stringify(message),
  }));
}

export function violationsOf(
  example: Example,
  rules: (id: string) => boolean = () => true,
): Violation[] {
  const { dialect, messages, before, context = {}, mode = 'sendable' } = example;
  const request = { dialect, messages: wire(messages), context };
  return validate(before === undefined ? request : { ...request, before: wire(before) }, {
    mode,
    rules,
  });
}

/** The ids of the broken rules, each once, sorted. */
export function brokenRules(violations: readonly Violation[]): readonly string[] {
  return [...new Set(violations.map((violation) => violation.rule))].sort();
}
