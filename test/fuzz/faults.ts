import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HarnessError } from '../../src/errors.ts';
import { type Reading, readRecordings } from '../../src/recordings/read.ts';
import { toTranscript } from '../../src/recordings/transcripts.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import type { ReadRecordings } from './recordings.ts';

/** Readers that are broken in one way each, so that a fuzzer is seen to find it. */
const faults: { readonly [name: string]: ReadRecordings } = {
  /** What stands behind a line that is no JSON is never looked at. */
  async *'loses-lines'(patterns, options) {
    for (const pattern of patterns.filter((one) => one.endsWith('.jsonl'))) {
      const path = join(options.cwd, pattern);
      const lines = readFileSync(path, 'utf8').split('\n');
      const broken = lines.findIndex((line) => !/[}\s]\s*$|^$/.test(line));
      if (broken >= 0) writeFileSync(path, `${lines.slice(0, broken + 1).join('\n')}\n`);
    }
    yield* readRecordings(patterns, options);
  },

  /** The last request of a transcript with a problem is left out. */
  'loses-requests': (patterns, options) =>
    changed(patterns, options, (reading) =>
      reading.problems.length === 0
        ? reading
        : { ...reading, transcripts: reading.transcripts.map(withoutEnd) },
    ),

  /** Byte for byte no more: a message whose text has an escape is spelled anew. */
  respells: (patterns, options) =>
    changed(patterns, options, (reading) => ({
      ...reading,
      transcripts: reading.transcripts.map(respelled),
    })),

  /** A problem that nothing but a place of the code tells. */
  'throws-type-errors': (patterns, options) =>
    changed(patterns, options, (reading) => {
      if (reading.problems.length > 0) throw new TypeError('x is not a function');
      return reading;
    }),

  /** Never comes back from a file with a problem. */
  loops: (patterns, options) =>
    changed(patterns, options, (reading) => {
      while (reading.problems.length > 0);
      return reading;
    }),

  /** Waits for what never comes. */
  waits: async function* (patterns, options) {
    for await (const reading of readRecordings(patterns, options)) {
      if (reading.problems.length > 0) await new Promise(() => {});
      yield reading;
    }
  },

  /** A promise that fails where nobody waits for it. */
  'rejects-unhandled': (patterns, options) =>
    changed(patterns, options, (reading) => {
      if (reading.problems.length > 0) void Promise.reject(new Error('nobody waits'));
      return reading;
    }),

  /** Sets what every object has. */
  pollutes: (patterns, options) =>
    changed(patterns, options, (reading) => {
      if (reading.problems.length > 0) {
        Object.defineProperty(Object.prototype, 'polluted', { configurable: true, value: 1 });
      }
      return reading;
    }),

  /** Says nothing of a file that it cannot read. */
  'hides-problems': (patterns, options) =>
    changed(patterns, options, (reading) => ({ ...reading, problems: [] })),
};

export const faultNames: readonly string[] = Object.keys(faults);

/** @throws HarnessError `usage` */
export function faultyReader(name: string): ReadRecordings {
  const found = faults[name];
  if (found !== undefined) return found;
  throw new HarnessError('usage', `no fault "${name}"; there are: ${faultNames.join(', ')}`);
}

async function* changed(
  patterns: Parameters<ReadRecordings>[0],
  options: Parameters<ReadRecordings>[1],
  change: (reading: Reading) => Reading,
): AsyncGenerator<Reading> {
  for await (const reading of readRecordings(patterns, options)) yield change(reading);
}

function withoutEnd(transcript: Transcript): Transcript {
  if (transcript.requests.length < 2) return transcript;
  const { hash: _, ...rest } = transcript;
  return toTranscript({ ...rest, requests: transcript.requests.slice(0, -1) });
}

function respelled(transcript: Transcript): Transcript {
  const requests = transcript.requests.map((request) => ({
    ...request,
    messages: request.messages.map((message) =>
      message.raw.includes('\\')
        ? { ...message, raw: JSON.stringify(JSON.parse(`[${message.raw}]`)).slice(1, -1) }
        : message,
    ),
  }));
  return { ...transcript, requests };
}
