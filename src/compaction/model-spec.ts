import { z } from 'zod';

/**
 * Whom a component asks. `incoming`: the transcript's own model at its provider; `config`: the block's
 * own settings, or those of `CHEAP_MODEL*`.
 */
export const modelSpec = z
  .strictObject({
    source: z
      .enum(['incoming', 'config'])
      .default('incoming')
      .describe(
        "`incoming`: the transcript's own model at its provider; `config`: the settings of this block, or those of `CHEAP_MODEL*`.",
      ),
    model: z.string().min(1).optional().describe('Id of the model, as its provider knows it.'),
    provider: z
      .enum(['anthropic', 'openai'])
      .default('anthropic')
      .describe('Whose wire the endpoint speaks; `openai` is any compatible server.'),
    base_url: z
      .url()
      .optional()
      .describe("Where the endpoint is, if not at the provider's own address."),
    api_key: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Better left to the environment: the provider's own variable, or `CHEAP_MODEL_KEY`.",
      ),
    auth: z
      .enum(['x-api-key', 'bearer'])
      .default('x-api-key')
      .describe('Header that carries the key.'),
  })
  .prefault({});

export type ModelSpec = z.output<typeof modelSpec>;
