import type { Unit } from './unit.ts';

/** A fifth of a second, about: as long as the main thread reads or measures, nobody gives a thread more to do. */
const AHEAD = 2_500_000;
/** The largest that is measured in the main thread: a large one takes memory that only a thread may run out of. */
const MOST_HERE = 8_000_000;

/** Who measures, and what they have before them. */
export interface Occupation {
  /** Threads that measure, the main one among them where it may. */
  readonly workers: number;
  /** True: the main thread measures too, in place of one that is started. */
  readonly measuresHere: boolean;
  /** Work of each started thread, as `sizeOf` has it. */
  readonly loads: readonly number[];
  /** Size of what the main thread measures now; 0: nothing. */
  readonly here: number;
  /** Work that each thread has before it; absent: about a fifth of a second's. */
  readonly ahead?: number | undefined;
}

/** The index of a thread, one that is still to be started, the main thread, or nobody yet. */
export type Place = number | 'new' | 'here' | 'nobody';

/** Where a unit is measured soonest. What a thread died of, and what is large, is never measured in the main one. */
export function placeOf(
  { size, isDeadly }: Pick<Unit, 'size' | 'isDeadly'>,
  { workers, measuresHere, loads, here, ahead = AHEAD }: Occupation,
): Place {
  const least = Math.min(...loads);
  if (least === 0) return loads.indexOf(0);
  const mayBeHere = measuresHere && !isDeadly && size <= MOST_HERE;
  if (loads.length < (mayBeHere ? workers - 1 : workers)) return 'new';
  // A thread must not wait for its next while the main one is at a large one.
  if (least < Math.max(ahead, here)) return loads.indexOf(least);
  return mayBeHere && here === 0 && loads.length < workers ? 'here' : 'nobody';
}
