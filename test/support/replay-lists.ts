import { type BoundComponent, bindComponent } from '../../src/compaction/bound.ts';
import {
  type AddedViolations,
  Lineage,
  type ModelResolver,
  type PipelineResult,
  runPipeline,
  type StepReport,
} from '../../src/compaction/pipeline.ts';
import { markersIn } from '../../src/compaction/stash.ts';
import { summarize } from '../../src/compaction/summarize.ts';
import type { Model } from '../../src/model/model.ts';
import { scriptedModel } from '../../src/model/scripted.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { ThinkingKept } from '../../src/transcript/message-tokens.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import type { WireDialect } from './wire-steps.ts';

export interface ReplayListsOptions {
  readonly dialect: WireDialect;
  readonly steps: readonly BoundComponent[];
  /** Whom every source resolves to; absent: a scripted model that replies `Summary N.` */
  readonly model?: Model;
  readonly models?: ModelResolver;
  readonly contextWindow?: number;
  readonly thinking?: ThinkingKept;
  readonly addedViolations?: AddedViolations;
  /** Milliseconds. */
  readonly timeLimit?: number;
  readonly lineage?: Lineage;
  readonly table?: MessageTable;
  readonly sample?: number;
}

/** One request, before and after. */
export interface ReplayedList {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
  readonly result: PipelineResult;
  /** The report of the first component. */
  readonly report: StepReport;
  /** Messages that the request did not have. */
  readonly inserted: readonly Message[];
  /** What the markers of the inserted messages gave back at that request, by key. */
  readonly expanded: ReadonlyMap<string, string | undefined>;
}

/** Runs growing lists through one pipeline with one session state, as a replay does. */
export async function replayLists(
  lists: readonly (readonly Message[])[],
  options: ReplayListsOptions,
): Promise<ReplayedList[]> {
  const lineage = options.lineage ?? new Lineage();
  const table = options.table ?? new MessageTable();
  const model = options.model ?? countingModel();
  const replayed: ReplayedList[] = [];
  for (const before of lists) {
    const result = await runPipeline(before, lineage, {
      steps: options.steps,
      dialect: dialectOf(options.dialect),
      table,
      counting: {
        tokenizer: 'o200k_base',
        dialect: options.dialect,
        thinking: options.thinking ?? 'all',
      },
      contextWindow: options.contextWindow,
      models: options.models ?? (() => model),
      sample: options.sample ?? 0,
      ...(options.addedViolations === undefined
        ? {}
        : { addedViolations: options.addedViolations }),
      ...(options.timeLimit === undefined ? {} : { timeLimit: options.timeLimit }),
    });
    const [report] = result.steps;
    if (report === undefined) throw new Error('replayLists: the pipeline has no component');
    const old = new Set(before);
    const inserted = result.messages.filter((message) => !old.has(message));
    const expanded = new Map(
      inserted
        .flatMap((message) => markersIn(message.raw))
        .map((key) => [key, lineage.stash.expand(key)]),
    );
    replayed.push({ before, after: result.messages, result, report, inserted, expanded });
  }
  return replayed;
}

/** `summarize` with these settings over the defaults. */
export function summarizeWith(settings: object = {}): BoundComponent {
  const bound = bindComponent(summarize, 'summarize', settings);
  if (!bound.ok) throw bound.error;
  return bound.bound;
}

/** Replies `Summary 0.`, `Summary 1.`, …, each another text, so that a reuse can be told. */
export function countingModel(options: { readonly contextWindow?: number } = {}) {
  return scriptedModel((_request, index) => `Summary ${index}.`, options);
}

/** What the row says of a step: `changed`, `reused`, a gate or the reason of a reversal. */
export function verdictOf(report: StepReport): string {
  switch (report.kind) {
    case 'changed':
      return report.reused ? 'reused' : 'changed';
    case 'skipped':
      return report.gate;
    case 'reverted':
      return report.reason;
  }
}
