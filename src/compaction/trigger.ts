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
    min_request_tokens: count,
    min_messages: count,
    min_request_frac: fraction,
    min_output_tokens: count,
    min_output_frac: fraction,
    huge_output_frac: fraction,
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
