import type { Config } from '../compaction/config.ts';
import type { StepReport } from '../compaction/pipeline.ts';
import { codeOf, messageOf } from '../errors.ts';
import type { PriceTable } from '../model/prices.ts';
import {
  type EvidenceTotals,
  groundedReward,
  groundedRewardWithExpand,
} from '../replay/evidence-totals.ts';
import type { TranscriptReplay } from '../replay/result.ts';
import type { TokenizerName } from '../text/tokens.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { chargesOf, tierTotals } from './charges.ts';
import { failureNote, type Redact } from './note.ts';
import { priced } from './spend.ts';

/** How often each name occurred, e.g. a gate. */
export type Counts = ReadonlyMap<string, number>;

type Figure = number | undefined;

/**
 * Everything that one row says of one cell. A figure that was not measured is undefined, never 0.
 * Token figures are in tokens, `added` figures in milliseconds, `wallSeconds` in seconds, `usd` in US
 * dollars. `columns.ts` gives each its header and its meaning.
 */
export interface CellResult {
  readonly task: string;
  readonly config: string;
  readonly agent?: string | undefined;
  readonly reward?: Figure;
  readonly passed?: boolean | undefined;
  readonly wallSeconds?: Figure;
  readonly requests?: Figure;
  readonly tokensBefore?: Figure;
  readonly tokensAfter?: Figure;
  readonly tokensSaved?: Figure;
  readonly percentSaved?: Figure;
  readonly note: string;

  readonly trial: string;
  readonly sample: number;
  readonly lineage: string;
  readonly sourceFormat: string;
  readonly model: string;
  readonly tokenizer: TokenizerName;
  readonly cellId: string;
  readonly configHash: string;
  readonly transcriptHash: string;

  readonly rewardKind?: string | undefined;
  readonly recordedReward?: Figure;
  readonly rewardWithExpand?: Figure;

  readonly actions?: Figure;
  readonly actionsWithEvidence?: Figure;
  readonly actionsSupported?: Figure;
  readonly actionsRecoverable?: Figure;
  readonly actionsLost?: Figure;

  readonly evidenceTotal?: Figure;
  readonly evidenceKept?: Figure;
  readonly evidenceRecoverable?: Figure;
  readonly evidenceLost?: Figure;
  readonly evidenceMutated?: Figure;

  readonly uniqueSaved?: Figure;
  readonly netSaved?: Figure;
  readonly overcountRatio?: Figure;
  readonly peakBefore?: Figure;
  readonly peakAfter?: Figure;
  readonly expands?: Figure;

  readonly freshBefore?: Figure;
  readonly freshAfter?: Figure;
  readonly cacheReadBefore?: Figure;
  readonly cacheReadAfter?: Figure;
  readonly cacheWriteBefore?: Figure;
  readonly cacheWriteAfter?: Figure;
  readonly usdBefore?: Figure;
  readonly usdAfter?: Figure;
  readonly usdModel?: Figure;
  readonly usdNet?: Figure;
  readonly priceBasis?: string | undefined;
  readonly breakEvenRequests?: Figure;
  readonly breakEvenRequest?: Figure;
  readonly cacheBustTokens?: Figure;
  readonly cacheWrite1hBefore?: Figure;
  readonly cacheWrite1hAfter?: Figure;
  readonly outputBefore?: Figure;
  readonly outputAfter?: Figure;
  readonly calibrationRatio?: Figure;
  readonly calibrationError?: Figure;

  readonly fired?: Figure;
  readonly modelCalls?: Figure;
  readonly modelInputTokens?: Figure;
  readonly modelOutputTokens?: Figure;
  readonly reused?: Figure;
  readonly reverted?: Figure;
  readonly gates?: Counts | undefined;
  readonly refusals?: Counts | undefined;
  readonly cycles?: Figure;

  readonly violationsBefore?: Figure;
  readonly violationsAdded?: Figure;
  readonly violationRules?: Counts | undefined;

