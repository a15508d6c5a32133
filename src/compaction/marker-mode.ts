import { z } from 'zod';

/**
 * What is left in the place of dropped content: `full` a resolvable marker, with the content stashed;
 * `summary` a sentinel, nothing stashed; `off` no trace.
 */
export const markerMode = z
  .enum(['full', 'summary', 'off'])
  .default('full')
  .describe(
    'What is left in the place of dropped content: `full` a marker that gives it back; `summary` a sentinel, nothing stashed; `off` no trace.',
  );

export type MarkerMode = z.output<typeof markerMode>;
