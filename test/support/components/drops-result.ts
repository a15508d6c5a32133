import { defineComponent, z } from 'compaction-harness';

/** Faulty on purpose: of two parallel calls it forgets a result, and nothing is stashed. */
export default defineComponent({
  name: 'drops_result',
  kind: 'offload',
  about: 'Drops the first message that holds a tool result.',
  version: 1,
  timeLimit: 5_000,
  config: z.strictObject({}).prefault({}),
  async compact({ messages }) {
    const at = messages.findIndex(({ blocks }) =>
      blocks.some(({ kind }) => kind === 'tool-result'),
    );
    if (at < 0) return { kind: 'skipped', gate: 'no_result' };
    const rest = messages.filter((_, index) => index !== at);
    return { kind: 'changed', messages: rest, stashed: [], irreversible: true };
  },
});
