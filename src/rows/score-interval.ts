/** Bounds of an interval for a mean. */
export interface Bounds {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % quantile of the standard normal distribution. */
const NORMAL_QUANTILE = 1.959963984540054;

/**
 * Score interval for the mean of independent values between 0 and 1 (Wilson, JASA 22, 1927). Of yes-or-no
 * outcomes it is Wilson's; other values between 0 and 1 with the same mean vary less, so that for scores
 * of 0, 0.5 and 1 it is if anything too wide. It never leaves [0, 1] and has a width where all scores
 * are equal. Undefined without a value.
 *
 * @param total sum of the values
 * @param quantile of the standard normal distribution; the default gives 95 %
 */
export function scoreInterval(
  total: number,
  count: number,
  quantile = NORMAL_QUANTILE,
): Bounds | undefined {
  if (!(total >= 0 && total <= count)) {
    throw new RangeError(`the sum is ${total}, expected 0 to ${count}`);
  }
  if (count === 0) return undefined;
  const mean = total / count;
  const square = quantile * quantile;
  const spread = Math.sqrt((mean * (1 - mean)) / count + square / (4 * count * count));
  const scale = 1 + square / count;
  const center = (mean + square / (2 * count)) / scale;
  return {
    low: total === 0 ? 0 : center - (quantile * spread) / scale,
    high: total === count ? 1 : center + (quantile * spread) / scale,
  };
}
