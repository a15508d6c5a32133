import { z } from 'zod';
import { markerMode } from './marker-mode.ts';
import { modelSpec } from './model-spec.ts';
import { trigger } from './trigger.ts';

/** Settings of `summarize`; every default is the design's. Token figures are in tokens. */
export const summarizeConfig = z
  .strictObject({
    summary_level: z
      .enum(['concise', 'regular', 'highly_detailed'])
      .default('regular')
      .describe('How much of the span the summary tells.'),
    keep_last: z.int().min(0).default(3).describe('Trailing messages kept byte for byte.'),
    min_tokens: z.int().min(0).default(500).describe('Smallest span worth a summary.'),
    include_tool_calls: z
      .boolean()
      .default(false)
      .describe('`false`: tool outputs are masked in what the summarizer reads.'),
    resummarize_tokens: z
      .int()
      .min(0)
      .default(6000)
      .describe('Tail at which the checkpoint rolls forward; 0: summarize every eligible request.'),
    start_from_message: z
      .int()
      .min(0)
      .default(6)
      .describe('Legacy: used when `trigger.min_messages` is absent or 0; 0: no constraint.'),
    model: modelSpec,
    trigger,
    marker_mode: markerMode,
  })
  .prefault({});

export type SummarizeConfig = z.output<typeof summarizeConfig>;
