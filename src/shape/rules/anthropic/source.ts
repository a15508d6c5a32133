import type { RuleText } from '../../rule.ts';

/** Where the rules of this dialect are known from, when a rule does not say more. */
const SOURCE = 'shape-rules.md, Anthropic Messages: provider documentation and public reports';

type Described = Omit<RuleText, 'provider' | 'severity' | 'source'> &
  Partial<Pick<RuleText, 'severity' | 'source'>>;

/** Completes what all rules of Anthropic Messages share. */
export function described(text: Described): RuleText {
  return { provider: 'anthropic', severity: 'error', source: SOURCE, ...text };
}
