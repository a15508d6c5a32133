import { type Counting, listTokens } from '../transcript/message-tokens.ts';
import type { Request, Transcript, Usage } from '../transcript/transcript.ts';
import type { InputTiers } from './cost-cache.ts';
import type { PrefixReader } from './cost-pieces.ts';

/** How the provider's counts follow from ours: provider = hidden + ratio × ours. */
export interface Scale {
  readonly ratio: number;
  /** Tokens of what stands before the list and is not recorded. */
  readonly hidden: number;
}

/** How the ledger compares with what the provider said that it used. */
export interface Calibration extends Scale {
  /** Requests with a recorded usage. */
  readonly requests: number;
  readonly predicted: CalibrationTiers;
  readonly recorded: CalibrationTiers;
  /** Σ over requests and tiers of |predicted − recorded| ÷ Σ recorded: what is in a wrong tier counts twice. */
  readonly error: number;
}

interface CalibrationTiers {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** Ratios outside are not a matter of tokenizers: the list is then not what was sent. */
const [LEAST, MOST] = [0.5, 3];

/** All input tokens of a recorded usage; undefined where it does not say. */
function recordedInput(usage: Usage | undefined): number | undefined {
  if (usage?.inputTokens === undefined) return undefined;
  return usage.inputTokens + (usage.cacheReadTokens ?? 0) + (usage.cacheWriteTokens ?? 0);
}

/**
 * Fits the provider's counts to ours over the requests with a recorded usage; undefined where there is
 * none. With the request bodies at hand, the ratio is Σ recorded ÷ Σ counted. Without them, system prompt and
 * tools are not recorded either: then least squares of a line, whose start is what they take.
 */
export function calibrate(
  { requests }: Transcript,
  prefixes: PrefixReader,
  countingOf: (request: Request) => Counting,
): Scale | undefined {
  const points: { counted: number; recorded: number }[] = [];
  let hasBodies = true;
  for (const request of requests) {
    const recorded = recordedInput(request.usage);
    if (recorded === undefined || recorded === 0) continue;
    if (request.envelope === undefined) hasBodies = false;
    const before = sum(prefixes.read(request.envelope).tokens);
    const counted = before + listTokens(request.messages, countingOf(request));
    points.push({ counted, recorded });
  }
  if (points.length === 0) return undefined;
  const counted = sum(points.map((point) => point.counted)) / points.length;
  const recorded = sum(points.map((point) => point.recorded)) / points.length;
  if (counted === 0) return undefined;
  if (hasBodies) return { ratio: recorded / counted, hidden: 0 };
  let covariance = 0;
  let variance = 0;
  for (const point of points) {
    covariance += (point.counted - counted) * (point.recorded - recorded);
    variance += (point.counted - counted) ** 2;
  }
  const slope = points.length < 3 || variance === 0 ? 1 : covariance / variance;
  const ratio = Math.min(MOST, Math.max(LEAST, slope));
  return { ratio, hidden: Math.max(0, recorded - ratio * counted) };
}

/** @param charges of each request, as recorded. @returns undefined where the usage has no tokens */
export function compared(
  scale: Scale,
  { requests }: Transcript,
  charges: readonly InputTiers[],
): Calibration | undefined {
  const predicted = { fresh: 0, cacheRead: 0, cacheWrite: 0 };
  const recorded = { fresh: 0, cacheRead: 0, cacheWrite: 0 };
  let count = 0;
  let difference = 0;
  for (const [index, charge] of charges.entries()) {
    const usage = requests[index]?.usage;
    if (usage === undefined || recordedInput(usage) === undefined) continue;
    count++;
    const written = (charge.cacheWrite5m ?? 0) + (charge.cacheWrite1h ?? 0);
    const tiers = [
      ['fresh', charge.fresh, usage.inputTokens],
      ['cacheRead', charge.cacheRead, usage.cacheReadTokens],
      ['cacheWrite', written, usage.cacheWriteTokens],
    ] as const;
    for (const [tier, ours, theirs = 0] of tiers) {
      predicted[tier] += ours;
      recorded[tier] += theirs;
      difference += Math.abs(ours - theirs);
    }
  }
  const total = recorded.fresh + recorded.cacheRead + recorded.cacheWrite;
  if (total === 0) return undefined;
  return { ...scale, requests: count, predicted, recorded, error: difference / total };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
