import { z } from 'zod';
import { defineComponent } from './component.ts';
import { markerMode } from './marker-mode.ts';
import { headOf } from './text-cut.ts';
import { outputTokens, shortenOutputs, toolOutputs } from './tool-outputs.ts';
import { requestGate, trigger } from './trigger.ts';

const maskConfig = z
  .strictObject({
    keep_recent: z
      .int()
      .min(0)
      .default(3)
      .describe('Latest tool outputs that are left as they are.'),
    min_tokens: z.int().min(0).default(100).describe('Smallest output that is masked, in tokens.'),
    keep_head_chars: z
      .int()
      .min(0)
      .default(96)
      .describe('Characters of the output that stay to be seen.'),
    trigger,
    marker_mode: markerMode,
  })
  .prefault({});

/** Older tool outputs become a peek at their head and a marker. */
export const mask = defineComponent<z.output<typeof maskConfig>>({
  name: 'mask',
  kind: 'offload',
  about: 'Replaces older tool outputs by their first characters and a marker.',
  version: 1,
  timeLimit: 10_000,
  config: maskConfig,
  async compact(request, config, context) {
    const { tokens, messages } = request;
    const { contextWindow } = context;
    const gate = requestGate(config.trigger, { tokens, messages: messages.length, contextWindow });
    if (gate !== undefined) return { kind: 'skipped', gate };
    const outputs = toolOutputs(messages);
    const older = outputs.slice(0, Math.max(0, outputs.length - config.keep_recent));
    if (older.length === 0) return { kind: 'skipped', gate: 'no_older_output' };
    const options = { markerMode: config.marker_mode, gate: 'no_large_output', basis: () => '' };
    return shortenOutputs(request, older, options, context, (output) => {
      if (outputTokens(output, context) < config.min_tokens) return undefined;
      const head = headOf(output.text, config.keep_head_chars).trimEnd();
      const peek = head.trim() === '' ? '' : `${head} […]\n`;
      return `${peek}[output masked: ${outputTokens(output, context)} tokens]`;
    });
  },
});
