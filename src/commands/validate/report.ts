/** What `validate` prints. */

import type { ShapeMode } from '../../shape/rule.ts';
import { rules, type ShapeDialect, type Violation } from '../../shape/validate.ts';

/** One checked list. */
export interface CheckedList {
  readonly file: string;
  readonly dialect: ShapeDialect;
  readonly mode: ShapeMode;
  readonly messages: number;
  /** `request` is given where the list is one of a recording's: the first that has the violation. */
  readonly violations: readonly (Violation & { readonly request?: number })[];
}

const textOfRule = new Map(rules.map((rule) => [rule.id, rule]));

/** `3 errors`, `1 error`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

export function countOf(lists: readonly CheckedList[], severity: Violation['severity']): number {
  return lists.flatMap((list) => list.violations).filter((one) => one.severity === severity).length;
}

/** Lines for one list: its verdict, then each broken rule with its places, why it stands and what repairs it. */
export function describeList(list: CheckedList): string[] {
  const lines = [
    `${list.file}: ${counted(countOf([list], 'error'), 'error')}, ` +
      `${counted(countOf([list], 'warning'), 'warning')} in ${counted(list.messages, 'message')} ` +
      `(${list.dialect}, ${list.mode})`,
  ];
  const byRule = new Map<string, CheckedList['violations'][number][]>();
  for (const violation of list.violations) {
    const known = byRule.get(violation.rule);
    if (known === undefined) byRule.set(violation.rule, [violation]);
    else known.push(violation);
  }
  for (const [id, violations] of byRule) {
    for (const violation of violations) {
      lines.push(`  ${violation.severity} ${id} at ${placeOf(violation)}: ${violation.detail}`);
      if (violation.excerpt !== '') lines.push(`    found: ${violation.excerpt}`);
    }
    const rule = textOfRule.get(id);
    if (rule === undefined) continue;
    lines.push(`    why: ${rule.explanation}`);
    lines.push(`    the provider says: ${rule.providerError}`);
    lines.push(`    usual fix: ${rule.fix}`);
  }
  return lines;
}

function placeOf({ request, message, block }: CheckedList['violations'][number]): string {
  const places = [`message ${message}`];
  if (request !== undefined) places.unshift(`request ${request}`);
  if (block !== undefined) places.push(`block ${block}`);
  return places.join(', ');
}

/** Violations for `--json`, each with what its rule says. */
export function violationsAsJson(list: CheckedList): readonly object[] {
  return list.violations.map((violation) => {
    const rule = textOfRule.get(violation.rule);
    return { ...violation, why: rule?.explanation, fix: rule?.fix, source: rule?.source };
  });
}
