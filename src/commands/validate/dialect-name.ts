import type { ShapeDialect } from '../../shape/validate.ts';

const NAMES: ReadonlyMap<string, ShapeDialect> = new Map<string, ShapeDialect>([
  ['anthropic', 'anthropic'],
  ['openai-chat', 'openai-chat'],
  ['openai-responses', 'openai-responses'],
  ['gemini', 'gemini'],
  ['bedrock', 'bedrock'],
  ['bedrock-converse', 'bedrock'],
]);

/** Names that `--dialect` and case files take. */
export const dialectNames: readonly string[] = [...NAMES.keys()];

/** The dialect of this name; `bedrock-converse` is accepted for `bedrock`. */
export function dialectNamed(name: string): ShapeDialect | undefined {
  return NAMES.get(name);
}