  readonly agreement?: Figure;
  readonly agreementLow?: Figure;
  readonly agreementHigh?: Figure;
  readonly agreementCount?: Figure;
  readonly agreementEligible?: Figure;
  readonly agreementSampled?: Figure;
  readonly agreementNotReproduced?: Figure;
  readonly agreementUnparsed?: Figure;
  readonly agreementUnparsedReasons?: Counts | undefined;
  readonly agreementAnswers?: Figure;
  readonly agreementExpands?: Figure;
  readonly agreementPlan?: string | undefined;
  readonly probeScore?: Figure;
  readonly probeLow?: Figure;
  readonly probeHigh?: Figure;
  readonly probeCount?: Figure;
  readonly probeUnanswered?: Figure;
  readonly probeUnparsed?: Figure;
  readonly probeScoreExpand?: Figure;
  readonly probeCountExpand?: Figure;
  readonly probeUnparsedExpand?: Figure;
  readonly probeSpans?: Figure;
  readonly probeDropped?: Figure;
  readonly agreementCalls?: Figure;
  readonly agreementCallsShared?: Figure;
  readonly agreementInputTokens?: Figure;
  readonly agreementOutputTokens?: Figure;
  readonly usdAgreement?: Figure;

  readonly addedMsMedian?: Figure;
  readonly addedMs95?: Figure;
}

/** What a row says whether or not its cell could be measured. */
export interface CellLabels {
  readonly transcript: Transcript;
  readonly config: Config;
  readonly sample: number;
  readonly cellId: string;
  /** Mode and name of the component model, e.g. `stub`. */
  readonly model: string;
  readonly tokenizer: TokenizerName;
  readonly wallSeconds: number;
  /** Absent: the built-in table. */
  readonly prices?: PriceTable;
}

const OK = 'ok';

/** True when the cell was measured; a failed cell is run again by `--resume`. */
export function isFinished(cell: Pick<CellResult, 'note'>): boolean {
  return cell.note === OK;
}

/** The row of a measured cell. */
export function measuredCell(labels: CellLabels, replay: TranscriptReplay): CellResult {
  const { savings, requests } = replay;
  const tokensBefore = sum(requests, (request) => request.tokensBefore);
  const restored = sum(requests, ({ expansion }) => expansion?.tokens ?? 0);
  const tokensAfter = sum(requests, (request) => request.tokensAfter) + restored;
  const tokensSaved = tokensBefore - tokensAfter;
  const steps = requests.flatMap((request) => request.steps);
  const added = requests.map((request) => request.addedMs);
  return {
    ...identify(labels),
    ...rewardOf(labels, replay.evidence),
    ...evidenceFigures(replay.evidence),
    wallSeconds: thousandths(labels.wallSeconds),
    requests: requests.length,
    tokensBefore,
    tokensAfter,
    tokensSaved,
    percentSaved: tokensBefore === 0 ? 0 : (100 * tokensSaved) / tokensBefore,
    note: OK,
    uniqueSaved: savings.unique,
    netSaved: savings.unique - restored - (replay.declaration ?? 0),
    expands: sum(requests, ({ expansion }) => expansion?.keys.length ?? 0),
    overcountRatio: savings.unique === 0 ? undefined : savings.gross / savings.unique,
    peakBefore: savings.peakBefore,
    peakAfter: savings.peakAfter,
    fired: requests.filter((request) => request.changed).length,
    ...componentFigures(steps),
    ...costFigures(labels, replay),
    violationsBefore: sum(requests, (request) => request.violationsBefore),
    violationsAdded: sum(requests, (request) => request.violationsAdded.length),
    violationRules: brokenRules(requests),
    addedMsMedian: percentile(added, 0.5),
    addedMs95: percentile(added, 0.95),
  };
}

/** The row of a cell that failed: what it is, why it failed, and no figure. */
export function failedCell(labels: CellLabels, error: unknown, redact: Redact): CellResult {
  const { reward } = labels.transcript;
  return {
    ...identify(labels),
    note: failureNote(codeOf(error), messageOf(error), redact),
    recordedReward: reward,
  };
}

function identify(labels: CellLabels) {
  const { transcript, config } = labels;
  return {
    task: transcript.task,
    config: config.name,
    agent: transcript.agent,
    trial: transcript.trial,
    sample: labels.sample,
    lineage: transcript.lineage,
    sourceFormat: transcript.source.format,
    model: labels.model,
    tokenizer: labels.tokenizer,
    cellId: labels.cellId,
    configHash: config.hash,
    transcriptHash: transcript.hash,
  };
}

