import { seededRandom } from './random.ts';

/** Sign-flip permutation test of the mean of per-task differences. */
export interface SignFlipTest {
  /** Two-sided p, in (0, 1]. */
  readonly p: number;
  /** `exact`: over all sign patterns; `sampled`: over `patterns` random ones and the observed one. */
  readonly method: 'exact' | 'sampled';
  readonly patterns: number;
}

/** Up to this many differences other than 0, all 2ⁿ sign patterns are gone through. */
const EXACT_LIMIT = 20;

const SAMPLES = 10_000;

/**
 * How often |Σ ± difference| is at least what was observed, when under no effect each task's difference
 * could as well have had the other sign (Fisher, The Design of Experiments, 1935). Sampled p is
 * (hits + 1) ÷ (samples + 1), which is never 0 (Phipson and Smyth, 2010).
 */
export function signFlipTest(differences: readonly number[], seed: number): SignFlipTest {
  // Differences of 0 change no sum. The order is by size, so that p does not depend on the order of the rows.
  const sizes = differences
    .map(Math.abs)
    .filter((size) => size > 0)
    .sort((a, b) => b - a);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  // Sums of equal value may differ in their last bits; a tie counts as a hit.
  const reach = Math.abs(differences.reduce((sum, value) => sum + value, 0)) - 1e-9 * total;
  return sizes.length <= EXACT_LIMIT ? exact(sizes, reach) : sampled(sizes, reach, seed);
}

/** Walks the patterns in Gray order, one sign a step. */
function exact(sizes: readonly number[], reach: number): SignFlipTest {
  const patterns = 2 ** sizes.length;
  const signed = [...sizes];
  let sum = sizes.reduce((total, size) => total + size, 0);
  let hits = sum >= reach ? 1 : 0;
  for (let step = 1; step < patterns; step++) {
    const flipped = 31 - Math.clz32(step & -step);
    const value = signed[flipped] ?? 0;
    signed[flipped] = -value;
    sum -= 2 * value;
    if (Math.abs(sum) >= reach) hits++;
  }
  return { p: hits / patterns, method: 'exact', patterns };
}

function sampled(sizes: readonly number[], reach: number, seed: number): SignFlipTest {
  const random = seededRandom(seed);
  const values = Float64Array.from(sizes);
  let hits = 0;
  for (let sample = 0; sample < SAMPLES; sample++) {
    let sum = 0;
    let bits = 0;
    for (let index = 0; index < values.length; index++) {
      if (index % 32 === 0) bits = random.bits();
      const size = values[index] ?? 0;
      sum += (bits & 1) === 1 ? size : -size;
      bits >>>= 1;
    }
    if (Math.abs(sum) >= reach) hits++;
  }
  return { p: (hits + 1) / (SAMPLES + 1), method: 'sampled', patterns: SAMPLES };
}
