import { z } from 'zod';
import { markerMode } from './marker-mode.ts';
import { modelSpec } from './model-spec.ts';
import { trigger } from './trigger.ts';

/** Settings of `summarize`; every default is the design's. Token figures are in tokens. */
export const summarizeConfig = z
  .strictObject({
    summary_level: z.enum(['concise', 'regular', 'highly_detailed']).default('regular'),
    /** Trailing messages kept byte for byte. */
    keep_last: z.int().min(0).default(3),
    /** Smallest span worth a summary. */
    min_tokens: z.int().min(0).default(500),
    /** `false`: tool outputs are masked in what the summarizer reads. */
    include_tool_calls: z.boolean().default(false),
    /** Tail at which the checkpoint rolls forward; 0: summarize every eligible request. */
    resummarize_tokens: z.int().min(0).default(6000),
    /** Legacy: used when `trigger.min_messages` is absent or 0; 0: no constraint. */
    start_from_message: z.int().min(0).default(6),
    model: modelSpec,
    trigger,
    marker_mode: markerMode,
  })
  .prefault({});

export type SummarizeConfig = z.output<typeof summarizeConfig>;
