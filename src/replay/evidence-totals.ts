import type { ActionEvidence, Evidence } from './evidence.ts';

/** Counts over the actions of one transcript; identifiers are counted once an action. */
export interface EvidenceTotals {
  /** Recorded actions. Requests whose action is not known are not among them. */
  readonly actions: number;
  readonly unknownActions: number;
  /** Actions with evidence: the sum of the three that follow. */
  readonly withEvidence: number;
  /** All evidence kept. */
  readonly supported: number;
  /** Something missing, and all of that behind a visible marker. */
  readonly recoverable: number;
  /** Something lost. */
  readonly lost: number;
  readonly evidence: EvidenceCounts;
}

export interface EvidenceCounts {
  /** The sum of kept, recoverable and lost. */
  readonly total: number;
  readonly kept: number;
  readonly recoverable: number;
  /** With what is there only in a changed form. */
  readonly lost: number;
  readonly mutated: number;
}

/** @param requests with what became of each one's evidence; undefined where its action is not known */
export function evidenceTotals(
  requests: readonly { readonly evidence: ActionEvidence | undefined }[],
): EvidenceTotals {
  const actions = requests.flatMap(({ evidence }) => evidence ?? []);
  const kinds = { none: 0, supported: 0, recoverable: 0, lost: 0 };
  for (const { used } of actions) kinds[kindOf(used)]++;
  const { supported, recoverable, lost } = kinds;
  return {
    actions: actions.length,
    unknownActions: requests.length - actions.length,
    withEvidence: supported + recoverable + lost,
    supported,
    recoverable,
    lost,
    evidence: countEvidence(actions.flatMap(({ used }) => used)),
  };
}

export function countEvidence(evidence: readonly Evidence[]): EvidenceCounts {
  const counts = { kept: 0, recoverable: 0, mutated: 0, lost: 0 };
  for (const { status } of evidence) counts[status]++;
  const { kept, recoverable, mutated } = counts;
  return { total: evidence.length, kept, recoverable, lost: counts.lost + mutated, mutated };
}

function kindOf(used: readonly Evidence[]): 'none' | 'supported' | 'recoverable' | 'lost' {
  const { total, kept, lost } = countEvidence(used);
  if (total === 0) return 'none';
  if (lost > 0) return 'lost';
  return kept === total ? 'supported' : 'recoverable';
}

/**
 * The recorded reward if every action with evidence is supported, else 0 (the design's grounded reward,
 * expand off). It can only fall, and it is not the outcome of a live run.
 */
export function groundedReward(recorded: number, totals: EvidenceTotals): number {
  return totals.recoverable + totals.lost === 0 ? recorded : 0;
}

/** The same, recoverable evidence accepted: an upper bound of what expand could give. */
export function groundedRewardWithExpand(recorded: number, totals: EvidenceTotals): number {
  return totals.lost === 0 ? recorded : 0;
}
