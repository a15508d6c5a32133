import { z } from 'zod';
import { markerMode } from '../marker-mode.ts';
import { modelSpec } from '../model-spec.ts';
import { trigger } from '../trigger.ts';

/** Settings of `extract`; every default is the design's. Token figures are in tokens. */
export const extractConfig = z
  .strictObject({
    strategy: z
      .enum(['deterministic', 'code', 'rlm'])
      .default('deterministic')
      .describe('A model strategy falls back to `deterministic`, then to the untouched output.'),
    language: z
      .enum(['javascript', 'starlark'])
      .default('javascript')
      .describe('Of the programs that a model writes.'),
    min_tokens: z
      .int()
      .min(0)
      .default(300)
      .describe(
        'Smallest output to look at; `trigger.min_output_tokens` and `.min_output_frac` raise it.',
      ),
    granularity: z
      .enum(['line', 'char'])
      .default('line')
      .describe(
        "What a model's reduction of text may drop: whole lines, or characters inside them.",
      ),
    min_keep_ratio: z
      .number()
      .min(0)
      .max(1)
      .default(0.05)
      .describe("Share of the output's tokens that an accepted reduction keeps at least."),
    keep_identifiers: z
      .int()
      .min(0)
      .default(60)
      .describe('Identifiers of the recent turns that must survive, where the output holds them.'),
    repair: z
      .boolean()
      .default(true)
      .describe('One more call for a program with a syntax error, without the output.'),
    /** Limits of one exploration (`strategy: rlm`). */
    rlm: z
      .strictObject({
        max_rounds: z.int().min(1).default(8).describe('Programs of one exploration.'),
        max_calls: z
          .int()
          .min(1)
          .default(16)
          .describe('Model calls: rounds and the questions that programs ask.'),
        max_tokens: z
          .int()
          .min(1)
          .default(100_000)
          .describe('Tokens that these calls read and write.'),
      })
      .prefault({}),
    model: modelSpec,
    trigger,
    marker_mode: markerMode,
  })
  .prefault({});

export type ExtractConfig = z.output<typeof extractConfig>;
