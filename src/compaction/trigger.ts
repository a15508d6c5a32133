import { z } from 'zod';

const count = z.int().min(0).default(0);
const fraction = z.number().min(0).max(1).default(0);

/**
 * When a component may act. Zero is no constraint. A fraction of the context window only raises its
 * absolute partner, and is ignored while the window is unknown. The `output` fields act per tool
 * output, so only components that look at single outputs use them.
 */
export const trigger = z
  .strictObject({
    min_request_tokens: count.describe('Smallest request that is looked at, in tokens.'),
    min_messages: count.describe('Fewest messages of a request that is looked at.'),
    min_request_frac: fraction.describe(
      'The same as a share of the context window: it only raises `min_request_tokens`.',
    ),
    min_output_tokens: count.describe('Smallest tool output that is looked at, in tokens.'),
    min_output_frac: fraction.describe('The same as a share of the context window.'),
    huge_output_frac: fraction.describe(
      'An output of this share of the window is looked at whatever the request-level keys say.',
    ),
  })
  .prefault({});

export type Trigger = z.output<typeof trigger>;

/** The gate that a request does not pass, or undefined when the trigger lets it through. */
export function requestGate(
  config: Trigger,
  request: {
    readonly tokens: number;
    readonly messages: number;
    readonly contextWindow: number | undefined;
  },
): string | undefined {
  if (request.messages < config.min_messages) return 'trigger:min_messages';
  if (request.tokens < config.min_request_tokens) return 'trigger:min_request_tokens';
  const window = request.contextWindow;
  if (window !== undefined && request.tokens < config.min_request_frac * window) {
    return 'trigger:min_request_frac';
  }
  return undefined;
}
