import { callPrice, type PriceTable } from '../model/prices.ts';
import type { AgreementFigures } from '../replay/agreement.ts';
import type { AskedCalls } from '../replay/asker.ts';
import type { AskedFigures } from '../replay/asking.ts';
import type { ProbeFigures } from '../replay/probes.ts';
import type { CellResult } from './result.ts';
import { scoreInterval } from './score-interval.ts';

/**
 * What a row says of agreement and probes; empty where nothing was asked. The price is that of the model that
 * was asked, and empty where the table does not know it: a stub is not paid.
 */
export function askedFigures(
  asked: AskedFigures | undefined,
  prices?: PriceTable,
): Partial<CellResult> {
  if (asked === undefined) return {};
  const { plan, agreement, probes, calls } = asked;
  return {
    ...(agreement === undefined ? {} : agreementFigures(agreement)),
    agreementPlan: plan,
    ...(probes === undefined ? {} : probeFigures(probes)),
    agreementCalls: calls.calls,
    agreementCallsShared: calls.shareable,
    agreementInputTokens: calls.inputTokens,
    agreementOutputTokens: calls.outputTokens,
    usdAgreement: askedPrice(calls, prices),
  };
}

/** USD of all calls, each at its own size; undefined where one is not known. */
export function askedPrice(
  { model, usages }: Pick<AskedCalls, 'model' | 'usages'>,
  prices?: PriceTable,
): number | undefined {
  let usd = 0;
  for (const usage of usages) {
    const price = callPrice(model, usage, prices);
    if (price === undefined) return undefined;
    usd += price;
  }
  return usd;
}

function agreementFigures(figures: AgreementFigures): Partial<CellResult> {
  const { scores, unparsedReasons } = figures;
  const total = scores.reduce((sum, score) => sum + score, 0);
  const interval = scoreInterval(total, scores.length);
  return {
    agreement: scores.length === 0 ? undefined : total / scores.length,
    agreementLow: interval?.low,
    agreementHigh: interval?.high,
    agreementCount: scores.length,
    agreementEligible: figures.eligible,
    agreementSampled: figures.sampled,
    agreementNotReproduced: figures.notReproduced,
    agreementUnparsed: figures.unparsed,
    agreementUnparsedReasons: unparsedReasons.size === 0 ? undefined : unparsedReasons,
    agreementAnswers: figures.answers,
    agreementExpands: figures.expands,
  };
}

function probeFigures({ spans, dropped, plain, withExpand }: ProbeFigures): Partial<CellResult> {
  const interval = scoreInterval(plain.right, plain.answered);
  return {
    probeScore: share(plain.right, plain.answered),
    probeLow: interval?.low,
    probeHigh: interval?.high,
    probeCount: plain.answered,
    probeUnanswered: plain.unanswered,
    probeUnparsed: plain.unparsed,
    probeSpans: spans,
    probeDropped: dropped,
    ...(withExpand === undefined
      ? {}
      : {
          probeScoreExpand: share(withExpand.right, withExpand.answered),
          probeCountExpand: withExpand.answered,
          probeUnparsedExpand: withExpand.unparsed,
        }),
  };
}

function share(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}
