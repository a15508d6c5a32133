import type { Fuzzer } from '../fuzzer.ts';
import { caseFuzzers } from './cases.ts';
import { cassetteFuzzer } from './cassette.ts';
import { configFuzzer } from './config.ts';
import { runFileFuzzers } from './run-files.ts';
import { tableFuzzers } from './tables.ts';
import { yamlFuzzers } from './yaml-files.ts';

/** One fuzzer for each file of a user's that is no recording. */
export const loaderFuzzers: readonly Fuzzer[] = [
  configFuzzer,
  ...yamlFuzzers,
  ...tableFuzzers,
  ...runFileFuzzers,
  cassetteFuzzer,
  ...caseFuzzers,
];
