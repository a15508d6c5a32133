import { z } from 'zod';
import { defineComponent } from './component.ts';
import { markerMode } from './marker-mode.ts';
import { outputTokens, shortenOutputs, type ToolOutput, toolOutputs } from './tool-outputs.ts';
import { requestGate, trigger } from './trigger.ts';

const dedupConfig = z
  .strictObject({
    min_tokens: z
      .int()
      .min(0)
      .default(100)
      .describe('Smallest output that is looked at, in tokens.'),
    trigger,
    marker_mode: markerMode,
  })
  .prefault({});

/** Later outputs with the same text as an earlier one become a pointer to it. */
export const dedup = defineComponent<z.output<typeof dedupConfig>>({
  name: 'dedup',
  kind: 'offload',
  about: 'Replaces a tool output that repeats an earlier one by a pointer to the first.',
  version: 1,
  timeLimit: 10_000,
  config: dedupConfig,
  async compact(request, config, context) {
    const { tokens, messages } = request;
    const { contextWindow } = context;
    const gate = requestGate(config.trigger, { tokens, messages: messages.length, contextWindow });
    if (gate !== undefined) return { kind: 'skipped', gate };
    const firsts = { true: new Map<string, ToolOutput>(), false: new Map<string, ToolOutput>() };
    const sameAs = ({ result }: ToolOutput) => firsts[`${result.isError}`];
    const repeats: ToolOutput[] = [];
    for (const output of toolOutputs(messages)) {
      // Media beside the text may differ, and a failure is not the same fact as a success.
      if (output.result.media.length > 0 || outputTokens(output, context) < config.min_tokens)
        continue;
      const known = sameAs(output);
      if (known.has(output.text)) repeats.push(output);
      else known.set(output.text, output);
    }
    if (repeats.length === 0) return { kind: 'skipped', gate: 'no_repeat' };
    const options = { markerMode: config.marker_mode, gate: 'no_gain', basis: () => '' };
    return shortenOutputs(request, repeats, options, context, (output) => {
      const first = sameAs(output).get(output.text);
      if (first === undefined) return undefined;
      const id = first.result.id === '' ? '' : ` of ${first.result.id}`;
      return `[the same output as the earlier one${id}]`;
    });
  },
});
