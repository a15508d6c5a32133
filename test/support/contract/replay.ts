import type { BoundComponent } from '../../../src/compaction/bound.ts';
import type { Outcome } from '../../../src/compaction/component.ts';
import {
  type AddedViolations,
  Lineage,
  runPipeline,
  type StepReport,
} from '../../../src/compaction/pipeline.ts';
import type { ModelRequest } from '../../../src/model/model.ts';
import type { ShapeContext } from '../../../src/shape/context.ts';
import { keepsAllThinking } from '../../../src/shape/models.ts';
import { MessageTable } from '../../../src/transcript/intern.ts';
import type { DialectName, Message } from '../../../src/transcript/message.ts';
import { type Counting, listTokens } from '../../../src/transcript/message-tokens.ts';
import { dialectOf } from '../../../src/wire/catalog.ts';
import { callExternal } from './external.ts';
import { HANG_LIMIT, modelOf, type Reply } from './replies.ts';

/** The pipeline under test; a seeded fault may stand in for the real one. */
export type Pipeline = typeof runPipeline;

/** A growing session in one dialect. */
export interface Variant {
  readonly dialect: DialectName;
  readonly lists: readonly (readonly Message[])[];
  readonly context: ShapeContext;
}

/** One request and what became of it. */
export interface Turn {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly report: StepReport;
  /** What the component itself returned; undefined where it returned nothing in time. */
  readonly outcome: Outcome | undefined;
  readonly calls: readonly ModelRequest[];
  /** What a marker gave back right after this request. */
  readonly expand: (key: string) => string | undefined;
}

export interface ReplaySetting {
  readonly replies: readonly Reply[];
  readonly pipeline?: Pipeline | undefined;
  readonly addedViolations?: AddedViolations;
}

/** Share of each request that a control may keep. */
const BUDGET = 0.6;

export function countingOf({ dialect, context }: Variant): Counting {
  const reads = dialect === 'anthropic' || dialect === 'bedrock';
  const thinking = !reads ? 'none' : keepsAllThinking(context.model) ? 'all' : 'loop';
  return { tokenizer: 'o200k_base', dialect, thinking };
}

/** Runs the lists of a session through the component with one session state, as a replay does. */
export async function replayVariant(
  variant: Variant,
  component: BoundComponent,
  { replies, pipeline = runPipeline, addedViolations }: ReplaySetting,
): Promise<readonly Turn[]> {
  const lineage = new Lineage();
  const table = new MessageTable();
  const model = modelOf(replies);
  let outcome: Outcome | undefined;
  const watched: BoundComponent = {
    ...component,
    compact: async (request, context) => {
      const returned = await component.compact(request, context);
      outcome = returned;
      return returned;
    },
  };
  const turns: Turn[] = [];
  for (const before of variant.lists) {
    outcome = undefined;
    const asked = model.calls.length;
    const result = await pipeline(before, lineage, {
      steps: [watched],
      dialect: dialectOf(variant.dialect),
      table,
      counting: countingOf(variant),
      contextWindow: undefined,
      models: () => model,
      sample: 0,
      budget: Math.floor(listTokens(before, countingOf(variant)) * BUDGET),
      callExternal: callExternal(dialectOf(variant.dialect)),
      ...(addedViolations === undefined ? {} : { addedViolations }),
      ...(replies.includes('hang') ? { timeLimit: HANG_LIMIT } : {}),
    });
    const [report] = result.steps;
    if (report === undefined) throw new Error('the pipeline reported no step');
    // The stash of a later request may hold other bytes under the same key.
    const entries = new Map(
      [...lineage.stash.entries()].map(([key]) => [String(key), lineage.stash.expand(key)]),
    );
    turns.push({
      before,
      after: result.messages,
      report,
      outcome,
      calls: model.calls.slice(asked),
      expand: (key) => entries.get(key),
    });
  }
  return turns;
}
