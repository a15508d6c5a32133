/** What a number of pairs can exclude: "no regression seen" never stands without it. */
export interface FlipRate {
  /** Pairs that were observed in both arms. */
  readonly pairs: number;
  /** Pairs whose rewards differ. */
  readonly discordant: number;
  /** Flip rates above it are excluded, one-sided 95 %; 1 without a pair. */
  readonly upper: number;
}

const ONE_SIDED = 0.05;

/**
 * Clopper and Pearson's one-sided upper bound: the rate at which so few discordant pairs, or fewer, have a
 * probability of 5 %. Without a discordant pair it is 1 − 0.05^(1 ÷ pairs).
 */
export function flipRate(discordant: number, pairs: number): FlipRate {
  if (!(discordant >= 0 && discordant <= pairs)) {
    throw new RangeError(`discordant pairs are ${discordant}, expected 0 to ${pairs}`);
  }
  if (discordant === pairs) return { pairs, discordant, upper: 1 };
  let low = discordant / pairs;
  let high = 1;
  while (high - low > 1e-12) {
    const middle = (low + high) / 2;
    if (atMost(discordant, pairs, middle) > ONE_SIDED) low = middle;
    else high = middle;
  }
  return { pairs, discordant, upper: high };
}

/** P(X ≤ count) of a binomial distribution, its terms as logarithms. */
function atMost(count: number, trials: number, rate: number): number {
  let logTerm = trials * Math.log1p(-rate);
  let sum = Math.exp(logTerm);
  for (let k = 1; k <= count; k++) {
    logTerm += Math.log(((trials - k + 1) / k) * (rate / (1 - rate)));
    sum += Math.exp(logTerm);
  }
  return sum;
}

/** The bound as a sentence of a page. */
export function describeFlipRate({ pairs, discordant, upper }: FlipRate): string {
  const seen = `${discordant} of ${pairs} ${pairs === 1 ? 'pair differs' : 'pairs differ'}`;
  if (upper === 1) return `${seen}: no flip rate is excluded`;
  return `${seen}: a flip rate above ${(100 * upper).toFixed(1)} % is excluded (one-sided 95 %)`;
}
