import { z } from 'zod';
import { markerMode } from '../marker-mode.ts';
import { modelSpec } from '../model-spec.ts';
import { trigger } from '../trigger.ts';

/** Settings of `extract`; every default is the design's. Token figures are in tokens. */
export const extractConfig = z
  .strictObject({
    /** A model strategy falls back to `deterministic`, then to the untouched output. */
    strategy: z.enum(['deterministic', 'code', 'rlm']).default('deterministic'),
    /** Of the programs that a model writes. */
    language: z.enum(['javascript', 'starlark']).default('javascript'),
    /** Smallest output to look at; `trigger.min_output_tokens` and `.min_output_frac` raise it. */
    min_tokens: z.int().min(0).default(300),
    /** What a model's reduction of text may drop: whole lines, or characters inside them. */
    granularity: z.enum(['line', 'char']).default('line'),
    /** Share of the output's tokens that an accepted reduction keeps at least. */
    min_keep_ratio: z.number().min(0).max(1).default(0.05),
    /** Identifiers of the recent turns that must survive, where the output holds them. */
    keep_identifiers: z.int().min(0).default(60),
    /** One more call for a program with a syntax error, without the output. */
    repair: z.boolean().default(true),
    /** Limits of one exploration (`strategy: rlm`). */
    rlm: z
      .strictObject({
        max_rounds: z.int().min(1).default(8),
        /** Model calls: rounds and the questions that programs ask. */
        max_calls: z.int().min(1).default(16),
        /** Tokens that these calls read and write. */
        max_tokens: z.int().min(1).default(100_000),
      })
      .prefault({}),
    model: modelSpec,
    trigger,
    marker_mode: markerMode,
  })
  .prefault({});

export type ExtractConfig = z.output<typeof extractConfig>;
