import { countTokens, type TokenizerName } from '../text/tokens.ts';
import type { Config } from './config.ts';

/** The tool by which an agent gets back what a marker stands for. */
export const EXPAND_TOOL = {
  name: 'context_guru_expand',
  description:
    'Returns the full content that was left out of this conversation where a marker <<cg:HASH>> stands. Use it when you need an exact detail from behind a marker.',
  input_schema: {
    type: 'object',
    properties: {
      hash: { type: 'string', description: 'The 16 hexadecimal digits of the marker.' },
    },
    required: ['hash'],
  },
} as const;

/**
 * Whether the tool is declared to the agent, from the lineage's first request on and then always, since
 * toggling it would change the first cached bytes. `auto`: if the pipeline can stash anything.
 */
export function declaresExpand({
  steps,
  inject = 'auto',
}: Pick<Config, 'steps' | 'inject'>): boolean {
  if (inject !== 'auto') return inject === 'always';
  return steps.some(({ stashes }) => stashes);
}

/** Tokens of the declaration, which every request of the lineage carries. */
export function declarationTokens(tokenizer: TokenizerName): number {
  return countTokens(JSON.stringify(EXPAND_TOOL), tokenizer);
}

/** Tokens of one call of the tool: its name and its arguments. */
export function expandCallTokens(key: string, tokenizer: TokenizerName): number {
  return (
    countTokens(EXPAND_TOOL.name, tokenizer) + countTokens(JSON.stringify({ hash: key }), tokenizer)
  );
}
