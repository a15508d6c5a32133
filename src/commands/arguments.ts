import type { Command } from 'cac';
import { HarnessError, nearestName } from '../errors.ts';

/**
 * Stands before each value while cac parses, so that cac takes a value as it is: not `007` as the
 * number 7, nor `-x` as an option.
 */
const GUARD = '\0';

/** How many values an option takes. */
type Takes = 'nothing' | 'one' | 'many' | 'maybe';

/**
 * Rewrites arguments so that cac reads them as they are meant: every value joined to its option, and an
 * option with `<...values>` taking all words up to the next option.
 *
 * Throws HarnessError `usage` for an option that the command does not have.
 */
export function joinValues(words: readonly string[], command: Command): string[] {
  const shapes = shapesOf(command);
  const joined: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? '';
    if (word === '--') return [...joined, ...words.slice(index)];
    if (!word.startsWith('-') || word === '-') {
      joined.push(word);
      continue;
    }
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    const takes = shapes.get(name);
    if (takes === undefined) throw unknownOption(name, command, shapes);
    const values = equals < 0 ? [] : [word.slice(equals + 1)];
    if (takes === 'nothing') {
      if (equals >= 0) throw new HarnessError('usage', `${name} takes no value; leave '=' out`);
    } else {
      const limit = takes === 'many' ? Number.POSITIVE_INFINITY : 1;
      while (values.length < limit && isValue(words[index + 1])) values.push(words[++index] ?? '');
    }
    if (values.length === 0) joined.push(name);
    for (const value of values) joined.push(`${name}=${GUARD}${value}`);
  }
  return joined;
}

/** Takes the guards away again. */
export function freeValues(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(options).map(([name, value]) => [name, freed(value)]));
}

function freed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(freed);
  return typeof value === 'string' && value.startsWith(GUARD) ? value.slice(1) : value;
}

/** A number below zero is a value, so that its option can say what is wrong with it. */
function isValue(word: string | undefined): boolean {
  return word !== undefined && (!word.startsWith('-') || /^-\d*$/.test(word));
}

function shapesOf(command: Command): Map<string, Takes> {
  const shapes = new Map<string, Takes>([
    ['--help', 'nothing'],
    ['-h', 'nothing'],
  ]);
  for (const { rawName, required, isBoolean } of command.options) {
    const many = rawName.includes('...');
    const takes = isBoolean ? 'nothing' : many ? 'many' : required ? 'one' : 'maybe';
    for (const name of rawName.replace(/[<[].*/, '').split(',')) shapes.set(name.trim(), takes);
  }
  return shapes;
}

function unknownOption(
  name: string,
  command: Command,
  shapes: ReadonlyMap<string, Takes>,
): HarnessError {
  const nearest = nearestName(name, shapes.keys());
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  const message = `${command.name} has no option ${name}${hint} (npm run ${command.name} -- --help)`;
  return new HarnessError('usage', message);
}
