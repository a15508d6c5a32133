/**
 * What becomes of an outcome that is not there. `loss`: it counts as reward 0 in the arm that lacks it, and
 * the pair stays. `drop`: it is left out, and with the last one of an arm the pair.
 */
export type MissingRule = 'loss' | 'drop';

export const DEFAULT_MISSING_RULE: MissingRule = 'loss';

/** What was missing, and what was done about it. Tasks are in the order of their names. */
export interface MissingReport {
  readonly rule: MissingRule;
  /** Tasks with an outcome missing in this arm; as a loss, one in the baseline favours the config. */
  readonly inBaseline: readonly string[];
  readonly inConfig: readonly string[];
  /** Outcomes that were counted as losses. */
  readonly imputed: number;
  /** Tasks that were left out because an arm had no outcome. */
  readonly dropped: readonly string[];
}

/** One arm's values of one task after the rule. */
export interface SettledValues {
  readonly values: readonly number[];
  readonly missing: number;
}

/** Applies the rule to one arm of one task; an arm without any row lacks one outcome. */
export function settleMissing(
  values: readonly (number | undefined)[],
  rule: MissingRule,
): SettledValues {
  const all = values.length === 0 ? [undefined] : values;
  const present = all.filter((value) => value !== undefined);
  const missing = all.length - present.length;
  if (rule === 'drop') return { values: present, missing };
  return { values: [...present, ...Array.from({ length: missing }, () => 0)], missing };
}
