import { z } from 'zod';

/** A part of a multi-modal message. */
const partSchema = z.looseObject({ type: z.string(), text: z.string().nullish() });
const contentSchema = z.union([z.string(), z.array(partSchema)]).nullish();

const metricsSchema = z.looseObject({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  cached_tokens: z.number().nullish(),
  cost_usd: z.number().nullish(),
});

const referenceSchema = z.looseObject({
  session_id: z.string().nullish(),
  trajectory_id: z.string().nullish(),
  trajectory_path: z.string().nullish(),
});

const stepSchema = z.looseObject({
  source: z.enum(['system', 'user', 'agent']),
  message: contentSchema,
  timestamp: z.string().nullish(),
  model_name: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  tool_calls: z
    .array(z.looseObject({ tool_call_id: z.string().nullish(), function_name: z.string() }))
    .nullish(),
  observation: z
    .looseObject({
      results: z
        .array(
          z.looseObject({
            source_call_id: z.string().nullish(),
            content: contentSchema,
            subagent_trajectory_ref: z.array(referenceSchema).nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
  metrics: metricsSchema.nullish(),
  /** Copied from the trajectory that this one continues. */
  is_copied_context: z.boolean().nullish(),
  /** 0: the agent's program wrote the step, and asked no model. */
  llm_call_count: z.number().nullish(),
});

export const trajectorySchema = z.looseObject({
  schema_version: z.string().nullish(),
  session_id: z.string().nullish(),
  trajectory_id: z.string().nullish(),
  agent: z.looseObject({ name: z.string().nullish(), model_name: z.string().nullish() }).nullish(),
  steps: z.array(stepSchema),
  continued_trajectory_ref: z.string().nullish(),
  final_metrics: z.looseObject({ total_cost_usd: z.number().nullish() }).nullish(),
  /** Sub-agents that stand in the same file. */
  subagent_trajectories: z.array(z.unknown()).nullish(),
});

export type Content = z.infer<typeof contentSchema>;
export type Step = z.infer<typeof stepSchema>;
export type Trajectory = z.infer<typeof trajectorySchema>;
export type Reference = z.infer<typeof referenceSchema>;
