import { formats } from '../../src/recordings/formats/catalog.ts';
import type { FormatName } from '../../src/recordings/formats/format.ts';
import { type Reading, type ReadOptions, readRecordings } from '../../src/recordings/read.ts';
import { Finding } from './finding.ts';
import type { Fuzzer } from './fuzzer.ts';
import type { Seed } from './material.ts';
import { Texts, wholeOf } from './recording-facts.ts';
import type { Baseline } from './recording-loss.ts';
import { checkReading } from './recording-oracle.ts';
import { packedSeeds, recordingSeeds } from './recording-seeds.ts';

/** As `readRecordings`; a seeded fault puts another in its place. */
export type ReadRecordings = (
  patterns: readonly string[],
  options: ReadOptions,
) => AsyncIterable<Reading>;

/** One fuzzer for each format, and one for what formats are packed in. */
export function recordingFuzzers(read: ReadRecordings = readRecordings): readonly Fuzzer[] {
  return [
    ...formats.map(({ name, about }) =>
      fuzzerOf({ name, about, seeds: () => recordingSeeds(name), format: name }, read),
    ),
    fuzzerOf(
      { name: 'archive', about: 'zip and gzip around recordings', seeds: packedSeeds },
      read,
    ),
  ];
}

interface Subject extends Pick<Fuzzer, 'name' | 'about' | 'seeds'> {
  readonly format?: FormatName;
}

function fuzzerOf({ name, about, seeds, format }: Subject, read: ReadRecordings): Fuzzer {
  const baselines = new Map<Seed, Baseline>();
  return {
    name,
    about,
    seeds,
    hasSpellings: format !== undefined,
    async check(run) {
      const { seed, folder, choice } = run;
      // Most users name no format; and name a folder as often as a file.
      const isForced = format !== undefined && !run.isRespelled && choice % 5 === 0;
      const options = { cwd: folder, format: isForced ? format : 'auto' } as const;
      const isFolder = seed.files.length > 1 || choice % 2 === 0;
      const patterns = isFolder ? ['.'] : seed.files.map(({ path }) => path);
      const whole = await wholeOf(read(patterns, options));
      const baseline = baselines.get(seed);
      if (baseline !== undefined) await checkReading(run, whole, baseline);
      else {
        if (run.files !== seed.files)
          throw new Finding('a seed must be read before what is made of it');
        const known = { whole, texts: new Texts(whole.transcripts) };
        baselines.set(seed, known);
        await checkReading(run, whole, known);
      }
      return whole.transcripts.length > 0 ? 'read' : 'rejected';
    },
  };
}
