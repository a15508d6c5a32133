import { findProvider } from '@pydantic/genai-prices';

/** Ids of the models of Anthropic and OpenAI in the offline price table. */
export function knownModels(): readonly string[] {
  return ['anthropic', 'openai'].flatMap(
    (providerId) => findProvider({ providerId })?.models.map(({ id }) => id) ?? [],
  );
}
