import { calcPrice } from '@pydantic/genai-prices';
import type { WireName } from './model.ts';
import { bareNames } from './windows.ts';

/** Whose model a name is: that of a provider with a wire, of another, or of nobody that is known. */
export type Vendor = WireName | 'other' | 'unknown';

const ANTHROPIC = /^claude[-.\d]/;
const OPENAI = /^(?:ft:)?(?:gpt-|chatgpt-|codex-|o\d(?:-|$))/;

/** By the name, without the prefixes of routers; else by the offline price table. */
export function vendorOf(model: string): Vendor {
  const names = [...bareNames(model)].map((name) => name.toLowerCase());
  if (names.some((name) => ANTHROPIC.test(name))) return 'anthropic';
  // OpenAI's open weights are served by others only.
  if (names.some((name) => name.startsWith('gpt-oss'))) return 'other';
  if (names.some((name) => OPENAI.test(name))) return 'openai-chat';
  for (const name of names) {
    const provider = calcPrice({ input_tokens: 0, output_tokens: 0 }, name)?.provider.id;
    if (provider === undefined) continue;
    if (provider === 'anthropic') return 'anthropic';
    return provider === 'openai' ? 'openai-chat' : 'other';
  }
  return 'unknown';
}

/**
 * The name by which the provider's own address knows the model: routers prefix it, Bedrock and Vertex write
 * its version and date their way, OpenRouter has points in Anthropic's.
 */
export function nameAtProvider(model: string, wire: WireName): string {
  const bare = [...bareNames(model)].at(-1) ?? model;
  if (wire === 'openai-chat') return bare;
  return bare
    .replace(/-v\d+(?::\d+[\w:]*)?$/, '')
    .replace('@', '-')
    .replaceAll('.', '-');
}
