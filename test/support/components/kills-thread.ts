import { defineComponent, z } from 'compaction-harness';

/** Faulty on purpose: ends the thread that it runs in, at a transcript whose text names the way. */
export default defineComponent({
  name: 'kills_thread',
  kind: 'reformat',
  about: 'Ends its own thread.',
  version: 1,
  timeLimit: 60_000,
  config: z.strictObject({}).prefault({}),
  async compact({ messages }) {
    const text = messages.map(({ raw }) => raw).join('');
    if (text.includes('module-1')) process.exit(3);
    if (text.includes('module-2')) {
      setTimeout(() => {
        throw new Error('thrown where nobody catches it');
      });
      await new Promise((resolve) => setTimeout(resolve, 30_000));
    }
    if (text.includes('module-3')) {
      const held: number[][] = [];
      for (;;) held.push(Array.from({ length: 1e6 }, Math.random));
    }
    return { kind: 'skipped', gate: 'harmless' };
  },
});
