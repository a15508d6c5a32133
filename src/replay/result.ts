import type { StepReport } from '../compaction/pipeline.ts';
import type { Stash } from '../compaction/stash.ts';
import type { Message } from '../transcript/message.ts';
import type { CostReplay } from './cost-ledger.ts';
import type { ActionEvidence } from './evidence.ts';
import type { MarkerCounts } from './evidence-stash.ts';
import type { EvidenceTotals } from './evidence-totals.ts';
import type { Expansion } from './expansion.ts';

/** What replaying one request under one config gave. Token figures are in tokens. */
export interface RequestReplay {
  /** 0-based index into `transcript.requests`. */
  readonly index: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly steps: readonly StepReport[];
  /** True when the list that would be sent differs from the recorded one. */
  readonly changed: boolean;
  /** Errors of the recorded list by its provider's rules. */
  readonly violationsBefore: number;
  /** Rules of the errors that the list which would be sent has and the recorded one had not. */
  readonly violationsAdded: readonly string[];
  /** Wall time of the pipeline, in milliseconds. */
  readonly addedMs: number;
  /** What became of the evidence of the recorded action; undefined where the action is not known. */
  readonly evidence: ActionEvidence | undefined;
  /** Markers in the list that would be sent. */
  readonly markers: MarkerCounts;
  /** What the agent got back at this request; its tokens are not in `tokensAfter`. Absent: nothing. */
  readonly expansion?: Expansion;
}

/** Tokens saved over a transcript, by the three definitions of the design. */
export interface Savings {
  readonly gross: number;
  readonly unique: number;
  /** Largest request before and after. */
  readonly peakBefore: number;
  readonly peakAfter: number;
}

export interface TranscriptReplay {
  readonly requests: readonly RequestReplay[];
  readonly savings: Savings;
  readonly evidence: EvidenceTotals;
  readonly stash: Stash;
  /** What each request is billed as, before and after. */
  readonly cost: CostReplay;
  /** Tokens of the expand tool's declaration, which each request carries; absent where it is not declared. */
  readonly declaration?: number;
}

/** Called with each rewritten request, for callers that need the lists themselves. */
export type RequestObserver = (
  replay: RequestReplay,
  before: readonly Message[],
  after: readonly Message[],
) => void;
