import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CellOutcome } from '../../../src/sweep/cell-outcome.ts';
import { InOrder, type Turn } from '../../../src/sweep/executors/in-order.ts';
import { runRow } from '../../support/rows.ts';

const outcomeOf = (cellId: string): CellOutcome => ({
  row: runRow('task', 'config', { cellId }),
  references: [],
});

/** Which turn acts at each step, by number; each keeps all of its outcomes and ends. */
const plans = fc.array(fc.nat(3), { minLength: 1, maxLength: 6 }).chain((counts) =>
  fc
    .shuffledSubarray(
      counts.flatMap((count, turn) => Array.from({ length: count + 1 }, (_, step) => [turn, step])),
      { minLength: counts.reduce((sum, count) => sum + count + 1, 0) },
    )
    .map((steps) => ({ counts, turns: steps.map(([turn = 0]) => turn) })),
);

async function run(
  { counts, turns }: { counts: readonly number[]; turns: readonly number[] },
  upTo = turns.length,
): Promise<string[]> {
  const kept: string[] = [];
  const order = new InOrder(async ({ row }) => {
    kept.push(row.cellId);
  });
  const begun: Turn[] = counts.map(() => order.begin());
  const done = counts.map(() => 0);
  for (const turn of turns.slice(0, upTo)) {
    const step = done[turn] ?? 0;
    done[turn] = step + 1;
    if (step < (counts[turn] ?? 0)) await begun[turn]?.keep(outcomeOf(`${turn}.${step}`));
    else await begun[turn]?.end();
  }
  await order.flush();
  return kept;
}

describe('outcomes', () => {
  test('are kept in the order of their transcripts, in whatever order they come', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const expected = plan.counts.flatMap((count, turn) =>
          Array.from({ length: count }, (_, step) => `${turn}.${step}`),
        );
        expect(await run(plan)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  test('that wait are kept, and once, where the run is stopped', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(20), async (plan, upTo) => {
        const kept = await run(plan, upTo);
        expect(kept).toHaveLength(new Set(kept).size);
        const steps = plan.turns.slice(0, upTo);
        for (const [turn, count] of plan.counts.entries()) {
          const given = Math.min(count, steps.filter((one) => one === turn).length);
          expect(kept.filter((id) => id.startsWith(`${turn}.`))).toHaveLength(given);
        }
      }),
      { numRuns: 200 },
    );
  });
});
