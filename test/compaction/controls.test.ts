import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BoundComponent, bindComponent } from '../../src/compaction/bound.ts';
import { turnsOf } from '../../src/compaction/control-turns.ts';
import { type ControlConfig, noop, randomDrop, recency } from '../../src/compaction/controls.ts';
import { Lineage, type PipelineResult, runPipeline } from '../../src/compaction/pipeline.ts';
import { markersIn, SENTINEL } from '../../src/compaction/stash.ts';
import { safeCuts } from '../../src/transcript/exchanges.ts';
import type { Message } from '../../src/transcript/message.ts';
import { listTokens } from '../../src/transcript/message-tokens.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { conversations } from '../support/conversations.ts';
import { verdictOf } from '../support/replay-lists.ts';
import {
  type Conversation,
  conversation,
  growingLists,
  wireDialects,
  workSession,
} from '../support/wire-steps.ts';

const components = { recency, random_drop: randomDrop, noop };
type Name = keyof typeof components;

function bound(name: Name, settings: object = {}): BoundComponent {
  const outcome = bindComponent<ControlConfig>(components[name], name, {
    budget: { match: 'other' },
    ...settings,
  });
  if (!outcome.ok) throw outcome.error;
  return outcome.bound;
}

interface Replayed {
  readonly before: readonly Message[];
  readonly result: PipelineResult;
  readonly budget: number | undefined;
}

/** Runs growing lists under budgets, with one session state. */
async function replay(
  step: BoundComponent,
  { dialect, table }: Conversation,
  lists: readonly (readonly Message[])[],
  budgetOf: (tokens: number, index: number) => number | undefined,
  lineage = new Lineage(),
): Promise<Replayed[]> {
  const counting = { tokenizer: 'o200k_base', dialect, thinking: 'all' } as const;
  const replayed: Replayed[] = [];
  for (const [index, before] of lists.entries()) {
    const budget = budgetOf(listTokens(before, counting), index);
    const result = await runPipeline(before, lineage, {
      steps: [step],
      dialect: dialectOf(dialect),
      table,
      counting,
      contextWindow: undefined,
      models: () => undefined,
      sample: 0,
      ...(budget === undefined ? {} : { budget }),
    });
    replayed.push({ before, result, budget });
  }
  return replayed;
}

function verdicts(replayed: readonly Replayed[]): string[] {
  return replayed.flatMap(({ result }) => result.steps.map(verdictOf));
}

/** The recorded messages that are still there, in order. */
function keptOf({ before, result }: Replayed): Message[] {
  return result.messages.filter((message) => before.includes(message));
}

const names = ['recency', 'random_drop'] as const;
const sessions = fc.record({
  session: conversations({ minTurns: 3, maxTurns: 12 }),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
  marker_mode: fc.constantFrom('full' as const, 'summary' as const, 'off' as const),
  seed: fc.nat(5),
});

