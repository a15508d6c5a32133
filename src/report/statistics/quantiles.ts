/**
 * P(Z ≤ x) of the standard normal distribution, to about 1e-15 absolute: 1⁄2 + φ(x)·(x + x³⁄3 + x⁵⁄(3·5) + …)
 * (Abramowitz and Stegun, 26.2.11), whose terms all have the sign of x.
 */
function normalCdf(x: number): number {
  if (Math.abs(x) > NORMAL_LIMIT) return x < 0 ? 0 : 1;
  let term = x;
  let sum = 0;
  for (let odd = 3; sum + term !== sum; odd += 2) {
    sum += term;
    term *= (x * x) / odd;
  }
  return 0.5 + (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

/** Beyond it the distribution function is 0 or 1 in double precision. */
const NORMAL_LIMIT = 8.3;

/** The x with P(Z ≤ x) = `probability`, by bisection; −∞ at 0 and ∞ at 1. */
export function normalQuantile(probability: number): number {
  requireProbability(probability);
  if (probability === 0 || probability === 1) return probability === 0 ? -Infinity : Infinity;
  return bisect((x) => normalCdf(x) < probability, -NORMAL_LIMIT, NORMAL_LIMIT);
}

/**
 * The t with P(T ≤ t) = `probability` of Student's distribution with a whole number of degrees of freedom.
 * Bisection over the angle atan(t ÷ √degrees), in which the probability is a finite sum.
 */
export function studentQuantile(probability: number, degrees: number): number {
  requireProbability(probability);
  if (!Number.isInteger(degrees) || degrees < 1) {
    throw new RangeError(`degrees of freedom are ${degrees}, expected a whole number of 1 or more`);
  }
  if (probability < 0.5) return -studentQuantile(1 - probability, degrees);
  if (probability === 1) return Infinity;
  const central = 2 * probability - 1;
  const angle = bisect((theta) => centralProbability(theta, degrees) < central, 0, Math.PI / 2);
  return Math.sqrt(degrees) * Math.tan(angle);
}

/** P(|T| ≤ √degrees · tan θ): Abramowitz and Stegun, 26.7.3 (odd degrees) and 26.7.4 (even degrees). */
function centralProbability(theta: number, degrees: number): number {
  const cosine = Math.cos(theta);
  const odd = degrees % 2 === 1;
  let term = odd ? cosine : 1;
  let sum = 0;
  for (let step = odd ? 1 : 0; step <= degrees - 2; step += 2) {
    sum += term;
    term *= ((step + 1) / (step + 2)) * cosine * cosine;
  }
  return odd ? (2 / Math.PI) * (theta + Math.sin(theta) * sum) : Math.sin(theta) * sum;
}

/** Where `isBelow` turns from true to false between `low` and `high`, to the last bit. */
function bisect(isBelow: (x: number) => boolean, low: number, high: number): number {
  let left = low;
  let right = high;
  for (;;) {
    const middle = (left + right) / 2;
    if (middle <= left || middle >= right) return middle;
    if (isBelow(middle)) left = middle;
    else right = middle;
  }
}

function requireProbability(probability: number): void {
  if (probability >= 0 && probability <= 1) return;
  throw new RangeError(`probability is ${probability}, expected 0 to 1`);
}

/**
 * Quantile of a sample in ascending order, interpolated linearly between order statistics (Hyndman and Fan's
 * type 7, the default of R and NumPy); undefined of an empty sample.
 */
export function sampleQuantile(sorted: ArrayLike<number>, probability: number): number | undefined {
  const position = (sorted.length - 1) * probability;
  const low = sorted[Math.floor(position)];
  const high = sorted[Math.ceil(position)];
  if (low === undefined || high === undefined) return undefined;
  return low + (high - low) * (position - Math.floor(position));
}
