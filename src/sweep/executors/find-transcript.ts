import { formats } from '../../recordings/formats/catalog.ts';
import { type ReadOptions, readRecordings } from '../../recordings/read.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import type { SharedTranscript } from './bullmq-protocol.ts';

/**
 * The transcript where this machine has it, under the name that it has in the sweep; undefined where it is not
 * there, or is another one. A session can lie in several files, so where its first does not have it all, the
 * `patterns` of the sweep are read.
 */
export async function findTranscript(
  wanted: SharedTranscript,
  patterns: readonly string[],
  cwd: string,
): Promise<Transcript | undefined> {
  const format: NonNullable<ReadOptions['format']> =
    formats.find(({ name }) => name === wanted.format)?.name ?? 'auto';
  for (const searched of [[wanted.file], patterns]) {
    for await (const { transcripts } of readRecordings(searched, { cwd, format })) {
      const found = transcripts.find((one) => isSame(one, wanted));
      if (found === undefined) continue;
      const { task, file, session } = wanted;
      return { ...found, task, source: { file, format: wanted.format, session } };
    }
  }
  return undefined;
}

/** The task is left out: its name depends on what else was read beside it. */
function isSame({ hash, trial, lineage, source }: Transcript, wanted: SharedTranscript): boolean {
  return (
    hash === wanted.hash &&
    trial === wanted.trial &&
    lineage === wanted.lineage &&
    source.session === wanted.session
  );
}
