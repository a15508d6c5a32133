/** What the contract suite holds every component to. */
export const propertyNames = [
  'translation',
  'valid',
  'guarded',
  'same-objects',
  'not-mutated',
  'no-growth',
  'deterministic',
  'reuse',
  'expand',
  'fail-open',
  'prompt',
  'fired',
] as const;

export type PropertyName = (typeof propertyNames)[number];

/** A property that does not hold, with the rules where it is one of shape. */
export class ContractBreach extends Error {
  readonly property: PropertyName;
  readonly rules: readonly string[];

  constructor(property: PropertyName, message: string, rules: readonly string[] = []) {
    super(`${property}: ${message}`);
    this.name = 'ContractBreach';
    this.property = property;
    this.rules = rules;
  }
}
