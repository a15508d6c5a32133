import type { Place } from '../errors.ts';
import type { Catalog } from './catalog.ts';
import type { Located, LocatedEntry, LocatedScalar } from './located.ts';
import { type Assignment, type Axis, type Matrix, NO_MATRIX, sameValue } from './matrix.ts';
import { type Problems, shown } from './problems.ts';
import { checkSettable } from './settable.ts';

/** Reads the `matrix:` block of a document whose pipeline has the keys `settable`. */
export function readMatrix(
  entry: LocatedEntry | undefined,
  settable: readonly string[],
  components: Catalog,
  problems: Problems,
): Matrix {
  if (entry === undefined || entry.value.kind !== 'map') return NO_MATRIX;
  const before = problems.count;
  const reader = new MatrixReader(settable, components, problems);
  const axes: Axis[] = [];
  let include: Assignment[] = [];
  let exclude: Assignment[] = [];
  for (const [key, { keyAt, value }] of entry.value.entries) {
    if (key === 'include') include = reader.assignments(value);
    else if (key === 'exclude') exclude = reader.assignments(value);
    else if (reader.knows(key, keyAt)) {
      const values = reader.values(key, value);
      if (values.length > 0) axes.push({ key, values });
    }
  }
  if (problems.count > before) return NO_MATRIX;
  if (axes.length === 0 && include.length === 0) {
    const message = 'matrix: found no list to vary, expected dotted keys with lists of values';
    problems.add('config.value', message, entry.value.at);
  }
  checkExcludes(axes, exclude, problems);
  return { axes, include, exclude };
}

class MatrixReader {
  readonly #settable: readonly string[];
  readonly #components: Catalog;
  readonly #problems: Problems;

  constructor(settable: readonly string[], components: Catalog, problems: Problems) {
    this.#settable = settable;
    this.#components = components;
    this.#problems = problems;
  }

  knows(key: string, at: Place): boolean {
    if (!checkSettable(key, at, this.#problems, this.#components)) return false;
    if (this.#settable.includes(key)) return true;
    const message = `${shown(key)}: no component of this document's pipeline has it`;
    this.#problems.add('config.key', message, at);
    return false;
  }

  values(key: string, node: Located): LocatedScalar[] {
    if (node.kind !== 'list' || node.items.length === 0) {
      const found = node.kind === 'list' ? 'an empty list' : 'no list';
      const message = `matrix: found ${found} for ${key}, expected a list such as [1, 3]`;
      this.#problems.add('config.value', message, node.at);
      return [];
    }
    const values: LocatedScalar[] = [];
    for (const item of node.items) {
      const value = this.#scalar(key, item);
      if (value === undefined) continue;
      if (values.some((earlier) => sameValue(earlier, value))) {
        const message = `matrix: ${shown(String(value.value))} stands twice in the list of ${key}`;
        this.#problems.add('config.value', message, item.at);
      } else {
        values.push(value);
      }
    }
    return values;
  }

  assignments(node: Located): Assignment[] {
    if (node.kind === 'list') return node.items.map((item) => this.#assignment(item));
    const message = `${node.at.key}: expected a list of mappings from dotted keys to one value each`;
    this.#problems.add('config.value', message, node.at);
    return [];
  }

  #assignment(node: Located): Assignment {
    const assignment = new Map<string, LocatedScalar>();
    if (node.kind !== 'map' || node.entries.size === 0) {
      const message = `${node.at.key}: expected a mapping from dotted keys to one value each`;
      this.#problems.add('config.value', message, node.at);
      return assignment;
    }
    for (const [key, { keyAt, value }] of node.entries) {
      if (!this.knows(key, keyAt)) continue;
      const scalar = this.#scalar(key, value);
      if (scalar !== undefined) assignment.set(key, scalar);
    }
    return assignment;
  }

  #scalar(key: string, node: Located): LocatedScalar | undefined {
    // The setting's own key, not its place in the matrix, is what a message about the value names.
    if (node.kind === 'scalar' && node.value !== null) return { ...node, at: { ...node.at, key } };
    const message = `${node.at.key}: expected single values: a text, a number, true or false`;
    this.#problems.add('config.value', message, node.at);
    return undefined;
  }
}

/** An exclude that can match nothing is a mistake. */
function checkExcludes(
  axes: readonly Axis[],
  exclude: readonly Assignment[],
  problems: Problems,
): void {
  for (const entry of exclude) {
    for (const [key, value] of entry) {
      const axis = axes.find((candidate) => candidate.key === key);
      if (axis?.values.some((own) => sameValue(own, value))) continue;
      const problem = axis === undefined ? 'is no key of this matrix' : 'is no value of its list';
      const what = axis === undefined ? key : `${key}: ${shown(String(value.value))}`;
      problems.add(
        'config.value',
        `matrix.exclude: ${what} ${problem}, so nothing matches`,
        value.at,
      );
    }
  }
}
