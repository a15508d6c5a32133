/** One line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Largest table of line pairs (4 bytes each) that is filled. */
const LARGEST_TABLE = 1_000_000;

/**
 * What changed between two lists of lines (or of anything that strings name). `same` and `removed` together
 * are `before`, `same` and `added` are `after`, both in order. By the longest common subsequence; where that
 * would take too long, lines that both have once are matched first (Cohen's patience diff), and a part without
 * any is replaced as a whole, unless lines were only left out of it.
 */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const lines: DiffLine[] = [];
  const emit = (kind: DiffLine['kind'], texts: readonly string[]) => {
    for (const text of texts) lines.push({ kind, text });
  };
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  emit('same', before.slice(0, head));
  const old = before.slice(head, before.length - tail);
  const young = after.slice(head, after.length - tail);
  for (const line of diffMiddle(old, young)) lines.push(line);
  emit('same', before.slice(before.length - tail));
  return lines;
}

function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const replaced = (): DiffLine[] => [
    ...before.map((text) => ({ kind: 'removed' as const, text })),
    ...after.map((text) => ({ kind: 'added' as const, text })),
  ];
  if (before.length === 0 || after.length === 0) return replaced();
  if (before.length * after.length <= LARGEST_TABLE) return byTable(before, after);
  const anchors = uniquePairs(before, after);
  if (anchors.length === 0) return whatIsLeftOut(before, after) ?? replaced();
  const lines: DiffLine[] = [];
  let [left, right] = [0, 0];
  for (const [oldAt, youngAt] of [...anchors, [before.length, after.length] as const]) {
    const between = diffLines(before.slice(left, oldAt), after.slice(right, youngAt));
    for (const line of between) lines.push(line);
    const text = before[oldAt];
    if (text !== undefined) lines.push({ kind: 'same', text });
    [left, right] = [oldAt + 1, youngAt + 1];
  }
  return lines;
}

/** The comparison where `after` is `before` without some of its lines, else undefined. */
function whatIsLeftOut(
  before: readonly string[],
  after: readonly string[],
): DiffLine[] | undefined {
  let at = 0;
  const lines = before.map((text): DiffLine => {
    if (text !== after[at]) return { kind: 'removed', text };
    at++;
    return { kind: 'same', text };
  });
  return at === after.length ? lines : undefined;
}

/** Positions of lines that both have exactly once, as many as keep their order. */
function uniquePairs(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [number, number])[] {
  const old = onlyPositions(before);
  const pairs: (readonly [number, number])[] = [];
  for (const [text, position] of onlyPositions(after)) {
    const other = old.get(text);
    if (other !== undefined) pairs.push([other, position]);
  }
  return longestRise(pairs);
}

function onlyPositions(lines: readonly string[]): Map<string, number> {
  const positions = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [position, text] of lines.entries()) {
    if (positions.has(text)) repeated.add(text);
    else positions.set(text, position);
  }
  for (const text of repeated) positions.delete(text);
  return positions;
}

/** The longest run of pairs, in order, whose first numbers rise. */
function longestRise(
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  /** Index of the pair that ends the best run of each length, and of the pair before each one. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  const firstOf = (index: number | undefined) => pairs[index ?? -1]?.[0] ?? -1;
  for (const [index, [first]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (firstOf(ends[middle]) < first) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1];
    ends[low] = index;
  }
  const run: (readonly [number, number])[] = [];
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) {
    const pair = pairs[index];
    if (pair !== undefined) run.push(pair);
  }
  return run.toReversed();
}

/** The longest common subsequence by its table. */
function byTable(before: readonly string[], after: readonly string[]): DiffLine[] {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => table[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      table[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < before.length || column < after.length) {
    const [old, young] = [before[row], after[column]];
    if (old !== undefined && old === young) {
      lines.push({ kind: 'same', text: old });
      row++;
      column++;
    } else if (
      old !== undefined &&
      (young === undefined || at(row + 1, column) >= at(row, column + 1))
    ) {
      lines.push({ kind: 'removed', text: old });
      row++;
    } else if (young !== undefined) {
      lines.push({ kind: 'added', text: young });
      column++;
    }
  }
  return lines;
}

/** A stretch of a comparison, or unchanged lines that are left out. */
export type DiffPart = DiffLine | { readonly kind: 'folded'; readonly lines: number };

/** The comparison with unchanged lines left out where they are further than `context` from a change. */
export function foldSame(lines: readonly DiffLine[], context = 3): DiffPart[] {
  const isNear = new Array<boolean>(lines.length).fill(false);
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') last = index;
    isNear[index] = index - last <= context;
  }
  let next = Number.POSITIVE_INFINITY;
  for (let index = lines.length - 1; index >= 0; index--) {
    if (lines[index]?.kind !== 'same') next = index;
    isNear[index] ||= next - index <= context;
  }
  const parts: DiffPart[] = [];
  let folded: DiffLine[] = [];
  const unfold = () => {
    // A note in place of one line would save nothing.
    if (folded.length === 1) for (const line of folded) parts.push(line);
    else if (folded.length > 1) parts.push({ kind: 'folded', lines: folded.length });
    folded = [];
  };
  for (const [index, line] of lines.entries()) {
    if (isNear[index] !== true) {
      folded.push(line);
      continue;
    }
    unfold();
    parts.push(line);
  }
  unfold();
  return parts;
}
