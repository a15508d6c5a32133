/**
 * Violations that a component by itself cannot avoid, since only the guard knows the request around the list.
 * Each with its reason; a rule that is in no list is a bug of the component.
 */
export interface GuardOnly {
  readonly component: string;
  readonly rule: string;
  readonly reason: string;
}

const binding =
  'on models that bind thinking to its past every rewrite before a signed block is refused, and a component does not know the model';

export const guardOnly: readonly GuardOnly[] = [
  { component: 'summarize', rule: 'A-THINK-5', reason: binding },
  { component: 'extract', rule: 'A-THINK-5', reason: binding },
  { component: 'mask', rule: 'A-THINK-5', reason: binding },
  { component: 'dedup', rule: 'A-THINK-5', reason: binding },
  { component: 'collapse', rule: 'A-THINK-5', reason: binding },
  { component: 'external', rule: 'A-THINK-5', reason: binding },
  { component: 'recency', rule: 'A-THINK-5', reason: binding },
  { component: 'random_drop', rule: 'A-THINK-5', reason: binding },
  {
    component: 'random_drop',
    rule: 'B-MIX',
    reason:
      'where roles alternate, the trace of a dropped turn joins the results before it, which Nova models alone refuse, and a component does not know the model',
  },
];

/** Of a component of the user's own: what no component can know. */
export const guardOnlyOfOwn: ReadonlySet<string> = new Set(['A-THINK-5']);

export function guardOnlyOf(component: string): ReadonlySet<string> {
  return new Set(guardOnly.filter((one) => one.component === component).map(({ rule }) => rule));
}
