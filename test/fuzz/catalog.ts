import { HarnessError, nearestName } from '../../src/errors.ts';
import { faultyReader } from './faults.ts';
import type { Fuzzer } from './fuzzer.ts';
import { loaderFuzzers } from './loaders/catalog.ts';
import { recordingFuzzers } from './recordings.ts';

/** All fuzzers; `fault` puts a broken reader of recordings in the place of the true one. */
export function fuzzers(fault?: string): readonly Fuzzer[] {
  return [
    ...recordingFuzzers(fault === undefined ? undefined : faultyReader(fault)),
    ...loaderFuzzers,
  ];
}

/** @throws HarnessError `usage` */
export function fuzzerNamed(name: string, fault?: string): Fuzzer {
  const all = fuzzers(fault);
  const found = all.find((fuzzer) => fuzzer.name === name);
  if (found !== undefined) return found;
  const names = all.map((fuzzer) => fuzzer.name);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
  throw new HarnessError('usage', `no fuzzer "${name}"${hint} There are: ${names.join(', ')}`);
}
