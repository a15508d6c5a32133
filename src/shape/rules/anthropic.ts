import { dialectRules, type Rule } from '../rule.ts';
import { cacheMarkRules } from './anthropic/cache-marks.ts';
import { contentRules } from './anthropic/content.ts';
import { emptinessRules } from './anthropic/emptiness.ts';
import { endRules } from './anthropic/ends.ts';
import { anthropicFacts } from './anthropic/facts.ts';
import { pairRules } from './anthropic/pairs.ts';
import { serverToolRules } from './anthropic/server-tools.ts';
import { systemRules } from './anthropic/system.ts';
import { thinkingRules } from './anthropic/thinking.ts';
import { bindingRule } from './anthropic/thinking-binding.ts';
import { wellFormed } from './any.ts';

/** Rules of Anthropic Messages. */
export const anthropicRules: readonly Rule[] = dialectRules({
  facts: anthropicFacts,
  message: [...contentRules, ...emptinessRules, wellFormed],
  list: [
    ...systemRules,
    ...pairRules,
    ...serverToolRules,
    ...thinkingRules,
    bindingRule,
    ...endRules,
    ...cacheMarkRules,
  ],
});
