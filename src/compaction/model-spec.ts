import { z } from 'zod';

/**
 * Whom a component asks. `incoming`: the transcript's own model at its provider; `config`: the block's
 * own settings, or those of `CHEAP_MODEL*`.
 */
export const modelSpec = z
  .strictObject({
    source: z.enum(['incoming', 'config']).default('incoming'),
    model: z.string().min(1).optional(),
    provider: z.enum(['anthropic', 'openai']).default('anthropic'),
    base_url: z.url().optional(),
    api_key: z.string().min(1).optional(),
    auth: z.enum(['x-api-key', 'bearer']).default('x-api-key'),
  })
  .prefault({});

export type ModelSpec = z.output<typeof modelSpec>;
