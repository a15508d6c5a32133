/** The judgement of the gate: measured cells against thresholds and against the committed snapshot. */
import { bounds, points } from './figures-text.ts';
import { compareRewards, type RewardComparison } from './statistics/compare.ts';
import type { Outcome } from './statistics/paired.ts';

/** Thresholds of `sweeps/gate.yaml`. Points are percentage points. */
export interface CellThresholds {
  readonly violations_recorded: number;
  readonly violations_added: number;
  readonly reverted_by_shape: number;
  readonly pooled_points: number;
  readonly cell_points: number;
  readonly evidence_points: number;
  readonly reward_points: number;
}

/** One transcript in one dialect under one config. Token figures in tokens. */
export interface GateCell {
  /** Task with trial and lineage, which names the recording. */
  readonly task: string;
  /** The task alone: what repeated recordings and sub-agents of it have in common. */
  readonly unit: string;
  readonly dialect: string;
  readonly config: string;
  readonly before: number;
  readonly after: number;
  /** Rules that the recorded (or translated) requests break, one entry a breach. */
  readonly recorded: readonly string[];
  /** Rules that rewrites break and that would be sent. */
  readonly added: readonly string[];
  /** Rules for which the guard took rewrites back. */
  readonly reverted: readonly string[];
  readonly evidenceKept: number | undefined;
  readonly evidenceTotal: number | undefined;
  readonly reward: number | undefined;
}

/** The figures of a cell that the snapshot keeps. */
export type SnapshotCell = Pick<
  GateCell,
  'task' | 'dialect' | 'config' | 'before' | 'after' | 'evidenceKept' | 'evidenceTotal' | 'reward'
>;

/** Something that the gate stops, or that it cannot tell. */
export interface GateFinding {
  readonly severity: 'fail' | 'inconclusive' | 'notice';
  /** What was judged, e.g. `violations_added`: the threshold's name. */
  readonly check: string;
  readonly subject: string;
  readonly message: string;
  readonly cell?: Pick<GateCell, 'task' | 'dialect' | 'config'>;
}

/** Judges the shape of the cells: violations may not pass their thresholds. */
export function judgeShapes(cells: readonly GateCell[], thresholds: CellThresholds): GateFinding[] {
  const checks = [
    ['violations_recorded', (cell: GateCell) => cell.recorded, 'the recorded requests break'],
    ['violations_added', (cell: GateCell) => cell.added, 'the rewritten requests break'],
    [
      'reverted_by_shape',
      (cell: GateCell) => cell.reverted,
      'only the guard kept back what breaks',
    ],
  ] as const;
  const findings: GateFinding[] = [];
  for (const [check, rulesOf, words] of checks) {
    const total = cells.reduce((sum, cell) => sum + rulesOf(cell).length, 0);
    if (total <= thresholds[check]) continue;
    for (const cell of cells) {
      const counts = countRules(rulesOf(cell));
      if (counts === '') continue;
      const { task, dialect, config } = cell;
      findings.push({
        severity: 'fail',
        check,
        subject: nameOf(cell),
        message: `${words} ${counts} (at most ${thresholds[check]} in all)`,
        cell: { task, dialect, config },
      });
    }
  }
  return findings;
}

/** Judges the savings and evidence of the cells against those of the snapshot. */
export function judgeAgainstSnapshot(
  cells: readonly GateCell[],
  snapshot: readonly SnapshotCell[],
  thresholds: CellThresholds,
): GateFinding[] {
  const known = new Map(snapshot.map((cell) => [nameOf(cell), cell]));
  const findings: GateFinding[] = [];
  const pairs: (readonly [GateCell, SnapshotCell])[] = [];
  let fresh = 0;
  for (const cell of cells) {
    const then = known.get(nameOf(cell));
    if (then === undefined) fresh++;
    else pairs.push([cell, then]);
  }
  for (const [cell, then] of pairs) {
    const [now, before] = [savedPercent([cell]), savedPercent([then])];
    if (before - now > thresholds.cell_points) {
      const { task, dialect, config } = cell;
      findings.push({
        severity: 'fail',
        check: 'cell_points',
        subject: nameOf(cell),
        message: `saved ${before.toFixed(1)} % in the snapshot, now ${now.toFixed(1)} %`,
        cell: { task, dialect, config },
      });
    }
  }
  for (const config of new Set(pairs.map(([cell]) => cell.config))) {
    const of = pairs.filter(([cell]) => cell.config === config);
    const now = of.map(([cell]) => cell);
    const then = of.map(([, cell]) => cell);
    const compare = (
      check: 'pooled_points' | 'evidence_points',
      what: string,
      a?: number,
      b?: number,
    ) => {
      if (a === undefined || b === undefined || b - a <= thresholds[check]) return;
      const message = `${what} ${b.toFixed(1)} % in the snapshot, now ${a.toFixed(1)} %`;
      findings.push({ severity: 'fail', check, subject: config, message });
    };
    compare('pooled_points', 'saved', savedPercent(now), savedPercent(then));
    compare('evidence_points', 'kept evidence', keptPercent(now), keptPercent(then));
  }
  if (fresh > 0) {
    const message = `${fresh} of ${cells.length} cells are not in the snapshot: npm run gate -- --update`;
    findings.push({ severity: 'notice', check: 'snapshot', subject: 'snapshot', message });
  }
  return findings;
}

