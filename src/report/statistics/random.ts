/** A seeded source of random numbers: the same seed gives the same numbers on every machine. */
export interface Random {
  /** Uniform over the integers 0 to 2³² − 1. */
  bits(): number;
  /** Uniform over [0, 1), in steps of 2⁻³². */
  unit(): number;
  /** Uniform over the integers 0 to `bound` − 1; the bias is below `bound` ÷ 2³². */
  below(bound: number): number;
}

/** Four 32-bit words, not all 0. */
export type RandomState = readonly [number, number, number, number];

/** The generator of one whole number: its low and high 32 bits are spread over the state. */
export function seededRandom(seed: number): Random {
  const low = seed >>> 0;
  const high = Math.floor(seed / 2 ** 32) >>> 0;
  return randomFrom([mix(low, 1), mix(high, 2), mix(low, 3), mix(high, 4) || 1]);
}

/** xoshiro128** 1.1 (Blackman and Vigna, ACM Transactions on Mathematical Software 47, 2021); period 2¹²⁸ − 1. */
export function randomFrom(state: RandomState): Random {
  let [a, b, c, d] = state;
  const bits = () => {
    const result = Math.imul(rotate(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotate(d, 11);
    return result;
  };
  return {
    bits,
    unit: () => bits() / 2 ** 32,
    below: (bound) => Math.floor((bits() / 2 ** 32) * bound),
  };
}

function rotate(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** The finalizer of MurmurHash3 over a Weyl sequence, as SplitMix seeds its words. */
function mix(word: number, step: number): number {
  let hash = (word + Math.imul(step, 0x9e3779b9)) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
