import type { Config } from '../compaction/config.ts';
import type { Stash } from '../compaction/stash.ts';
import type { Model } from '../model/model.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { AGREEMENT_VERSION, type AgreementFigures, measureAgreement } from './agreement.ts';
import { RequestSample } from './agreement-sample.ts';
import { type AskedCalls, Asker } from './asker.ts';
import { EXPAND_ROUNDS } from './expand-loop.ts';
import { PROBE_VERSION } from './probe-writing.ts';
import { measureProbes, type ProbeFigures, QUESTIONS_PER_SPAN } from './probes.ts';
import { RequestSpelling } from './request-spelling.ts';
import type { RequestObserver } from './result.ts';
import type { SharedAnswers } from './shared-answers.ts';

/** What a model is asked about each cell, beside what components ask it. */
export interface AskingPlan {
  /** Requests of a cell at most at which the next action is asked for; 0: not measured. */
  readonly agreement: number;
  /** Dropped spans of a cell at most, each from a request of its own; 0: not measured. */
  readonly probes: number;
  readonly seed: number;
}

/** Figures of one cell; undefined: not measured. */
export interface AskedFigures {
  /** The sampling plan as the row says it, e.g. `per_cell=5;seed=1;tools=recorded;model=stub`. */
  readonly plan: string;
  readonly agreement: AgreementFigures | undefined;
  readonly probes: ProbeFigures | undefined;
  /** Calls of the measurement; none of them is the component's. */
  readonly calls: AskedCalls;
}

/**
 * Agreement and probes of one cell: `observe` goes to the replay of the cell, and `measure` asks after it.
 */
export class CellAsking {
  readonly #cell: { readonly transcript: Transcript; readonly config: Config };
  readonly #plan: AskingPlan;
  readonly #agreement: RequestSample;
  readonly #probes: RequestSample;

  constructor(
    cell: { readonly transcript: Transcript; readonly config: Config },
    plan: AskingPlan,
  ) {
    this.#cell = cell;
    this.#plan = plan;
    const { agreement, probes, seed } = plan;
    this.#agreement = new RequestSample(cell.transcript, { perCell: agreement, seed });
    this.#probes = new RequestSample(cell.transcript, { perCell: probes, seed });
  }

  readonly observe: RequestObserver = (...replayed) => {
    this.#agreement.observe(...replayed);
    this.#probes.observe(...replayed);
  };

  /**
   * Asks, call by call. One `shared` serves the cells of one transcript. Rejects with `model.missing`
   * for a model that takes no whole requests, and with what ends a run: an abort, a budget.
   *
   * @param replayed.stash of the replay that was observed
   */
  async measure(
    replayed: { readonly stash: Stash },
    options: {
      readonly model: Model;
      readonly shared: SharedAnswers;
      /** Number of the sample, from 0. */
      readonly sample: number;
      readonly signal: AbortSignal;
    },
  ): Promise<AskedFigures> {
    const { agreement, probes } = this.#plan;
    const asker = new Asker(options.model, options);
    const spelling = new RequestSpelling(this.#cell.transcript, asker.wire);
    const cell = { ...this.#cell, stash: replayed.stash };
    const interview = { asker, spelling };
    const agreed =
      agreement > 0 ? await measureAgreement(cell, this.#agreement, interview) : undefined;
    const probed = probes > 0 ? await measureProbes(cell, this.#probes, interview) : undefined;
    const parts = [
      ...(agreement > 0 ? [`per_cell=${agreement}`] : []),
      ...(probes > 0 ? [`spans=${probes}`, `questions=${QUESTIONS_PER_SPAN}`] : []),
      `seed=${this.#plan.seed}`,
      `tools=${spelling.tools}`,
      `model=${options.model.name}`,
    ];
    return { plan: parts.join(';'), agreement: agreed, probes: probed, calls: asker.calls };
  }
}

/** What a cell's id has to hold of the plan: everything that can change these figures, the model apart. */
export function askingIdentity(plan: AskingPlan | undefined): readonly (string | number)[] {
  if (plan === undefined || (plan.agreement === 0 && plan.probes === 0)) return [];
  const { agreement, probes, seed } = plan;
  return [
    ...[agreement, probes, seed],
    ...[AGREEMENT_VERSION, PROBE_VERSION, QUESTIONS_PER_SPAN, EXPAND_ROUNDS],
  ];
}
