import { calcPrice } from '@pydantic/genai-prices';

/**
 * Context window of a model in tokens, from the offline price table; undefined when it is not known.
 * Router prefixes (`aws/`, `litellm_proxy/`, `us.anthropic.`) are not part of the name.
 */
export function contextWindowOf(model: string | undefined): number | undefined {
  if (model === undefined) return undefined;
  const known = windows.get(model);
  if (known !== undefined || windows.has(model)) return known;
  const found = lookUp(model);
  windows.set(model, found);
  return found;
}

const windows = new Map<string, number | undefined>();

function lookUp(model: string): number | undefined {
  for (const name of bareNames(model)) {
    const window = calcPrice({ input_tokens: 0, output_tokens: 0 }, name)?.model.context_window;
    if (window !== undefined) return window;
  }
  return undefined;
}

/** The name as given, and without the prefixes of routers. */
export function bareNames(model: string): ReadonlySet<string> {
  const bare = (model.split('/').at(-1) ?? model).replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '');
  return new Set([model, bare]);
}
