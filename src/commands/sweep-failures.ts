import { codeOf, type ErrorCode, messageOf } from '../errors.ts';
import type { Cassette } from '../model/cassette.ts';
import type { Model } from '../model/model.ts';
import type { MissRule, ModelOptions } from './sweep-model-options.ts';

/** Calls that a provider was asked for and gave no answer to, whoever ended the waiting. */
const FAILURES: ReadonlySet<ErrorCode> = new Set([
  'model.transport',
  'model.timeout',
  'model.reply',
  'component.timeout',
]);

/** Different reasons that are shown. */
const SHOWN = 3;

/**
 * How the calls of a run to providers ended, all their attempts together. A component goes on without the answer
 * to a call that failed, and its row is a measured one; so whoever runs the sweep is told of it here.
 */
export class CallOutcomes {
  #answered = 0;
  readonly #failed = new Map<string, number>();

  get answered(): number {
    return this.#answered;
  }

  get failed(): number {
    return [...this.#failed.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Messages of the failures with their numbers, the most frequent first. */
  get reasons(): readonly { readonly message: string; readonly count: number }[] {
    return [...this.#failed]
      .map(([message, count]) => ({ message, count }))
      .toSorted((a, b) => b.count - a.count);
  }

  /** True where something was asked and nothing answered: a wrong key, address or name. */
  get areAllFailed(): boolean {
    return this.#answered === 0 && this.#failed.size > 0;
  }

  /** The model, with every call of it watched. */
  watching({ name, contextWindow, turns, ...model }: Model): Model {
    return {
      name,
      contextWindow,
      ask: (request, signal) => this.#watch(model.ask(request, signal)),
      ...(turns === undefined
        ? {}
        : {
            turns: {
              wire: turns.wire,
              ask: (request, signal) => this.#watch(turns.ask(request, signal)),
            },
          }),
    };
  }

  async #watch<T>(call: Promise<T>): Promise<T> {
    try {
      const reply = await call;
      this.#answered++;
      return reply;
    } catch (error) {
      if (FAILURES.has(codeOf(error))) {
        const message = messageOf(error);
        this.#failed.set(message, (this.#failed.get(message) ?? 0) + 1);
      }
      throw error;
    }
  }
}

/** The lines at the end of a sweep; none where every call was answered. */
export function failureLines(outcomes: CallOutcomes, isRecorded: boolean): readonly string[] {
  const { answered, failed, reasons } = outcomes;
  if (failed === 0) return [];
  const all = answered + failed;
  const calls = `${failed} of ${all} model ${all === 1 ? 'call' : 'calls'} failed`;
  const others = reasons.slice(SHOWN).reduce((sum, { count }) => sum + count, 0);
  const again = isRecorded
    ? 'with the same cassette, only the calls that failed are asked again'
    : 'all calls are asked again';
  return [
    `${calls}; what asked went on without the answer, and its cell counts as finished:`,
    ...reasons.slice(0, SHOWN).map(({ message, count }) => `  ${count} × ${message}`),
    ...(others > 0 ? [`  ${others} × for other reasons`] : []),
    `  to ask again: the same command without --resume; ${again}`,
  ];
}

const MISSED = {
  error: 'an error',
  live: 'asked of the provider and not recorded',
  stub: 'answered by the stub',
  skip: 'left without an answer',
} as const satisfies Readonly<Record<MissRule, string>>;

/** What was odd about a cassette, and what became of calls that it does not hold. */
export function cassetteNotices(
  { notices, missed: missedHere }: Pick<Cassette, 'notices' | 'missed'>,
  { onMiss }: Pick<ModelOptions, 'onMiss'>,
  missedInThreads: number,
): readonly string[] {
  const missed = missedHere + missedInThreads;
  if (missed === 0) return notices;
  const calls = missed === 1 ? '1 call was' : `${missed} calls were`;
  return [...notices, `${calls} not in the cassette and ${MISSED[onMiss]} (--on-miss ${onMiss})`];
}
