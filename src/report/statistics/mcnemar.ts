import type { Pair } from './paired.ts';

/** Exact McNemar test of pairs of 0 and 1. */
export interface McNemar {
  /** Pairs that the config alone solved. */
  readonly gained: number;
  /** Pairs that the baseline alone solved. */
  readonly lost: number;
  /** Two-sided p, in (0, 1]; 1 without a discordant pair. */
  readonly p: number;
}

/** The test where it applies: one trial a task in both arms, every reward 0 or 1; else undefined. */
export function mcnemarOf(pairs: readonly Pair[]): McNemar | undefined {
  const applies = pairs.every(
    ({ baseline, config, baselineTrials, configTrials }) =>
      baselineTrials === 1 && configTrials === 1 && isBinary(baseline) && isBinary(config),
  );
  if (!applies) return undefined;
  const gained = pairs.filter(({ difference }) => difference > 0).length;
  const lost = pairs.filter(({ difference }) => difference < 0).length;
  return { gained, lost, p: mcnemarP(gained, lost) };
}

/**
 * min(1, 2·P(X ≤ min(gained, lost))) for X binomial over the discordant pairs with probability 1⁄2: McNemar's
 * test in its exact form (Fay, Biostatistics 11, 2010). Terms are added as logarithms, since 2⁻ⁿ runs out of
 * range at n = 1,075.
 */
export function mcnemarP(gained: number, lost: number): number {
  const discordant = gained + lost;
  const fewer = Math.min(gained, lost);
  if (2 * fewer === discordant) return 1;
  let logTerm = -discordant * Math.LN2;
  // log Σ exp, relative to the last and largest term, so that nothing small is lost.
  const logTerms = [logTerm];
  for (let k = 1; k <= fewer; k++) {
    logTerm += Math.log((discordant - k + 1) / k);
    logTerms.push(logTerm);
  }
  const sum = logTerms.reduce((total, term) => total + Math.exp(term - logTerm), 0);
  return Math.min(1, Math.max(Number.MIN_VALUE, Math.exp(Math.LN2 + logTerm + Math.log(sum))));
}

function isBinary(reward: number): boolean {
  return reward === 0 || reward === 1;
}
