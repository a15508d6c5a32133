import type { Config } from '../compaction/config.ts';
import { declarationTokens, declaresExpand } from '../compaction/expand-tool.ts';
import type { ExternalCall } from '../compaction/external-call.ts';
import {
  Lineage,
  type ModelResolver,
  type PipelineOptions,
  runPipeline,
} from '../compaction/pipeline.ts';
import { contextWindowOf } from '../model/windows.ts';
import { keepsAllThinking } from '../shape/models.ts';
import type { TokenizerName } from '../text/tokens.ts';
import { MessageTable } from '../transcript/intern.ts';
import type { DialectName } from '../transcript/message.ts';
import {
  type Counting,
  messageCounter,
  type ThinkingKept,
  thinkingStart,
} from '../transcript/message-tokens.ts';
import type { Request, Transcript } from '../transcript/transcript.ts';
import { dialectOf } from '../wire/catalog.ts';
import { CostLedger } from './cost-ledger.ts';
import { EvidenceTracker } from './evidence.ts';
import { evidenceTotals } from './evidence-totals.ts';
import { Expander } from './expansion.ts';
import { SavingsLedger } from './ledger.ts';
import type { RequestObserver, RequestReplay, TranscriptReplay } from './result.ts';
import { shapeCheck } from './shape-check.ts';

export interface ReplayOptions {
  readonly tokenizer: TokenizerName;
  /** Gives the resolver for one transcript: `incoming` depends on the transcript's own model. */
  readonly models: (transcript: Transcript) => ModelResolver;
  /** Number of the sample, from 0. */
  readonly sample: number;
  /** Names the model where the recording does not. */
  readonly assumeModel?: string;
  /** False under `--no-guard`: rewrites that break a provider's rule are kept, and counted. True when absent. */
  readonly guard?: boolean;
  /** Replaces every component's time limit, in milliseconds. */
  readonly timeLimit?: number;
  /** Of a control: tokens that it may leave of each request, by the request's index. */
  readonly budgets?: readonly number[];
  /** How components reach programs and endpoints of the user's; absent: not at all. */
  readonly callExternal?: ExternalCall;
  /** True: the agent has the expand tool and uses it where its action needs what is behind a marker. */
  readonly expand?: boolean;
}

/**
 * Feeds a transcript's requests, in order, through a config's pipeline with the session state that a
 * gateway would have had.
 *
 * @param observe sees each list before and after; the lists must not be kept beyond the call when
 * memory matters.
 */
export async function replayTranscript(
  transcript: Transcript,
  config: Config,
  options: ReplayOptions,
  observe?: RequestObserver,
): Promise<TranscriptReplay> {
  const lineage = new Lineage();
  const table = new MessageTable();
  const models = options.models(transcript);
  const ledger = new SavingsLedger();
  const evidence = new EvidenceTracker(transcript, lineage.stash);
  const isDeclared = options.expand === true && declaresExpand(config);
  const expander = isDeclared ? new Expander(lineage.stash) : undefined;
  const requests: RequestReplay[] = [];
  const declaration = isDeclared ? declarationTokens(options.tokenizer) : undefined;
  const countingOf = (request: Request) => countingFor(transcript, request, options);
  const cost = new CostLedger(transcript, options.tokenizer, {
    countingOf,
    assumeModel: options.assumeModel,
    declaration,
  });
  for (const [index, request] of transcript.requests.entries()) {
    const model = request.model ?? transcript.model ?? options.assumeModel;
    const counting = countingOf(request);
    const check = shapeCheck(transcript, request, model);
    const pipeline: PipelineOptions = {
      steps: config.steps,
      dialect: dialectOf(transcript.dialect),
      table,
      counting,
      contextWindow: contextWindowOf(model),
      models,
      sample: options.sample,
      ...(options.guard === false ? {} : { addedViolations: check.added }),
      ...(options.timeLimit === undefined ? {} : { timeLimit: options.timeLimit }),
      ...(request.envelope === undefined ? {} : { envelope: request.envelope }),
      ...(options.callExternal === undefined ? {} : { callExternal: options.callExternal }),
      ...budgetAt(index, options.budgets),
    };
    const before = request.messages;
    const start = performance.now();
    const result = await runPipeline(before, lineage, pipeline);
    const addedMs = performance.now() - start;
    const { action, markers } = evidence.at(index, result.messages);
    const expansion = expander?.expansionFor(result.messages, action, counting);
    const replay: RequestReplay = {
      index,
      tokensBefore: result.tokensBefore,
      tokensAfter: result.tokensAfter,
      steps: result.steps,
      changed: result.messages !== before,
      violationsBefore: check.recorded.length,
      violationsAdded: check.added(before, result.messages),
      addedMs,
      evidence: action,
      markers,
      ...(expansion === undefined ? {} : { expansion }),
    };
    requests.push(replay);
    const { tokensBefore } = result;
    const tokensAfter = result.tokensAfter + (expansion?.tokens ?? 0);
    const tokens = { tokensBefore, tokensAfter };
    const loop = counting.thinking === 'loop' ? thinkingStart(before, 'loop') : 0;
    ledger.add(before, result.messages, tokens, messageCounter(before, counting), loop);
    cost.add(request, result.messages, expansion);
    observe?.(replay, before, result.messages);
  }
  return {
    requests,
    savings: ledger.savings(),
    evidence: evidenceTotals(requests),
    stash: lineage.stash,
    cost: cost.result(),
    ...(declaration === undefined ? {} : { declaration }),
  };
}

function countingFor(
  { dialect, model: usual }: Transcript,
  request: Request,
  { tokenizer, assumeModel }: ReplayOptions,
): Counting {
  const model = request.model ?? usual ?? assumeModel;
  return { tokenizer, dialect, thinking: thinkingKept(dialect, model) };
}

function budgetAt(
  index: number,
  budgets: readonly number[] | undefined,
): { readonly budget?: number } {
  const budget = budgets?.[index];
  return budget === undefined ? {} : { budget };
}

/**
 * Whether earlier thinking is in the model's context. Only Anthropic's wires carry readable thinking
 * back to the model; elsewhere it is encrypted or not sent.
 */
function thinkingKept(dialect: DialectName, model: string | undefined): ThinkingKept {
  if (dialect !== 'anthropic' && dialect !== 'bedrock') return 'none';
  return keepsAllThinking(model) ? 'all' : 'loop';
}