/**
 * Tells of cells that the snapshot has and that were not measured: a recording or a config that is gone
 * takes its figures with it, and would pass unseen. `expected` are those that this run should have measured.
 */
export function judgeGone(
  cells: readonly GateCell[],
  expected: readonly SnapshotCell[],
): GateFinding[] {
  const measured = new Set(cells.map(nameOf));
  const gone = expected.filter((cell) => !measured.has(nameOf(cell)));
  const [first] = gone;
  if (first === undefined) return [];
  const message = `${gone.length} of ${expected.length} cells of the snapshot were not measured, the first is ${nameOf(first)}: put back what is gone, or npm run gate -- --update`;
  return [{ severity: 'inconclusive', check: 'snapshot', subject: 'snapshot', message }];
}

/**
 * Judges the grounded rewards of each config against those of the snapshot, as pairs: the task is the unit,
 * its recordings and their dialects are its trials. `regressed` fails. What is inconclusive is one finding for all configs, since
 * few recordings cannot exclude a loss of a few points, even when nothing moved.
 */
export function judgeRewards(
  cells: readonly GateCell[],
  snapshot: readonly SnapshotCell[],
  thresholds: CellThresholds,
): GateFinding[] {
  const findings: GateFinding[] = [];
  const open: RewardComparison[] = [];
  const outcomes = rewardPairs(cells, snapshot);
  let moved = 0;
  for (const [config, pairs] of outcomes) {
    const arms = { baseline: SNAPSHOT_ARM, config: PRESENT_ARM };
    const comparison = compareRewards(pairs, { ...arms, margin: thresholds.reward_points / 100 });
    const { verdict, pairing } = comparison;
    moved += pairing.pairs.filter(({ difference }) => difference !== 0).length;
    if (verdict.word === 'inconclusive') open.push(comparison);
    if (verdict.word !== 'regressed') continue;
    const { difference, interval, tasks } = verdict;
    const message = `grounded reward changed by ${points(difference)} points ${bounds(interval)} over ${tasks} tasks: regressed`;
    findings.push({ severity: 'fail', check: 'reward_points', subject: config, message });
  }
  if (open.length > 0) {
    const lowest = Math.min(...open.map(({ verdict }) => verdict.interval.low));
    const what =
      moved === 0
        ? 'no grounded reward moved'
        : `the grounded reward of ${moved} tasks moved, over all configs`;
    const message = `${what}; ${open.length} of ${outcomes.size} configs are inconclusive at ${thresholds.reward_points} points: these tasks do not exclude a change of ${points(lowest)}`;
    const subject = open.length === 1 ? 'one config' : `${open.length} configs`;
    findings.push({ severity: 'inconclusive', check: 'reward_points', subject, message });
  } else if (moved === 0 && outcomes.size > 0) {
    const message = `no grounded reward moved in ${outcomes.size} configs`;
    findings.push({ severity: 'notice', check: 'reward_points', subject: 'rewards', message });
  }
  return findings;
}

const SNAPSHOT_ARM = 'snapshot';
const PRESENT_ARM = 'present';

/** Both rewards of every cell that the snapshot knows, by config; a reward that is gone is missing. */
function rewardPairs(
  cells: readonly GateCell[],
  snapshot: readonly SnapshotCell[],
): Map<string, Outcome[]> {
  const known = new Map(snapshot.map((cell) => [nameOf(cell), cell]));
  const pairs = new Map<string, Outcome[]>();
  for (const cell of cells) {
    const then = known.get(nameOf(cell));
    if (then?.reward === undefined) continue;
    const { unit: task, config, reward } = cell;
    const trial = `${cell.task} · ${cell.dialect}`;
    const own = pairs.get(config) ?? [];
    own.push({ task, trial, config: SNAPSHOT_ARM, reward: then.reward });
    own.push({ task, trial, config: PRESENT_ARM, reward });
    pairs.set(config, own);
  }
  return pairs;
}

/** `task · dialect · config`, the name of a cell. */
function nameOf({ task, dialect, config }: Pick<GateCell, 'task' | 'dialect' | 'config'>): string {
  return `${task} · ${dialect} · ${config}`;
}

function countRules(rules: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const rule of rules) counts.set(rule, (counts.get(rule) ?? 0) + 1);
  return [...counts].map(([rule, count]) => `${rule} (${count}×)`).join(', ');
}

function savedPercent(
  cells: readonly { readonly before: number; readonly after: number }[],
): number {
  const before = cells.reduce((sum, cell) => sum + cell.before, 0);
  const after = cells.reduce((sum, cell) => sum + cell.after, 0);
  return before === 0 ? 0 : (100 * (before - after)) / before;
}

function keptPercent(cells: readonly SnapshotCell[]): number | undefined {
  let kept = 0;
  let total = 0;
  for (const cell of cells) {
    if (cell.evidenceKept === undefined || cell.evidenceTotal === undefined) continue;
    kept += cell.evidenceKept;
    total += cell.evidenceTotal;
  }
  return total === 0 ? undefined : (100 * kept) / total;
}
