import type { Random } from '../bench/random.ts';
import type { Kind, Mutator } from './material.ts';
import { mutateArchive, mutateGzip } from './mutate-archive.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateDocument, mutateRecord } from './mutate-json.ts';
import { mutateLines } from './mutate-lines.ts';
import { mutateTable } from './mutate-table.ts';
import { mutateYaml } from './mutate-yaml.ts';

/** One change, which can be made again: the bytes, the name and the seed decide all of it. */
export interface Mutation {
  /** Path of the file that is changed. */
  readonly file: string;
  readonly name: string;
  readonly seed: number;
}

/** By name; of each kind of file those that know its structure, and those of bytes. */
const mutators: ReadonlyMap<string, Mutator> = new Map([
  ['bytes', mutateBytes],
  ['lines', mutateLines],
  ['record', mutateRecord],
  ['document', mutateDocument],
  ['table', mutateTable],
  ['yaml', mutateYaml],
  ['archive', mutateArchive],
  ['gzip', mutateGzip],
]);

const CHOICES: { readonly [K in Kind]: readonly [string, ...string[]] } = {
  json: ['document', 'document', 'document', 'document', 'bytes'],
  jsonl: ['record', 'record', 'record', 'lines', 'lines', 'bytes'],
  yaml: ['yaml', 'yaml', 'yaml', 'lines', 'bytes'],
  csv: ['table', 'table', 'lines', 'bytes'],
  zip: ['archive'],
  gzip: ['gzip'],
};

export function pickMutation(file: string, kind: Kind, random: Random): Mutation {
  return { file, name: random.pick(CHOICES[kind]), seed: random.below(2 ** 32) };
}

export function mutatorOf({ name }: Mutation): Mutator {
  return mutators.get(name) ?? mutateBytes;
}
