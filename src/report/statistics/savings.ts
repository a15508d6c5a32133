import { mean } from './moments.ts';
import { sampleQuantile } from './quantiles.ts';

/** The token counts of one cell; a count that was not measured is undefined. */
export interface SavingsCell {
  readonly task: string;
  readonly config: string;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly unique?: number | undefined;
  readonly net?: number | undefined;
  /** Requests that were rewritten; where it is not known, a cell fired that saved anything but 0. */
  readonly fired?: number | undefined;
}

/** Savings of one config in tokens. A figure without a cell that measured it is undefined, never 0. */
export interface Savings {
  readonly config: string;
  readonly cells: number;
  /** Cells with counts before and after; all figures below are over these. */
  readonly counted: number;
  readonly before: number;
  readonly after: number;
  readonly gross: number | undefined;
  readonly unique: number | undefined;
  readonly net: number | undefined;
  /** 100 × Σ saved ÷ Σ before: long transcripts weigh more. */
  readonly pooledPercent: number | undefined;
  /** Mean and median of the cells' own percentages: every cell weighs the same. */
  readonly meanPercent: number | undefined;
  readonly medianPercent: number | undefined;
  readonly firedCells: number;
  /** Share of the counted cells that fired, 0 to 1. */
  readonly firedShare: number | undefined;
  readonly sent: SentAgainstBaseline;
  /** True where it saved of its own stream and sent more than the baseline, or the other way round. */
  readonly signsDisagree: boolean;
}

/** What was sent, over the tasks where both arms have counts, trials averaged within a task. */
export interface SentAgainstBaseline {
  readonly tasks: number;
  readonly baseline: number;
  readonly config: number;
  /** 100 × (config − baseline) ÷ baseline: below 0 the config sent less. */
  readonly percent: number | undefined;
  /** Tasks in which the signs disagree, the largest ratio of sent tokens first. */
  readonly disagreeing: readonly DisagreeingTask[];
}

export interface DisagreeingTask {
  readonly task: string;
  /** Tokens saved of its own stream. */
  readonly saved: number;
  readonly baseline: number;
  readonly config: number;
}

interface CountedCell extends SavingsCell {
  readonly before: number;
  readonly after: number;
}

/** Savings of `config` among the cells, against the cells of `baseline`. */
export function savingsOf(
  cells: readonly SavingsCell[],
  config: string,
  baseline: string,
): Savings {
  const own = cells.filter((cell) => cell.config === config);
  const counted = own.filter(isCounted);
  const before = total(counted, (cell) => cell.before) ?? 0;
  const after = total(counted, (cell) => cell.after) ?? 0;
  const percents = counted
    .map((cell) => percent(cell.before - cell.after, cell.before) ?? 0)
    .sort((a, b) => a - b);
  const firedCells = counted.filter(
    (cell) => (cell.fired ?? cell.before - cell.after) !== 0,
  ).length;
  const others = cells.filter((cell) => cell.config === baseline).filter(isCounted);
  const sent = sentAgainst(counted, others);
  return {
    config,
    cells: own.length,
    counted: counted.length,
    before,
    after,
    gross: counted.length === 0 ? undefined : before - after,
    unique: total(counted, (cell) => cell.unique),
    net: total(counted, (cell) => cell.net),
    pooledPercent: percent(before - after, before),
    meanPercent: mean(percents),
    medianPercent: sampleQuantile(percents, 0.5),
    firedCells,
    firedShare: counted.length === 0 ? undefined : firedCells / counted.length,
    sent,
    signsDisagree: disagree(before - after, sent.config - sent.baseline),
  };
}

function sentAgainst(
  cells: readonly CountedCell[],
  baselineCells: readonly CountedCell[],
): SentAgainstBaseline {
  const own = byTask(cells);
  const theirs = byTask(baselineCells);
  const tasks: DisagreeingTask[] = [];
  for (const [task, ofTask] of own) {
    const baseline = mean((theirs.get(task) ?? []).map((cell) => cell.after));
    const config = mean(ofTask.map((cell) => cell.after));
    const saved = mean(ofTask.map((cell) => cell.before - cell.after));
    if (baseline === undefined || config === undefined || saved === undefined) continue;
    tasks.push({ task, saved, baseline, config });
  }
  const baseline = total(tasks, (task) => task.baseline) ?? 0;
  const config = total(tasks, (task) => task.config) ?? 0;
  return {
    tasks: tasks.length,
    baseline,
    config,
    percent: percent(config - baseline, baseline),
    disagreeing: tasks
      .filter((task) => disagree(task.saved, task.config - task.baseline))
      .sort((a, b) => b.config / b.baseline - a.config / a.baseline || (a.task < b.task ? -1 : 1)),
  };
}

/** Saving is sending less: the two disagree when both go up or both go down. */
function disagree(saved: number, sentMore: number): boolean {
  return saved * sentMore > 0;
}

function byTask(cells: readonly CountedCell[]): Map<string, CountedCell[]> {
  const tasks = new Map<string, CountedCell[]>();
  for (const cell of cells) {
    const ofTask = tasks.get(cell.task);
    if (ofTask === undefined) tasks.set(cell.task, [cell]);
    else ofTask.push(cell);
  }
  return tasks;
}

function isCounted(cell: SavingsCell): cell is CountedCell {
  return cell.before !== undefined && cell.after !== undefined;
}

/** Sum over the items that have the figure; undefined where none has. */
function total<Item>(
  items: readonly Item[],
  figure: (item: Item) => number | undefined,
): number | undefined {
  const figures = items.flatMap((item) => figure(item) ?? []);
  return figures.length === 0 ? undefined : figures.reduce((sum, value) => sum + value, 0);
}

function percent(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : (100 * part) / whole;
}
