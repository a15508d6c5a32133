/** What became of the records of one file: `found` = `read` + all `merged` + all `skipped`. */
export interface FileLoss {
  /** Path as the user would write it; the entry of an archive is `file.zip!/entry`. */
  readonly file: string;
  readonly format: string;
  /** What is counted: lines, messages, steps, events, … */
  readonly unit: string;
  /** Records that the file holds, counted apart from their reading. */
  readonly found: number;
  /** Records that became part of a transcript by themselves. */
  readonly read: number;
  /** Records that became part of what another record gave, by the reason. */
  readonly merged: ReadonlyMap<string, number>;
  /** Records that are in no transcript, by the reason. */
  readonly skipped: ReadonlyMap<string, number>;
}

interface Counts {
  unit: string;
  found: number;
  read: number;
  readonly merged: Map<string, number>;
  readonly skipped: Map<string, number>;
}

/** Counts, file by file, what a reader did with each record, so that nothing is dropped silently. */
export class LossReport {
  readonly #format: string;
  readonly #files = new Map<string, Counts>();

  constructor(format: string) {
    this.#format = format;
  }

  /** Says that `file` holds `count` records more; `unit` names them in the plural. */
  found(file: string, count: number, unit?: string): void {
    const counts = this.#of(file);
    counts.found += count;
    if (unit !== undefined) counts.unit = unit;
  }

  /** Says that `count` records became part of a transcript. */
  read(file: string, count = 1): void {
    this.#of(file).read += count;
  }

  /** Says that `count` records became part of what another record gave. */
  merged(file: string, why: string, count = 1): void {
    add(this.#of(file).merged, why, count);
  }

  /** Says that `count` records are in no transcript. */
  skipped(file: string, why: string, count = 1): void {
    add(this.#of(file).skipped, why, count);
  }

  /** After reading ended early: all records that nothing was said of are skipped. */
  abandon(why: string): void {
    for (const [file, { found, read, merged, skipped }] of this.#files) {
      this.skipped(file, why, found - read - sum(merged) - sum(skipped));
    }
  }

  /** One entry a file, in the order in which the files were first named. */
  files(): readonly FileLoss[] {
    return [...this.#files].map(([file, counts]) => ({ file, format: this.#format, ...counts }));
  }

  #of(file: string): Counts {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const counts = { unit: 'records', found: 0, read: 0, merged: new Map(), skipped: new Map() };
    this.#files.set(file, counts);
    return counts;
  }
}

function add(counts: Map<string, number>, why: string, count: number): void {
  if (count > 0) counts.set(why, (counts.get(why) ?? 0) + count);
}

/** True when every record of the file is accounted for. */
export function addsUp({ found, read, merged, skipped }: FileLoss): boolean {
  return found === read + sum(merged) + sum(skipped);
}

/** One line for people: `12 lines: 9 read, 2 merged (part of a response), 1 skipped (broken)`. */
export function describeLoss(loss: FileLoss): string {
  const reasons = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([why, count]) => `${count} ${why}`).join(', ');
  const parts = [`${loss.read} read`];
  if (loss.merged.size > 0) parts.push(`${sum(loss.merged)} merged (${reasons(loss.merged)})`);
  if (loss.skipped.size > 0) parts.push(`${sum(loss.skipped)} skipped (${reasons(loss.skipped)})`);
  return `${loss.found} ${loss.unit}: ${parts.join(', ')}`;
}

function sum(counts: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
