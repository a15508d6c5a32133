import type { Cell } from '../cells.ts';
import type { CellsToMeasure } from '../measure-cells.ts';

/**
 * The cells of one transcript in at most `parts` works, about as many unfinished cells in each: where there are
 * fewer transcripts than threads, its configs are measured at once. The order of the cells stays, and a config that
 * matches another one (a control) stays with it, since it needs what that one left.
 */
export function splitWork(work: CellsToMeasure, parts: number): readonly CellsToMeasure[] {
  const { cells } = work;
  const left = (of: readonly Cell[]) => of.filter(({ id }) => !work.isFinished(id)).length;
  const all = left(cells);
  const works: CellsToMeasure[] = [];
  let start = 0;
  let done = 0;
  for (const end of cuts(cells)) {
    const own = cells.slice(start, end);
    const isLast = end === cells.length;
    const isFull = (done + left(own)) * parts >= all * (works.length + 1);
    if (!isLast && (!isFull || works.length === parts - 1)) continue;
    works.push({
      cells: own,
      isFinished: (id) => work.isFinished(id),
      budgetOf: (id) => work.budgetOf(id),
    });
    done += left(own);
    start = end;
  }
  return works;
}

/** Places between configs over which none reaches back to one that it matches; the end last. */
function cuts(cells: readonly Cell[]): readonly number[] {
  const found: number[] = [];
  const earlier = new Set<string>();
  for (const [index, { config }] of cells.entries()) {
    const before = cells[index - 1]?.config;
    const isCut = before !== undefined && before.name !== config.name;
    if (isCut && !reachesBack(cells, index, earlier)) found.push(index);
    earlier.add(config.name);
  }
  return cells.length === 0 ? [] : [...found, cells.length];
}

function reachesBack(cells: readonly Cell[], from: number, earlier: ReadonlySet<string>): boolean {
  return cells
    .slice(from)
    .some(({ config: { matches } }) => matches !== undefined && earlier.has(matches.name));
}
