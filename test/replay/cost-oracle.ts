import * as fc from 'fast-check';
import { type Caching, MARK_LIFETIMES, type MarkLifetime } from '../../src/model/caching.ts';
import {
  type InputTiers,
  type Prompt,
  PromptCache,
  type PromptMark,
} from '../../src/replay/cost-cache.ts';

/** One call: pieces by number, marks, and minutes since the call before it. */
export interface Call {
  readonly keys: readonly number[];
  readonly marks: readonly PromptMark[];
  readonly gap: number;
}

/** Tokens of the pieces 0, 1, 2, 3. */
const SIZES = [90, 310, 700, 45];

export function promptOf({ keys, marks }: Pick<Call, 'keys' | 'marks'>): Prompt {
  return { keys, marks, tokensTo: (pieces) => sizeOf(keys.slice(0, pieces)) };
}

function sizeOf(keys: readonly number[]): number {
  return keys.reduce((sum, key) => sum + (SIZES[key] ?? 0), 0);
}

/** Prompts that mostly grow, sometimes branch, over few kinds of pieces. */
export function sessions(
  lifetimes: readonly MarkLifetime[] = ['5m', '1h'],
): fc.Arbitrary<readonly Call[]> {
  const call = fc.record({
    kept: fc.nat(30),
    added: fc.array(fc.nat(3), { maxLength: 8 }),
    marks: fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...lifetimes)), { maxLength: 3 }),
    gap: fc.constantFrom(0, 0, 1, 4, 5, 6, 10, 11, 60, 61),
  });
  return fc.array(call, { minLength: 1, maxLength: 12 }).map((drafts) => {
    let keys: readonly number[] = [];
    return drafts.map(({ kept, added, marks, gap }): Call => {
      const from = kept > 24 ? kept % (keys.length + 1) : keys.length;
      keys = [...keys.slice(0, from), ...added];
      const placed = marks.map(([back, lifetime]) => ({
        end: Math.max(0, keys.length - (back % 6)),
        lifetime,
      }));
      return { keys, marks: placed.filter(({ end }) => end > 0), gap };
    });
  });
}

export function replayed(calls: readonly Call[], caching: Caching): InputTiers[] {
  const cache = new PromptCache(caching);
  let time = 0;
  return calls.map((call) => {
    time += call.gap * 60_000;
    return cache.call(promptOf(call), time);
  });
}

/** The same rules, written as the provider states them: every earlier prompt is compared with each new one. */
export function oracle(calls: readonly Call[], caching: Caching): InputTiers[] {
  if (caching.kind === 'marks') return markedOracle(calls, caching);
  if (caching.kind === 'none') {
    return calls.map(({ keys }) => ({ fresh: sizeOf(keys), cacheRead: 0 }));
  }
  const { minimum, step, lifetime } = caching;
  const earlier: { keys: readonly number[]; time: number }[] = [];
  let time = 0;
  return calls.map(({ keys, gap }) => {
    time += gap * 60_000;
    const shared = earlier
      .filter((call) => time - call.time <= lifetime)
      .map((call) => sizeOf(commonStart(call.keys, keys)));
    const most = Math.max(0, ...shared);
    let cacheRead = most < minimum ? 0 : minimum;
    while (cacheRead > 0 && cacheRead + step <= most) cacheRead += step;
    earlier.push({ keys, time });
    return { fresh: sizeOf(keys) - cacheRead, cacheRead };
  });
}

function markedOracle(
  calls: readonly Call[],
  { minimum, lookBack }: { readonly minimum: number; readonly lookBack: number },
): InputTiers[] {
  const entries = new Map<string, { end: number; lifetime: MarkLifetime; used: number }>();
  let time = 0;
  return calls.map(({ keys, marks, gap }) => {
    time += gap * 60_000;
    const at = (end: number) => keys.slice(0, end).join(' ');
    const alive = (end: number) => {
      const entry = entries.get(at(end));
      if (entry === undefined || entry.end !== end) return undefined;
      return time - entry.used <= MARK_LIFETIMES[entry.lifetime] ? entry : undefined;
    };
    const valid = marks.filter(({ end }) => sizeOf(keys.slice(0, end)) >= minimum);
    let read = 0;
    for (const { end } of valid) {
      for (let back = 0; back < lookBack && end - back > 0; back++) {
        if (alive(end - back) === undefined) continue;
        read = Math.max(read, end - back);
        break;
      }
    }
    const source = alive(read)?.lifetime;
    for (let end = 1; end <= read; end++) {
      const entry = alive(end);
      if (entry !== undefined) entry.used = time;
    }
    const ends = (lifetime: MarkLifetime) =>
      valid.filter((mark) => mark.lifetime === lifetime).map(({ end }) => end);
    const long = Math.max(read, ...ends('1h'));
    const last = Math.max(long, ...ends('5m'));
    for (const { end } of valid) {
      if (end <= read && alive(end) !== undefined) continue;
      const asked = ends('1h').includes(end) ? '1h' : '5m';
      const lifetime = end <= read && source === '5m' ? '5m' : asked;
      entries.set(at(end), { end, lifetime, used: time });
    }
    const to = (end: number) => sizeOf(keys.slice(0, end));
    return {
      fresh: to(keys.length) - to(last),
      cacheRead: to(read),
      cacheWrite5m: to(last) - to(long),
      cacheWrite1h: to(long) - to(read),
    };
  });
}

function commonStart(a: readonly number[], b: readonly number[]): readonly number[] {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return a.slice(0, length);
}

/** Relative prices of Anthropic's tiers. */
export function weightOf(tiers: InputTiers): number {
  const { fresh, cacheRead, cacheWrite5m = 0, cacheWrite1h = 0 } = tiers;
  return fresh + 0.1 * cacheRead + 1.25 * cacheWrite5m + 2 * cacheWrite1h;
}
