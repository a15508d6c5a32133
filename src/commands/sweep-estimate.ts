import type { Config } from '../compaction/config.ts';
import { externalCalls } from '../compaction/external-host.ts';
import type { ModelResolver } from '../compaction/pipeline.ts';
import type { CallUsage } from '../model/attempt.ts';
import type { PriceOf } from '../model/budget.ts';
import type { Model } from '../model/model.ts';
import { SharedReplies } from '../model/shared-replies.ts';
import { stubModel } from '../model/stub.ts';
import { type ReadOptions, readRecordings } from '../recordings/read.ts';
import { ACTION_TOKENS } from '../replay/agreement.ts';
import type { AskedFigures } from '../replay/asking.ts';
import { SharedAnswers } from '../replay/shared-answers.ts';
import { replayCell } from '../sweep/cell-replay.ts';
import { CellFactory } from '../sweep/cells.ts';
import type { Selection } from '../sweep/manifest.ts';
import type { Transcript } from '../transcript/transcript.ts';
import type { Environment } from './environment.ts';
import { askedName, incomingOf, specsOf } from './sweep-askers.ts';

/** Expected calls to one model. USD are undefined where the price is not known. */
export interface CallEstimate {
  readonly model: string;
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | undefined;
  /** If every reply is as long as it may be. */
  readonly usdMost: number | undefined;
}

/**
 * Runs the cells that are not `finished` with the stub in the place of each model, and counts what it is
 * asked. An estimate: a real model writes other summaries, and programs that fail more or less often.
 * Everything is priced as read fresh. Of agreement it is assumed that the model does what was recorded,
 * which makes for the most calls.
 */
export async function estimateCalls(
  selection: Selection,
  priceOf: PriceOf,
  { format }: Pick<ReadOptions, 'format'>,
  { cwd, variables, signal }: Pick<Environment, 'cwd' | 'variables' | 'signal'>,
  finished: ReadonlySet<string> = new Set(),
): Promise<readonly CallEstimate[]> {
  const { configs, patterns, settings } = selection;
  const tally = new Tally(priceOf);
  const factory = new CellFactory(configs, settings);
  const replies = new SharedReplies();
  const callExternal = externalCalls({ folder: cwd, variables });
  for await (const { transcripts } of readRecordings(patterns, {
    cwd,
    ...(format === undefined ? {} : { format }),
  })) {
    for (const transcript of transcripts) {
      const cells = factory.cellsOf(transcript).filter(({ id }) => !finished.has(id));
      const models = resolverFor(transcript, selection, { variables, replies, tally });
      const answers = new SharedAnswers();
      const host = { selection, models: () => models, callExternal, signal };
      for (const cell of cells.filter((one) => asks(one.config, selection))) {
        signal.throwIfAborted();
        const { asked } = await replayCell(cell, host, { answers });
        if (asked !== undefined) tally.addRewritten(asked);
      }
    }
  }
  return tally.estimates;
}

/** The sum; undefined where a price is not known. */
export function totalUsd(
  estimates: readonly CallEstimate[],
  figure: 'usd' | 'usdMost',
): number | undefined {
  return estimates.reduce<number | undefined>((sum, estimate) => {
    const usd = estimate[figure];
    return sum === undefined || usd === undefined ? undefined : sum + usd;
  }, 0);
}

function asks(config: Config, { settings }: Selection): boolean {
  // What a control leaves is known only beside the config that it matches; it asks nobody itself.
  if (config.matches !== undefined) return false;
  return specsOf(config).length > 0 || (settings.asking !== undefined && config.steps.length > 0);
}

function resolverFor(
  transcript: Transcript,
  { settings }: Selection,
  given: {
    readonly variables: Environment['variables'];
    readonly replies: SharedReplies;
    readonly tally: Tally;
  },
): ModelResolver {
  const stub = stubModel('stub');
  const incoming = incomingOf(transcript, settings.assumeModel);
  const models = new Map<string, Model>();
  return (spec) => {
    const name = askedName(spec, incoming, given.variables);
    if (name === undefined) return undefined;
    const model = models.get(name) ?? given.replies.around(given.tally.counting(stub, name));
    models.set(name, model);
    return model;
  };
}

type Sum = { -readonly [Key in keyof CallEstimate]: CallEstimate[Key] };

class Tally {
  readonly #priceOf: PriceOf;
  readonly #sums = new Map<string, Sum>();

  constructor(priceOf: PriceOf) {
    this.#priceOf = priceOf;
  }

  get estimates(): readonly CallEstimate[] {
    return [...this.#sums.values()].toSorted((a, b) => (a.model < b.model ? -1 : 1));
  }

  /** The stub under the name of the model that it stands for, every call of it counted. */
  counting(stub: Model, name: string): Model {
    const { contextWindow, turns } = stub;
    return {
      name,
      contextWindow,
      ask: async (request, signal) => {
        const reply = await stub.ask(request, signal);
        this.#add(name, reply, request.maxOutputTokens);
        return reply;
      },
      ...(turns === undefined
        ? {}
        : {
            turns: {
              wire: turns.wire,
              ask: async (request, signal) => {
                const reply = await turns.ask(request, signal);
                this.#add(name, reply, request.maxOutputTokens);
                return reply;
              },
            },
          }),
    };
  }

  /** The rewritten requests that the stub was not asked about, since it does not act as recorded. */
  addRewritten({ agreement, calls }: AskedFigures): void {
    if (agreement === undefined || calls.calls === 0) return;
    const inputTokens = Math.round(calls.inputTokens / calls.calls);
    const outputTokens = Math.round(calls.outputTokens / calls.calls);
    const left = agreement.notReproduced + agreement.unparsed;
    for (let call = 0; call < left; call++) {
      this.#add(calls.model, { inputTokens, outputTokens }, ACTION_TOKENS);
    }
  }

  #add(model: string, usage: CallUsage, mostOutputTokens: number): void {
    const { inputTokens, outputTokens } = usage;
    const before = this.#sums.get(model) ?? {
      model,
      calls: 0,
      inputTokens: 0,
      outputTokens: 0,
      usd: 0,
      usdMost: 0,
    };
    // Call by call, since long prompts have prices of their own.
    const usd = this.#priceOf(model, { inputTokens, outputTokens });
    const most = this.#priceOf(model, { inputTokens, outputTokens: mostOutputTokens });
    this.#sums.set(model, {
      model,
      calls: before.calls + 1,
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
      usd: sum(before.usd, usd),
      usdMost: sum(before.usdMost, most),
    });
  }
}

function sum(total: number | undefined, usd: number | undefined): number | undefined {
  return total === undefined || usd === undefined ? undefined : total + usd;
}
