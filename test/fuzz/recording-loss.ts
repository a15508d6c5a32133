/** Whether records that a mutation left untouched are still read, or told of. */
import { describeLoss } from '../../src/recordings/loss.ts';
import { insist } from './finding.ts';
import type { Run } from './fuzzer.ts';
import { isJson } from './json-tree.ts';
import type { SeedFile } from './material.ts';
import { isOf, recordsOf, Texts, toldOf, type Whole } from './recording-facts.ts';

/** A seed as it is read unchanged. */
export interface Baseline {
  readonly whole: Whole;
  readonly texts: Texts;
}

interface Missing {
  /** A mark of each record that is in no transcript any more. */
  readonly lost: readonly string[];
  readonly touched: number;
  /** Lines that are no JSON. */
  readonly broken: number;
  /** The untouched records stand in another order. */
  readonly isReordered: boolean;
}

/** Property 4 of recording-oracle.ts. @throws Finding */
export function checkLoss(
  run: Run,
  files: readonly SeedFile[],
  whole: Whole,
  baseline: Baseline,
): void {
  const { problems, losses } = whole;
  // A problem with a file as a whole is about all that it holds.
  if (problems.some(({ at, severity }) => at.line === undefined && severity === 'error')) return;
  if (problems.some(({ code }) => code === 'input.format' || code === 'input.empty')) return;
  if (kindOf(whole) !== kindOf(baseline.whole)) return;
  const texts = new Texts(whole.transcripts);
  const missing = files.flatMap((after) => {
    const before = run.seed.files.find(({ path }) => path === after.path);
    // What could not be opened at all has its problem, and no records.
    const isOpen = losses.some(({ file }) => isOf(file, after.path));
    return before === undefined || !isOpen ? [] : missingOf(before, after, texts, baseline);
  });
  const lost = missing.flatMap((one) => one.lost);
  if (lost.length === 0) return;
  const touched = missing.reduce((sum, one) => sum + one.touched, 0);
  // A string of a JSON file is no record: one word about its file answers for all of them.
  const isOfLines = files.every(({ kind }) => kind === 'jsonl');
  const told = moreTold(whole, baseline.whole, missing);
  const isTold = isOfLines
    ? lost.length <= told
    : lost.length <= touched || told + problems.length > 0;
  insist(isTold, () => {
    const described = (read: Whole) => read.losses.map(describeLoss).join('; ');
    const first = lost
      .slice(0, 6)
      .map((mark) => JSON.stringify(mark.slice(0, 80)))
      .join(', ');
    return `silent loss of ${lost.length} untouched records (${touched} touched, ${problems.length} problems), such as those with ${first}; ${described(whole)}; before: ${described(baseline.whole)}`;
  });
}

/** Formats and dialects: what is read as another kind of recording is another recording. */
function kindOf({ losses, transcripts }: Whole): string {
  const formats = new Set(losses.map(({ format }) => format));
  const dialects = new Set(transcripts.map(({ dialect }) => dialect));
  return [...formats, ...[...dialects].toSorted()].join();
}

/**
 * How many untouched records may have been told of: those told of more than before, without the broken lines that a
 * mutation has made; of touched ones as many as were told of before, since these may have been them.
 */
function moreTold(after: Whole, before: Whole, missing: readonly Missing[]): number {
  const [now, then] = [toldOf(after.losses), toldOf(before.losses)];
  const sum = (count: (one: Missing) => number) =>
    missing.reduce((total, one) => total + count(one), 0);
  // In another order, what was skipped before may be read, and the other way about.
  const isReordered = missing.some((one) => one.isReordered);
  const more = isReordered
    ? now.skipped + now.merged
    : Math.max(0, now.skipped - then.skipped) + Math.max(0, now.merged - then.merged);
  const own = more - sum(({ broken }) => broken);
  return (
    Math.max(0, own) +
    Math.min(
      then.skipped + then.merged,
      sum(({ touched }) => touched),
    )
  );
}

function missingOf(before: SeedFile, after: SeedFile, texts: Texts, baseline: Baseline): Missing {
  const lost: string[] = [];
  let touched = 0;
  if (after.kind === 'zip' || after.kind === 'gzip') {
    return { lost, touched, broken: 0, isReordered: false };
  }
  const records = recordsOf(after).map(({ text }) => text);
  const left = countsOf(records);
  const untouched: string[] = [];
  for (const record of recordsOf(before)) {
    const count = left.get(record.text) ?? 0;
    if (count === 0) {
      touched++;
      continue;
    }
    left.set(record.text, count - 1);
    untouched.push(record.text);
    const marks = record.marks.filter((mark) => baseline.texts.has(mark));
    if (marks.length > 0 && !marks.some((mark) => texts.holds(mark))) lost.push(marks[0] ?? '');
  }
  const kept = new Set(untouched);
  const order = [...new Set(records.filter((text) => kept.has(text)))];
  const isReordered = [...kept].some((text, index) => text !== order[index]);
  const broken = after.kind === 'jsonl' ? records.filter((text) => !isJson(text)).length : 0;
  return { lost, touched, broken, isReordered };
}

function countsOf(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
