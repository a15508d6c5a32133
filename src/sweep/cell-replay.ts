import type { ExternalCall } from '../compaction/external-call.ts';
import { modelSpec } from '../compaction/model-spec.ts';
import type { ModelResolver } from '../compaction/pipeline.ts';
import { HarnessError } from '../errors.ts';
import type { Model } from '../model/model.ts';
import { type AskedFigures, CellAsking } from '../replay/asking.ts';
import { type ReplayOptions, replayTranscript } from '../replay/replay.ts';
import type { TranscriptReplay } from '../replay/result.ts';
import type { SharedAnswers } from '../replay/shared-answers.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { CellCalls } from './cell-calls.ts';
import type { Cell } from './cells.ts';
import type { Selection } from './manifest.ts';

/** What the cells of a run are replayed with. */
export interface CellHost {
  readonly selection: Selection;
  readonly models: (transcript: Transcript) => ModelResolver;
  readonly callExternal?: ExternalCall;
  /** Ends the replay, model calls included. */
  readonly signal: AbortSignal;
}

interface ReplayedCell {
  readonly replay: TranscriptReplay;
  /** What the agent's model says of it; undefined where it is not asked. */
  readonly asked: AskedFigures | undefined;
  /** The models that were there to be asked. */
  readonly names: readonly string[];
}

/**
 * Replays a cell, and then asks the agent's model about it where that is planned and `answers` are given.
 * Rejects with CellStopped, or `cassette.miss`, where the run is to end.
 */
export async function replayCell(
  cell: Cell,
  host: CellHost,
  given: {
    readonly answers?: SharedAnswers;
    /** Of a control: tokens that it may leave of each request. */
    readonly budget?: readonly number[] | undefined;
  } = {},
): Promise<ReplayedCell> {
  const { models, signal, selection } = host;
  const { answers, budget } = given;
  const { asking: plan } = selection.settings;
  const calls = new CellCalls(models(cell.transcript), signal);
  const asking =
    plan === undefined || answers === undefined ? undefined : new CellAsking(cell, plan);
  const options = optionsFor(cell, host, calls);
  const budgets = budget === undefined ? {} : { budgets: budget };
  try {
    const replay = await replayTranscript(
      cell.transcript,
      cell.config,
      { ...options, ...budgets },
      (...replayed) => {
        calls.throwIfEnded();
        asking?.observe(...replayed);
      },
    );
    const asked =
      answers &&
      (await asking?.measure(replay, {
        model: agentModel(calls),
        shared: answers,
        sample: cell.sample,
        signal,
      }));
    return { replay, asked, names: calls.names };
  } finally {
    // Also where a component or a figure went on without the answer that it was refused.
    calls.throwIfEnded();
  }
}

function optionsFor(
  { sample }: Cell,
  { selection, callExternal }: CellHost,
  calls: CellCalls,
): ReplayOptions {
  const { tokenizer, guard, expand, assumeModel } = selection.settings;
  return {
    tokenizer,
    models: () => calls.resolve,
    sample,
    guard,
    expand: expand === true,
    ...(assumeModel === undefined ? {} : { assumeModel }),
    ...(callExternal === undefined ? {} : { callExternal }),
  };
}

/** The model that agreement and probes are asked of: the one that the agent asked. */
function agentModel(calls: CellCalls): Model {
  const model = calls.resolve(modelSpec.parse({}));
  if (model !== undefined) return model;
  const message =
    'there is no model to ask for agreement and probes: the recording names none, or its provider has no key';
  throw new HarnessError('model.missing', message);
}
