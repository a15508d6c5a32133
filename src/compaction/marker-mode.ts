import { z } from 'zod';

/**
 * What is left in the place of dropped content: `full` a resolvable marker, with the content stashed;
 * `summary` a sentinel, nothing stashed; `off` no trace.
 */
export const markerMode = z.enum(['full', 'summary', 'off']).default('full');

export type MarkerMode = z.output<typeof markerMode>;
