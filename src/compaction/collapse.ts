import { z } from 'zod';
import { defineComponent } from './component.ts';
import { markerMode } from './marker-mode.ts';
import { headOf, tailOf } from './text-cut.ts';
import { outputTokens, shortenOutputs, toolOutputs } from './tool-outputs.ts';
import { requestGate, trigger } from './trigger.ts';

const collapseConfig = z
  .strictObject({
    max_tokens: z
      .int()
      .min(1)
      .default(2000)
      .describe('Largest output that is left whole, in tokens.'),
    max_frac: z
      .number()
      .min(0)
      .max(1)
      .default(0)
      .describe('The same as a share of the context window; only raises `max_tokens`.'),
    head_lines: z.int().min(0).default(20).describe('Lines that stay at the start.'),
    tail_lines: z.int().min(0).default(20).describe('Lines that stay at the end.'),
    trigger,
    marker_mode: markerMode,
  })
  .prefault({});

type CollapseConfig = z.output<typeof collapseConfig>;

/** An oversized output keeps its head and its tail. */
export const collapse = defineComponent<CollapseConfig>({
  name: 'collapse',
  kind: 'offload',
  about: 'Keeps the first and last lines of an oversized tool output.',
  version: 1,
  timeLimit: 10_000,
  config: collapseConfig,
  async compact(request, config, context) {
    const { tokens, messages } = request;
    const { contextWindow } = context;
    const gate = requestGate(config.trigger, { tokens, messages: messages.length, contextWindow });
    if (gate !== undefined) return { kind: 'skipped', gate };
    const limit = Math.max(config.max_tokens, config.max_frac * (contextWindow ?? 0));
    const large = toolOutputs(messages).filter((output) => outputTokens(output, context) > limit);
    if (large.length === 0) return { kind: 'skipped', gate: 'no_large_output' };
    const options = { markerMode: config.marker_mode, gate: 'no_gain', basis: () => '' };
    return shortenOutputs(request, large, options, context, (output) =>
      headAndTail(output.text, config),
    );
  },
});

/** Lines may be long, so each end also has a limit in characters: four a token of half the budget. */
function headAndTail(text: string, config: CollapseConfig): string {
  const lines = text.split('\n');
  const room = config.max_tokens * 2;
  if (lines.length <= config.head_lines + config.tail_lines) {
    const head = headOf(text, room);
    const tail = tailOf(text, Math.min(room, Math.max(0, text.length - head.length)));
    return `${head}\n[${text.length - head.length - tail.length} characters left out]\n${tail}`;
  }
  const head = lines.slice(0, config.head_lines).join('\n');
  const tail = config.tail_lines === 0 ? '' : lines.slice(-config.tail_lines).join('\n');
  const left = lines.length - config.head_lines - config.tail_lines;
  const parts = [headOf(head, room), `[${left} lines left out]`, tailOf(tail, room)];
  return parts.filter((part) => part !== '').join('\n');
}
