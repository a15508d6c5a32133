import { z } from 'zod';

/** The lines of the harness's own format, which `docs/normalized.md` describes. */

/** What stands in the first line of each transcript. */
export const NORMALIZED = 'compaction-harness';
/** Raised by whatever a reader of the version before would read wrongly. */
export const NORMALIZED_VERSION = 1;

const number = z.number().int().nonnegative();

/** Keys in the order in which the recording had them: the hash of a transcript depends on it. */
const usage = z.partialRecord(
  z.enum([
    'inputTokens',
    'outputTokens',
    'cacheReadTokens',
    'cacheWriteTokens',
    'cacheWrite1hTokens',
  ]),
  z.number(),
);

export const transcriptLine = z.looseObject({
  type: z.literal('transcript'),
  format: z.literal(NORMALIZED),
  version: z.literal(NORMALIZED_VERSION),
  dialect: z.enum(['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'bedrock']),
  task: z.string(),
  trial: z.string(),
  lineage: z.string(),
  agent: z.string().optional(),
  model: z.string().optional(),
  reward: z.number().optional(),
  cost: z.number().optional(),
  retries: number,
  source: z.looseObject({ file: z.string(), format: z.string(), session: z.string() }),
});

/** A distinct message, numbered from 0 in the order of these lines; `raw` is its exact JSON text. */
const messageLine = z.looseObject({ type: z.literal('message'), raw: z.string() });

/** What stands around message lists, numbered from 0 too. */
const envelopeLine = z.looseObject({
  type: z.literal('envelope'),
  head: z.string(),
  separator: z.string(),
  gaps: z.array(z.string()).optional(),
  tail: z.string(),
  system: z.string().optional(),
  tools: z.string().optional(),
});

/** A model call: the first `keep` messages of the list before, then those of these numbers. */
export const requestLine = z.looseObject({
  type: z.literal('request'),
  segment: number,
  keep: number,
  add: z.array(number),
  envelope: number.optional(),
  action: number.optional(),
  model: z.string().optional(),
  time: z.number().optional(),
  usage: usage.optional(),
  cost: z.number().optional(),
});

/**
 * Closes a transcript, so that a file that was cut short is known for it, and one with a line more or less: such
 * a line moves the numbers of those behind it. Files of earlier versions count their requests alone.
 */
const endLine = z.looseObject({
  type: z.literal('end'),
  requests: number,
  messages: number.optional(),
  envelopes: number.optional(),
});

export const bodyLine = z.discriminatedUnion('type', [
  messageLine,
  envelopeLine,
  requestLine,
  endLine,
]);

export type TranscriptLine = z.infer<typeof transcriptLine>;
export type BodyLine = z.infer<typeof bodyLine>;
