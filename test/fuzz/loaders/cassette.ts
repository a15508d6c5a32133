/**
 * Cassettes. Whatever was done to the file, the calls of untouched lines are answered, and each line that is none is
 * told of with its number.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openCassette } from '../../../src/model/cassette.ts';
import { readLine } from '../../../src/model/cassette-entry.ts';
import { insist } from '../finding.ts';
import type { Fuzzer } from '../fuzzer.ts';
import { endedLines, fileFuzzer, jsonOf, root } from './one-file.ts';

/** Short entries of the committed cassette, so that a run is short. */
function shortCassette(): string {
  const text = readFileSync(join(root, 'fixtures/cassettes/scripted-agent.jsonl'), 'utf8');
  const lines = text.split('\n').filter(Boolean);
  const short = lines.slice(1).toSorted((a, b) => a.length - b.length);
  return `${[lines[0], ...short.slice(0, 8)].join('\n')}\n`;
}

/** A whole line may stand behind what a killed writer left of another. */
const JOINED = /.\{"(?:key":"|cassette":)/;

export const cassetteFuzzer: Fuzzer = fileFuzzer(
  {
    name: 'cassette',
    about: 'recorded answers of models',
    seeds: () => [
      {
        name: 'cassette',
        files: [{ path: 'cassette.jsonl', kind: 'jsonl', bytes: Buffer.from(shortCassette()) }],
      },
    ],
  },
  async ({ path, text, run }) => {
    const cassette = openCassette(path, 'replay');
    try {
      const original = new Set(run.seed.files[0]?.bytes.toString('utf8').split('\n'));
      const lines = endedLines(text);
      for (const [index, line] of lines.entries()) {
        if (original.has(line)) {
          const read = readLine(line);
          const isKnown =
            read.kind !== 'entry' || cassette.outcomeOf(read.entry.call) !== undefined;
          insist(isKnown, () => `the call of line ${index + 1} has no answer`);
        } else if (line.trim() !== '' && jsonOf(line) === undefined && !JOINED.test(line)) {
          const isTold = cassette.notices.some((notice) => notice.includes(`:${index + 1}: `));
          insist(
            isTold,
            () => `line ${index + 1} is no JSON and nothing says so: ${line.slice(0, 60)}`,
          );
        }
      }
      insist(cassette.identity !== '', () => 'a cassette without a name');
      return cassette.size > 0 ? 'read' : 'rejected';
    } finally {
      cassette.close();
    }
  },
);
