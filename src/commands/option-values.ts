import { HarnessError, nearestName } from '../errors.ts';

/** One of the choices by its full name. Throws HarnessError `usage` with the nearest. */
export function oneOf<T extends string>(option: string, value: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === value);
  if (found !== undefined) return found;
  const begun = choices.find((choice) => choice.startsWith(value));
  const nearest = begun ?? nearestName(value, choices);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  const message = `--${option} is '${value}', expected one of ${choices.join(', ')}${hint}`;
  throw new HarnessError('usage', message);
}

/** A whole number from 1 to 999,999. Throws HarnessError `usage`. */
export function positive(option: string, value: string): number {
  if (/^[1-9]\d{0,5}$/.test(value)) return Number(value);
  throw new HarnessError('usage', `--${option} is '${value}', expected a whole number from 1`);
}

/** A number of 0 or more, such as 0.01, without exponent. Throws HarnessError `usage`. */
export function decimal(option: string, value: string): number {
  if (/^(?:\d{1,9}(?:\.\d{0,12})?|\.\d{1,12})$/.test(value)) return Number(value);
  throw new HarnessError('usage', `--${option} is '${value}', expected USD such as 0.01`);
}
