import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Message } from '../transcript/message.ts';
import {
  type CompactionRequest,
  type Context,
  defineComponent,
  type Outcome,
} from './component.ts';
import { type Turn, type Turns, traceTokens, turnsOf, withoutTurns } from './control-turns.ts';
import { markerMode } from './marker-mode.ts';

/** In the place of a config's name: one control for each config of the run. */
export const EACH_CONFIG = 'each';

/** Settings of the three controls. */
const controlConfig = z.strictObject({
  budget: z.strictObject({
    match: z
      .string()
      .min(1)
      .describe(
        'The config whose tokens after are the budget, request by request; `each`: one for every config.',
      ),
  }),
  marker_mode: markerMode
    .unwrap()
    .optional()
    .describe('That of the config that it matches when absent.'),
  seed: z.int().min(0).default(1).describe('Of `random_drop`: which turns go first.'),
});

export type ControlConfig = z.output<typeof controlConfig>;

const TIME_LIMIT = 10_000;

/** Keeps the first message and the newest turns that fit: what plain forgetting would save. */
export const recency = defineComponent<ControlConfig>({
  name: 'recency',
  kind: 'offload',
  about: 'Control: keeps the first message and the newest exchanges within the budget.',
  version: 1,
  timeLimit: TIME_LIMIT,
  config: controlConfig,
  compact: async (request, config, context) =>
    dropTurns(request, config, context, ({ turns }, surplus, dropped) => {
      for (const turn of turns.slice(0, -1)) {
        if (dropped.freed >= surplus) break;
        dropped.add(turn);
      }
      return { reused: false };
    }),
});

/** Drops turns at random; what is gone stays gone. */
export const randomDrop = defineComponent<ControlConfig>({
  name: 'random_drop',
  kind: 'offload',
  about: 'Control: drops exchanges at random until the budget is met.',
  version: 1,
  timeLimit: TIME_LIMIT,
  config: controlConfig,
  compact: async (request, config, context) => {
    const gone = droppedBefore(context.state.get());
    const outcome = dropTurns(request, config, context, ({ turns }, surplus, dropped) => {
      const names = namesOf(request.messages, turns);
      const older = turns.slice(0, -1);
      for (const turn of older) if (gone.has(names.get(turn) ?? '')) dropped.add(turn);
      if (dropped.freed >= surplus) return { reused: true };
      for (const turn of inRandomOrder(older, names, config.seed)) {
        if (dropped.freed >= surplus) break;
        // A turn that is smaller than its own trace frees nothing.
        if (turn.tokens > dropped.trace) dropped.add(turn);
      }
      for (const turn of dropped.turns) gone.add(names.get(turn) ?? '');
      return { reused: false };
    });
    if (outcome.kind === 'changed') context.state.set(gone);
    return outcome;
  },
});

/** Rewrites nothing: what the harness itself adds under a config's name. */
export const noop = defineComponent<ControlConfig>({
  name: 'noop',
  kind: 'reformat',
  about: 'Control: rewrites nothing.',
  version: 1,
  timeLimit: TIME_LIMIT,
  config: controlConfig,
  compact: async () => ({ kind: 'skipped', gate: 'noop' }),
});

/** Adds the turns to drop, never the newest one, until `surplus` tokens are freed or none is left. */
type Choose = (
  turns: Turns,
  surplus: number,
  dropped: DroppedTurns,
) => { readonly reused: boolean };

/** Turns that are to go, and the tokens that this frees once each run of them has its trace. */
class DroppedTurns {
  readonly turns = new Set<Turn>();
  /** Tokens of the trace of one run. */
  readonly trace: number;
  readonly #starts = new Set<number>();
  readonly #ends = new Set<number>();
  #freed = 0;

  constructor(trace: number) {
    this.trace = trace;
  }

  get freed(): number {
    return this.#freed;
  }

  add(turn: Turn): void {
    if (this.turns.has(turn)) return;
    this.turns.add(turn);
    const neighbours = Number(this.#ends.has(turn.from)) + Number(this.#starts.has(turn.to));
    this.#freed += turn.tokens - this.trace * (1 - neighbours);
    this.#starts.add(turn.from);
    this.#ends.add(turn.to);
  }
}

function dropTurns(
  { messages, tokens }: CompactionRequest,
  config: ControlConfig,
  context: Context,
  choose: Choose,
): Outcome {
  const { budget } = context;
  if (budget === undefined) return { kind: 'skipped', gate: 'no_budget' };
  const mode = config.marker_mode ?? 'full';
  const turns = turnsOf(messages, context);
  const dropped = new DroppedTurns(traceTokens(mode, context));
  const chosen = choose(turns, Math.max(0, tokens - budget), dropped);
  if (dropped.turns.size === 0) {
    return { kind: 'skipped', gate: tokens <= budget ? 'within_budget' : 'no_boundary' };
  }
  if (dropped.freed <= 0) return { kind: 'skipped', gate: 'no_gain' };
  const rewritten = withoutTurns(messages, turns, dropped.turns, mode, context);
  return {
    kind: 'changed',
    ...rewritten,
    ...(mode === 'full' ? {} : { irreversible: true as const }),
    ...(chosen.reused ? { reused: true as const } : {}),
  };
}

function droppedBefore(state: unknown): Set<string> {
  return state instanceof Set ? new Set(state) : new Set();
}

/** What tells each turn from every other one, whatever stands before it: its messages, and its number among equals. */
function namesOf(messages: readonly Message[], turns: readonly Turn[]): Map<Turn, string> {
  const counts = new Map<string, number>();
  return new Map(
    turns.map((turn) => {
      const content = messages
        .slice(turn.from, turn.to)
        .map(({ identity }) => identity.hash)
        .join(' ');
      const count = counts.get(content) ?? 0;
      counts.set(content, count + 1);
      return [turn, `${count} ${content}`];
    }),
  );
}

/** In an order in which no turn's place depends on what else is there. */
function inRandomOrder(
  turns: readonly Turn[],
  names: ReadonlyMap<Turn, string>,
  seed: number,
): Turn[] {
  const rank = (turn: Turn) =>
    createHash('sha256')
      .update(`${seed} ${names.get(turn)}`)
      .digest('hex');
  return turns
    .map((turn) => ({ turn, rank: rank(turn) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ turn }) => turn);
}