describe.each(names)('%s', (name) => {
  it('meets the budget, or has only the first messages and the newest exchange left', async () => {
    let met = 0;
    await fc.assert(
      fc.asyncProperty(sessions, async ({ session, share, ...settings }) => {
        const lists = growingLists(session.messages);
        const step = bound(name, settings);
        for (const one of await replay(step, session, lists, (tokens) =>
          Math.floor(tokens * share),
        )) {
          const { result, budget = 0, before } = one;
          if (result.steps[0]?.kind !== 'changed') continue;
          if (result.tokensAfter <= budget) met++;
          const kept = keptOf(one);
          expect(kept[0]).toBe(before[0]);
          expect(kept.at(-1)).toBe(before.at(-1));
          if (result.tokensAfter > budget && name === 'recency') {
            const { head, turns } = turnsOf(before, { countMessage: () => 1 });
            const newest = turns.at(-1)?.from ?? 0;
            expect(kept).toEqual([...before.slice(0, head.to), ...before.slice(newest)]);
          }
        }
      }),
      // A fixed seed, since how often the budget is met is counted.
      { numRuns: 150, seed: 20261130 },
    );
    expect(met).toBeGreaterThan(50);
  });

  it('cuts only between exchanges', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async ({ session, share, ...settings }) => {
        const lists = growingLists(session.messages);
        const step = bound(name, settings);
        for (const one of await replay(step, session, lists, (tokens) => tokens * share)) {
          const safe = safeCuts(one.before);
          const kept = new Set(keptOf(one));
          for (const [index, message] of one.before.entries()) {
            const previous = one.before[index - 1];
            if (previous === undefined || kept.has(message) === kept.has(previous)) continue;
            // An equal message may stand in a dropped exchange as well.
            if (one.before.filter((other) => other === message || other === previous).length > 2)
              continue;
            expect(safe[index]).toBe(true);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  it.each(wireDialects)(
    'leaves a marker for each dropped run, which gives it back (%s)',
    async (dialect) => {
      const session = conversation(dialect, workSession(dialect, 12, 120));
      const lineage = new Lineage();
      const lists = [session.messages];
      const [one] = await replay(bound(name), session, lists, (tokens) => tokens / 2, lineage);
      if (one === undefined) throw new Error('nothing was replayed');
      const restored = one.result.messages
        .flatMap((message) =>
          one.before.includes(message)
            ? [message.raw]
            : markersIn(message.raw).map((key) => lineage.stash.expand(key)?.slice(1, -1)),
        )
        .join(',');
      expect(restored).toBe(one.before.map(({ raw }) => raw).join(','));
      expect(markersIn(restored)).toEqual([]);
      expect(one.result.messages.length).toBeLessThan(one.before.length);
    },
  );

  it('says with a sentinel, or not at all, what was dropped', async () => {
    const session = conversation('anthropic', workSession('anthropic', 10, 120));
    const textOf = async (marker_mode: string) => {
      const step = bound(name, { marker_mode });
      const [one] = await replay(step, session, [session.messages], (tokens) => tokens / 2);
      return one?.result.messages.map(({ raw }) => raw).join('\n') ?? '';
    };
    expect(await textOf('summary')).toContain(SENTINEL);
    expect(await textOf('off')).not.toMatch(/<<cg:|left out/);
    expect(markersIn(await textOf('full')).length).toBeGreaterThan(0);
  });

  it('names why it does nothing', async () => {
    const session = conversation('anthropic', workSession('anthropic', 3));
    const { messages } = session;
    expect(verdicts(await replay(bound(name), session, [messages], () => undefined))).toEqual([
      'no_budget',
    ]);
    expect(verdicts(await replay(bound(name), session, [messages], (tokens) => tokens))).toEqual([
      'within_budget',
    ]);
    const short = messages.slice(0, 3);
    expect(verdicts(await replay(bound(name), session, [short], () => 1))).toEqual(['no_boundary']);
  });
});

describe('recency', () => {
  it('keeps the newest exchanges and no hole between them', async () => {
    const session = conversation('anthropic', workSession('anthropic', 10, 100));
    const [one] = await replay(
      bound('recency'),
      session,
      [session.messages],
      (tokens) => tokens / 2,
    );
    if (one === undefined) throw new Error('nothing was replayed');
    const kept = keptOf(one);
    const newest = kept.length - 1;
    expect(kept).toEqual([one.before[0], ...one.before.slice(-newest)]);
    expect(newest).toBeGreaterThan(2);
    expect(one.result.tokensAfter).toBeLessThanOrEqual(one.budget ?? 0);
    // One exchange more would not have fitted.
    const wider = one.before.slice(-newest - 2);
    const tokens = listTokens(wider, {
      tokenizer: 'o200k_base',
      dialect: 'anthropic',
      thinking: 'all',
    });
    expect(tokens).toBeGreaterThan((one.budget ?? 0) - 60);
  });
});

describe('random_drop', () => {
  const session = conversation('openai-chat', workSession('openai-chat', 30, 60));
  const lists = growingLists(session.messages);

  it('keeps dropped what it dropped, also when the budget grows', async () => {
    const budget = (tokens: number, index: number) => (index % 3 === 2 ? tokens : tokens * 0.6);
    const replayed = await replay(bound('random_drop'), session, lists, budget);
    let last = new Set<Message>();
    for (const one of replayed) {
      const kept = new Set(keptOf(one));
      const gone = new Set(one.before.filter((message) => !kept.has(message)));
      for (const message of last) expect(gone.has(message)).toBe(true);
      last = gone;
    }
    expect(last.size).toBeGreaterThan(10);
    expect(verdicts(replayed)).toContain('reused');
  });

  it('drops by its seed: the same one the same, another one other exchanges', async () => {
    const keptWith = async (settings: object) => {
      const step = bound('random_drop', settings);
      const [one] = await replay(step, session, [session.messages], (tokens) => tokens / 2);
      return one === undefined ? [] : keptOf(one).map(({ raw }) => raw);
    };
    const first = await keptWith({ seed: 1 });
    expect(await keptWith({ seed: 1 })).toEqual(first);
    expect(await keptWith({})).toEqual(first);
    const others = await Promise.all([2, 3, 4].map((seed) => keptWith({ seed })));
    expect(others.some((kept) => kept.join() !== first.join())).toBe(true);
    // Not simply the oldest: something before the last dropped exchange is kept.
    const flags = session.messages.map(({ raw }) => first.includes(raw));
    expect(flags.slice(2, flags.lastIndexOf(false))).toContain(true);
  });
});

it('noop rewrites nothing, whatever the budget', async () => {
  const session = conversation('anthropic', workSession('anthropic', 4));
  const [one] = await replay(bound('noop'), session, [session.messages], () => 1);
  expect(one?.result.messages).toBe(session.messages);
  expect(one && verdicts([one])).toEqual(['noop']);
});
