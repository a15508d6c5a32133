import type { LocatedScalar } from './located.ts';

/** Dotted key → value: what makes one combination differ from its document. */
export type Assignment = ReadonlyMap<string, LocatedScalar>;

/** One dotted key and the values that it takes. */
export interface Axis {
  readonly key: string;
  readonly values: readonly LocatedScalar[];
}

/**
 * Every combination of the axes, minus those that contain an `exclude` entry, plus each `include`
 * entry. An include may name a part of the keys, or others: it stands for itself, and leaves every
 * other key as the document has it.
 */
export interface Matrix {
  readonly axes: readonly Axis[];
  readonly include: readonly Assignment[];
  readonly exclude: readonly Assignment[];
}

export const NO_MATRIX: Matrix = { axes: [], include: [], exclude: [] };

/** Upper bound of the number of combinations, without making them. */
export function matrixSize({ axes, include }: Matrix): number {
  return productSize(axes) + include.length;
}

/** Number of combinations of all axes; 1 without any. */
export function productSize(axes: readonly Axis[]): number {
  return axes.reduce((size, { values }) => size * values.length, 1);
}

/** The combinations of a matrix, the last axis turning fastest; the document itself when it has none. */
export function expandMatrix({ axes, include, exclude }: Matrix): Assignment[] {
  const isExcluded = (combination: Assignment) =>
    exclude.some((entry) => contains(combination, entry));
  const onlyIncluded = axes.length === 0 && include.length > 0;
  const combinations = onlyIncluded ? [] : product(axes, new Map());
  return distinct([...combinations.filter((combination) => !isExcluded(combination)), ...include]);
}

/** Each combination once more for every combination of `axes`, whose values win. */
export function crossWith(
  combinations: readonly Assignment[],
  axes: readonly Axis[],
): Assignment[] {
  return distinct(combinations.flatMap((combination) => product(axes, combination)));
}

function product(axes: readonly Axis[], start: Assignment): Assignment[] {
  let combinations: Assignment[] = [start];
  for (const { key, values } of axes) {
    combinations = combinations.flatMap((combination) =>
      values.map((value) => new Map(combination).set(key, value)),
    );
  }
  return combinations;
}

export function contains(combination: Assignment, part: Assignment): boolean {
  return [...part].every(([key, value]) => {
    const own = combination.get(key);
    return own !== undefined && sameValue(own, value);
  });
}

export function sameValue(one: LocatedScalar, other: LocatedScalar): boolean {
  return Object.is(one.value, other.value);
}

function distinct(combinations: readonly Assignment[]): Assignment[] {
  const seen = new Map<string, Assignment>();
  for (const combination of combinations) {
    const identity = assignmentIdentity(combination);
    if (!seen.has(identity)) seen.set(identity, combination);
  }
  return [...seen.values()];
}

/** Equal for assignments of equal values to equal keys, whatever their order. */
export function assignmentIdentity(assignment: Assignment): string {
  return [...assignment]
    .map(([key, { value }]) => `${key}=${nameValue(value)}`)
    .toSorted()
    .join('\n');
}

/**
 * `cg-summarize:keep_last=1:summary_level=concise`. `keys` are all keys that vary in the document; each
 * is shortened to the segments that tell it from the others.
 */
export function combinationName(
  base: string,
  assignment: Assignment,
  keys: readonly string[],
): string {
  const parts = [...assignment].map(
    ([key, { value }]) => `:${shortKey(key, keys)}=${nameValue(value)}`,
  );
  return base + parts.join('');
}

/** The shortest run of last segments that no other key ends with. */
export function shortKey(key: string, keys: readonly string[]): string {
  const segments = key.split('.');
  const others = keys.filter((other) => other !== key);
  for (let length = 1; length < segments.length; length++) {
    const suffix = segments.slice(-length).join('.');
    if (!others.some((other) => other === suffix || other.endsWith(`.${suffix}`))) return suffix;
  }
  return key;
}

const PLAIN_TEXT = /^(?!(?:true|false|null)$)[a-z_/][\w.@+/-]*$/i;

/** A value in a name: bare where it can only be this value, else in quotes, so that names stay distinct. */
function nameValue(value: LocatedScalar['value']): string {
  if (typeof value !== 'string') return String(value);
  return PLAIN_TEXT.test(value) ? value : JSON.stringify(value);
}
