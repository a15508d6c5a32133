import type { MarkLifetime } from '../../src/model/caching.ts';
import type { Part, Step } from './cost-support.ts';

/** Tiers of one request: `[fresh, read, written for 5 minutes, written for an hour]`. */
type Marked = readonly [number, number, number, number];
/** Where writing has no price: `[fresh, read]`. */
type Unmarked = readonly [number, number];

/**
 * A session whose tiers were worked out by hand, for what is sent after compaction. With marks: Anthropic's
 * rules, smallest prefix 1,024. In steps: OpenAI's, from 1,024 by 128. Exact: Gemini's, from 1,024.
 */
export interface HandSession {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly marked: readonly Marked[];
  readonly inSteps: readonly Unmarked[];
  readonly exact: readonly Unmarked[];
  /** Σ over requests of tokens that the recording read and the rewrite paid for anew. */
  readonly bust?: { readonly marked: number; readonly inSteps: number; readonly exact: number };
}

const S: Part = ['system', 1200, '5m'];
const system = [S];

/** The first turns of all sessions; the mark moves along with the last one. */
const U1 = (mark?: MarkLifetime): readonly Part[] => [part('u1', 100, mark)];
const A1: readonly Part[] = [['a1', 50]];
const U2 = (mark?: MarkLifetime): readonly Part[] => [part('u2', 70, mark)];
const A2: readonly Part[] = [['a2', 30]];
const U3 = (mark?: MarkLifetime): readonly Part[] => [part('u3', 400, mark)];
const A3: readonly Part[] = [['a3', 40]];
const U4 = (mark?: MarkLifetime): readonly Part[] => [part('u4', 90, mark)];

function part(name: string, tokens: number, mark: MarkLifetime | undefined): Part {
  return mark === undefined ? [name, tokens] : [name, tokens, mark];
}

/** 1,200 + 100 = 1,300. */
const first: Step = { system, turns: [U1('5m')] };
/** 1,300 + 50 + 70 = 1,420. */
const second: Step = { system, turns: [U1(), A1, U2('5m')] };
/** 1,420 + 30 + 400 = 1,850. */
const third: Step = { system, turns: [U1(), A1, U2(), A2, U3('5m')] };
/** 1,850 + 40 + 90 = 1,980. */
const fourth: Step = { system, turns: [U1(), A1, U2(), A2, U3(), A3, U4('5m')] };

const summary: readonly Part[] = [['summary', 60]];
const longer: readonly Part[] = [['longer summary', 80]];
const tool: Part = ['run', 100];
const otherTool: Part = ['search', 110];
const many = (count: number): readonly Part[] =>
  Array.from({ length: count }, (_, index): Part => [`call ${index}`, 5]);
const small: readonly Part[] = [['small', 900, '5m']];
const long: readonly Part[] = [['system', 1200, '1h']];