/** Only the baseline ran as recorded; of any other row, what evidence leaves of the recorded reward. */
function rewardOf({ transcript, config }: CellLabels, evidence: EvidenceTotals) {
  const recorded = transcript.reward;
  if (recorded === undefined) return {};
  const isBaseline = config.steps.length === 0;
  const reward = isBaseline ? recorded : groundedReward(recorded, evidence);
  return {
    recordedReward: recorded,
    reward,
    passed: reward >= 1,
    rewardKind: isBaseline ? 'recorded' : 'grounded',
    ...(isBaseline ? {} : { rewardWithExpand: groundedRewardWithExpand(recorded, evidence) }),
  };
}

function evidenceFigures({ evidence, ...totals }: EvidenceTotals) {
  return {
    actions: totals.actions,
    actionsWithEvidence: totals.withEvidence,
    actionsSupported: totals.supported,
    actionsRecoverable: totals.recoverable,
    actionsLost: totals.lost,
    evidenceTotal: evidence.total,
    evidenceKept: evidence.kept,
    evidenceRecoverable: evidence.recoverable,
    evidenceLost: evidence.lost,
    evidenceMutated: evidence.mutated,
  };
}

function costFigures({ config, prices }: CellLabels, replay: TranscriptReplay) {
  const { cost } = replay;
  const [before, after] = [tierTotals(cost, 'before'), tierTotals(cost, 'after')];
  return {
    freshBefore: before.fresh,
    freshAfter: after.fresh,
    cacheReadBefore: before.cacheRead,
    cacheReadAfter: after.cacheRead,
    cacheWriteBefore: before.cacheWrite,
    cacheWriteAfter: after.cacheWrite,
    cacheWrite1hBefore: before.cacheWrite1h,
    cacheWrite1hAfter: after.cacheWrite1h,
    outputBefore: before.output,
    outputAfter: after.output,
    cacheBustTokens: sum(cost.requests, ({ bust }) => bust),
    calibrationRatio: cost.calibration?.ratio,
    calibrationError: cost.calibration?.error,
    ...priced(chargesOf(config, replay), prices),
  };
}

function componentFigures(steps: readonly StepReport[]) {
  const calls = steps.flatMap((step) => step.calls);
  const gates = new Map<string, number>();
  const refusals = new Map<string, number>();
  let reused = 0;
  let cycles = 0;
  let reverted = 0;
  for (const step of steps) {
    for (const name of step.refusals ?? []) refusals.set(name, (refusals.get(name) ?? 0) + 1);
    switch (step.kind) {
      case 'changed':
        if (step.reused) reused++;
        else cycles++;
        break;
      case 'skipped':
        gates.set(step.gate, (gates.get(step.gate) ?? 0) + 1);
        break;
      case 'reverted':
        reverted++;
        refusals.set(step.reason, (refusals.get(step.reason) ?? 0) + 1);
        break;
    }
  }
  return {
    modelCalls: calls.length,
    modelInputTokens: sum(calls, (call) => call.inputTokens),
    modelOutputTokens: sum(calls, (call) => call.outputTokens),
    reused,
    reverted,
    cycles,
    gates: gates.size === 0 ? undefined : gates,
    refusals: refusals.size === 0 ? undefined : refusals,
  };
}

/** Rules that rewrites broke, whether the guard took them back or they would have been sent. */
function brokenRules(requests: TranscriptReplay['requests']): Counts | undefined {
  const rules = new Map<string, number>();
  const note = (rule: string) => rules.set(rule, (rules.get(rule) ?? 0) + 1);
  for (const request of requests) {
    for (const rule of request.violationsAdded) note(rule);
    for (const step of request.steps) {
      if (step.kind === 'reverted' && step.reason.startsWith('shape:')) {
        for (const rule of step.detail.split(' ')) note(rule);
      }
    }
  }
  return rules.size === 0 ? undefined : rules;
}

/** Nearest-rank percentile in milliseconds, to the microsecond; undefined of nothing. */
function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  return value === undefined ? undefined : thousandths(value);
}

function thousandths(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}
