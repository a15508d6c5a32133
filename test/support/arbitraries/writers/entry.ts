import type { Script, Step } from '../script.ts';
import type { Wire } from '../spelling.ts';

/** One entry of a wire's list; `model` says that the model wrote it, so a request was sent before it. */
export interface Entry {
  readonly by: 'host' | 'model';
  readonly value: Wire;
}

/** A wire's way to write a script. Each writer gives entries that its provider takes. */
export interface Writer {
  entries(script: Script): readonly Entry[];
  /** The entries of one request with the host's cache marks, where the wire has such. */
  marked?(entries: readonly Entry[], lifetime: 'short' | 'long'): readonly Entry[];
}

/** The steps of all rounds, each with its number. */
export function numbered(
  script: Script,
): readonly { readonly step: Step; readonly number: number }[] {
  const all = Array.from({ length: script.rounds }, () => script.steps).flat();
  return all.map((step, number) => ({ step, number }));
}

export function host(value: Wire): Entry {
  return { by: 'host', value };
}

export function model(value: Wire): Entry {
  return { by: 'model', value };
}

/** The task that begins every session. */
export const TASK = 'Fix the failing build of the project.';

/** Nothing for undefined, else what `write` gives. */
export function maybe<T>(value: string | undefined, write: (text: string) => T): T[] {
  return value === undefined ? [] : [write(value)];
}

export function ordered<T>(values: readonly T[], reversed: boolean): T[] {
  return reversed ? [...values].reverse() : [...values];
}

/** A whole PNG of one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
