import { countEvidence } from './evidence-totals.ts';
import type { RequestReplay } from './result.ts';

/** From one new decision of a config to the next: the requests that were sent under it. Tokens. */
export interface Cycle {
  /** From 1. */
  readonly number: number;
  /** Index of the request at which it was decided. */
  readonly request: number;
  /** Requests sent under it, that one included. */
  readonly requests: number;
  /** What would have been sent under the decision before: that request's tokens and what was new. */
  readonly expected: number;
  /** What was sent: the floor from which the request grows again. */
  readonly floor: number;
  /** expected − floor; less than 0 where the new decision is longer. */
  readonly freed: number;
  /** It freed nothing. */
  readonly isIdle: boolean;
  /** Markers at that request that stand only inside of what other markers stand for. */
  readonly nestedMarkers: number;
  /** Restores, one after another, to the deepest content. */
  readonly markerDepth: number;
  /** Evidence of the actions under this decision. */
  readonly evidence: {
    readonly total: number;
    readonly kept: number;
    readonly recoverable: number;
    readonly lost: number;
    /** Of what is not kept: what an earlier decision had still put in front of the model. */
    readonly goneLater: number;
  };
}

/** The cycles of a replay, in order; none where nothing was ever rewritten. */
export function cyclesOf({
  requests,
}: {
  readonly requests: readonly RequestReplay[];
}): readonly Cycle[] {
  const starts = requests.flatMap((request, position) => (isDecision(request) ? [position] : []));
  return starts.flatMap((start, index) => {
    const decided = requests[start];
    if (decided === undefined) return [];
    const under = requests.slice(start, starts[index + 1] ?? requests.length);
    const expected = expectedTokens(decided, requests[start - 1]);
    const freed = expected - decided.tokensAfter;
    const used = under.flatMap(({ evidence }) => evidence?.used ?? []);
    const { total, kept, recoverable, lost } = countEvidence(used);
    const goneLater = used.filter(
      ({ status, outlived }) => status !== 'kept' && outlived > 0,
    ).length;
    return {
      number: index + 1,
      request: decided.index,
      requests: under.length,
      expected,
      floor: decided.tokensAfter,
      freed,
      isIdle: freed <= 0,
      nestedMarkers: decided.markers.nested,
      markerDepth: decided.markers.depth,
      evidence: { total, kept, recoverable, lost, goneLater },
    };
  });
}

function isDecision({ steps }: RequestReplay): boolean {
  return steps.some((step) => step.kind === 'changed' && !step.reused);
}

/** A request that is smaller than the one before as recorded follows the agent's own compaction. */
function expectedTokens(decided: RequestReplay, previous: RequestReplay | undefined): number {
  if (previous === undefined || decided.tokensBefore < previous.tokensBefore) {
    return decided.tokensBefore;
  }
  const grown = decided.tokensBefore - previous.tokensBefore;
  return Math.min(decided.tokensBefore, previous.tokensAfter + grown);
}
