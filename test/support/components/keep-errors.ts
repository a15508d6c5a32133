import { defineComponent, markerMode, shortenOutputs, toolOutputs, z } from 'compaction-harness';

const config = z
  .strictObject({
    /** Smallest output that is looked at, in lines. */
    min_lines: z.int().min(1).default(20),
    marker_mode: markerMode,
  })
  .prefault({});

/** Of a long tool output only the lines that speak of a failure stay. */
export default defineComponent<z.output<typeof config>>({
  name: 'keep_errors',
  kind: 'offload',
  about: 'Keeps the lines of a long tool output that speak of an error.',
  version: 1,
  timeLimit: 5_000,
  config,
  async compact(request, { min_lines, marker_mode }, context) {
    const long = toolOutputs(request.messages).filter(
      ({ text }) => text.split('\n').length >= min_lines,
    );
    if (long.length === 0) return { kind: 'skipped', gate: 'no_long_output' };
    const options = { markerMode: marker_mode, gate: 'no_gain' };
    return shortenOutputs(request, long, options, context, ({ text }) => {
      const lines = text.split('\n').filter((line) => /error|fail/i.test(line));
      return lines.length === 0 ? '[no line speaks of an error]' : lines.join('\n');
    });
  },
});