export const handSessions: readonly HandSession[] = [
  {
    name: 'append only: each request reads all of the one before it',
    steps: [first, second, third],
    marked: [
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
      [0, 1420, 430, 0],
    ],
    // 1,300 = 1,024 + 2 × 128 + 20; 1,420 = 1,024 + 3 × 128 + 12.
    inSteps: [
      [1300, 0],
      [140, 1280],
      [442, 1408],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [430, 1420],
    ],
    bust: { marked: 0, inSteps: 0, exact: 0 },
  },
  {
    name: 'an edit in the middle: what stands before it is read as far as an earlier mark',
    // u2 becomes 20 tokens: 1,200 + 100 + 50 + 20 + 30 + 400 = 1,800.
    steps: [first, second, { ...third, after: [U1(), A1, [['edited', 20]], A2, U3('5m')] }],
    marked: [
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
      [0, 1300, 500, 0],
    ],
    // Shared are 1,350 = 1,280 + 70.
    inSteps: [
      [1300, 0],
      [140, 1280],
      [520, 1280],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [450, 1350],
    ],
    // Marked: a1, which the original read. In steps: 1,350 − 1,280, of u1 and a1.
    bust: { marked: 50, inSteps: 70, exact: 0 },
  },
  {
    name: 'a summary, then its reuse',
    // 1,300 + 60 + 30 + 400 = 1,790; + 40 + 90 = 1,920.
    steps: [
      first,
      second,
      { ...third, after: [U1(), summary, A2, U3('5m')] },
      { ...fourth, after: [U1(), summary, A2, U3(), A3, U4('5m')] },
    ],
    marked: [
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
      [0, 1300, 490, 0],
      [0, 1790, 130, 0],
    ],
    // 1,790 = 1,024 + 5 × 128 + 126.
    inSteps: [
      [1300, 0],
      [140, 1280],
      [510, 1280],
      [256, 1664],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [490, 1300],
      [130, 1790],
    ],
    // In steps, the last 20 of u1 at request 3. At request 4 the original reads 1,792, so the first 342 of
    // u3, which begins at 1,450; of the rewritten one's 1,664 the first 274 are u3's.
    bust: { marked: 0, inSteps: 20 + (342 - 274), exact: 0 },
  },
  {
    name: 'a roll-forward: the old summary and what followed it are gone',
    // 1,300 + 80 + 40 + 90 = 1,510.
    steps: [
      first,
      second,
      { ...third, after: [U1(), summary, A2, U3('5m')] },
      { ...fourth, after: [U1(), longer, A3, U4('5m')] },
    ],
    marked: [
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
      [0, 1300, 490, 0],
      [0, 1300, 210, 0],
    ],
    inSteps: [
      [1300, 0],
      [140, 1280],
      [510, 1280],
      [230, 1280],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [490, 1300],
      [210, 1300],
    ],
    bust: { marked: 0, inSteps: 20 + 20, exact: 0 },
  },
  {
    name: 'idle past the lifetime: cold after 11 minutes, alive after exactly 5',
    steps: [
      { ...first, minute: 0 },
      { ...second, minute: 4 },
      { ...third, minute: 15 },
      { ...fourth, minute: 20 },
    ],
    marked: [
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
      [0, 0, 1850, 0],
      [0, 1850, 130, 0],
    ],
    // 1,850 = 1,024 + 6 × 128 + 58.
    inSteps: [
      [1300, 0],
      [140, 1280],
      [1850, 0],
      [188, 1792],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [1850, 0],
      [130, 1850],
    ],
    bust: { marked: 0, inSteps: 0, exact: 0 },
  },
  {
    name: 'read again in time: each read gives a new lifetime',
    steps: [
      { ...first, minute: 0 },
      { ...second, minute: 4 },
      // The system prompt was written at 0 and read at 4; the branch reads it at 8.
      { system, turns: [[['branch', 200, '5m']]], minute: 8 },
    ],
    marked: [
      [0, 0, 1300, 0],
      [0, 1300, 120, 0],
      [0, 1200, 200, 0],
    ],
    // 1,200 = 1,024 + 128 + 48.
    inSteps: [
      [1300, 0],
      [140, 1280],
      [248, 1152],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [200, 1200],
    ],
  },
  {
    name: 'below the minimum nothing is cached',
    // 900 + 100 = 1,000; + 20 + 10 = 1,030; + 5 + 5 = 1,040.
    steps: [
      { system: small, turns: [U1('5m')] },
      { system: small, turns: [U1(), [['a4', 20]], [['v2', 10, '5m']]] },
      {
        system: small,
        turns: [U1(), [['a4', 20]], [['v2', 10]], [['a5', 5]], [['v3', 5, '5m']]],
      },
    ],
    marked: [
      [1000, 0, 0, 0],
      [0, 0, 1030, 0],
      [0, 1030, 10, 0],
    ],
    inSteps: [
      [1000, 0],
      [1030, 0],
      [16, 1024],
    ],
    exact: [
      [1000, 0],
      [1030, 0],
      [10, 1030],
    ],
  },
  {
    name: 'other tool declarations: they stand first, so nothing is read',
    // 100 + 1,300; 100 + 1,420; 110 + 1,850.
    steps: [
      { ...first, tools: [tool] },
      { ...second, tools: [tool] },
      { ...third, tools: [otherTool] },
    ],
    marked: [
      [0, 0, 1400, 0],
      [0, 1400, 120, 0],
      [0, 0, 1960, 0],
    ],
    // 1,400 = 1,024 + 2 × 128 + 120.
    inSteps: [
      [1400, 0],
      [240, 1280],
      [1960, 0],
    ],
    exact: [
      [1400, 0],
      [120, 1400],
      [1960, 0],
    ],
  },
  {
    name: 'a mark that stays behind: what follows the last mark is fresh',
    steps: [
      first,
      { system, turns: [U1('5m'), A1, U2()] },
      { system, turns: [U1(), A1, U2('5m'), A2, U3()] },
    ],
    marked: [
      [0, 0, 1300, 0],
      [120, 1300, 0, 0],
      [430, 1300, 120, 0],
    ],
    inSteps: [
      [1300, 0],
      [140, 1280],
      [442, 1408],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [430, 1420],
    ],
  },
  {
    name: 'a mark of an hour outlives one of five minutes',
    steps: [
      { system: long, turns: [U1('5m')], minute: 0 },
      { system: long, turns: [U1(), A1, U2('5m')], minute: 6 },
      { system: long, turns: [U1(), A1, U2(), A2, U3('5m')], minute: 67 },
    ],
    marked: [
      [0, 0, 100, 1200],
      [0, 1200, 220, 0],
      [0, 0, 650, 1200],
    ],
    inSteps: [
      [1300, 0],
      [140, 1280],
      [1850, 0],
    ],
    exact: [
      [1300, 0],
      [120, 1300],
      [1850, 0],
    ],
  },
  {
    name: 'the look-back: 19 blocks before the mark are found',
    // 1,300 + 18 × 5 + 70 = 1,460. u1 is block 2, u2 block 21.
    steps: [first, { system, turns: [U1(), many(18), U2('5m')] }],
    marked: [
      [0, 0, 1300, 0],
      [0, 1300, 160, 0],
    ],
    inSteps: [
      [1300, 0],
      [180, 1280],
    ],
    exact: [
      [1300, 0],
      [160, 1300],
    ],
  },
  {
    name: 'the look-back: 20 blocks before the mark are not found, the system prompt is',
    // 1,300 + 19 × 5 + 70 = 1,465.
    steps: [first, { system, turns: [U1(), many(19), U2('5m')] }],
    marked: [
      [0, 0, 1300, 0],
      [0, 1200, 265, 0],
    ],
    inSteps: [
      [1300, 0],
      [185, 1280],
    ],
    exact: [
      [1300, 0],
      [165, 1300],
    ],
  },
];

/** The same with a model at each step: two of one provider take turns, and each has a cache of its own. */
export const interleaved: Omit<HandSession, 'bust'> = {
  name: 'two models interleaved',
  steps: [first, second, third, fourth],
  marked: [
    [0, 0, 1300, 0],
    [0, 0, 1420, 0],
    [0, 1300, 550, 0],
    [0, 1420, 560, 0],
  ],
  inSteps: [
    [1300, 0],
    [1420, 0],
    [570, 1280],
    [572, 1408],
  ],
  exact: [
    [1300, 0],
    [1420, 0],
    [550, 1300],
    [560, 1420],
  ],
};
