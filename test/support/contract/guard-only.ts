/**
 * Violations that a component by itself cannot avoid, since only the guard knows the request around the list.
 * Each with its reason; a rule that is in no list is a bug of the component.
 */
export interface GuardOnly {
  readonly component: string;
  readonly rule: string;
  readonly reason: string;
}

export const guardOnly: readonly GuardOnly[] = [];

export function guardOnlyOf(component: string): ReadonlySet<string> {
  return new Set(guardOnly.filter((one) => one.component === component).map(({ rule }) => rule));
}
