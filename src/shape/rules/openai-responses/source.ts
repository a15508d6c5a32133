import type { RuleText } from '../../rule.ts';

type Described = Omit<RuleText, 'provider' | 'severity' | 'source'> &
  Partial<Pick<RuleText, 'severity' | 'source'>>;

/** Completes what all rules of OpenAI Responses share. */
export function described(text: Described): RuleText {
  return {
    provider: 'openai-responses',
    severity: 'error',
    source: 'shape-rules.md, OpenAI Responses: provider documentation and public reports',
    ...text,
  };
}
