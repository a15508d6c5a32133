import type { ShapeContext } from '../../../src/shape/context.ts';
import { addedViolations, type Violation, validate } from '../../../src/shape/validate.ts';
import type { DialectName, Message } from '../../../src/transcript/message.ts';

/** Which rules the oracle applies; all but in the tests that switch one off. */
export type RuleFilter = (id: string) => boolean;

/** Violations, warnings too, that the list has and the one before it had not. */
export function violationsAdded(
  dialect: DialectName,
  before: readonly Message[],
  after: readonly Message[],
  context: ShapeContext,
  rules: RuleFilter,
): readonly Violation[] {
  return addedViolations(
    validate({ dialect, messages: before, context }, { rules }),
    validate({ dialect, messages: after, before, context }, { rules }),
  );
}

export function ruleIds(violations: readonly Violation[]): readonly string[] {
  return [...new Set(violations.map(({ rule }) => rule))];
}
