import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { documentOf, readDocument } from '../../src/recordings/document.ts';
import { formats } from '../../src/recordings/formats/catalog.ts';
import { addsUp, describeLoss } from '../../src/recordings/loss.ts';
import { findFiles } from '../../src/recordings/paths.ts';
import { isObject } from '../../src/wire/json-object.ts';
import { hasShared, needsShared, type Read, readAll, shared } from './support.ts';

/*
 * The committed table of the public files: what each holds by its publisher's count (transcripts,
 * rewards), and which lineages and requests are read from it. A file without lineages of its own is a
 * part of those of another one (a session over several files), or holds none (a companion).
 */

interface Row {
  readonly file: string;
  readonly format: string;
  readonly transcripts: number;
  readonly lineages: number;
  readonly requests: number;
  readonly rewards: number;
}

const [header, ...lines] = readFileSync(join(import.meta.dirname, 'public-files.tsv'), 'utf8')
  .trimEnd()
  .split('\n');
const table = lines.map((line): Row => {
  const [file = '', format = '', ...counts] = line.split('\t');
  const [transcripts = 0, lineages = 0, requests = 0, rewards = 0] = counts.map(Number);
  return { file, format, transcripts, lineages, requests, rewards };
});
const tableFormats = [...new Set(table.map(({ format }) => format))];

interface Listed {
  readonly file: string;
  readonly format: string;
  readonly transcripts: number;
  readonly rewards: number;
}

function manifest(): readonly Listed[] {
  const value: unknown = JSON.parse(readFileSync(join(shared, 'manifest.json'), 'utf8'));
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  return entries.filter(
    (entry): entry is Listed => isObject(entry) && typeof entry.file === 'string',
  );
}

/** Files that hold a bare list of messages, which says nothing of the agent that it is of. */
const BARE_LISTS = new Set([
  'llm-request-log/OpenHands__software-agent-sdk/fncall-llm-message.json',
]);

test('the table has its columns, and each file once', () => {
  expect(header).toBe('file\tformat\ttranscripts\tlineages\trequests\trewards');
  expect(new Set(table.map(({ file }) => file)).size).toBe(table.length);
});

test('573 recordings and 480 rewards, in 19 formats', () => {
  const sum = (key: 'transcripts' | 'rewards') => table.reduce((total, row) => total + row[key], 0);
  expect([sum('transcripts'), sum('rewards'), tableFormats.length]).toEqual([573, 480, 19]);
});

describe.skipIf(!hasShared)(`all public files${needsShared}`, () => {
  let read: Read;
  beforeAll(async () => {
    read = await readAll(tableFormats, { cwd: shared });
  });

  test('the table lists what the manifest lists, with its counts', () => {
    const listed = manifest().filter(({ format }) => tableFormats.includes(format));
    const counts = (entry: Listed) => [entry.file, entry.format, entry.transcripts, entry.rewards];
    expect(table.map(counts).sort()).toEqual(listed.map(counts).sort());
  });

  test('each file gives the lineages, requests and rewards of the table', () => {
    const found = table.map((row): Row => {
      const own = read.transcripts.filter(
        ({ source }) => source.file === row.file || source.file.startsWith(`${row.file}!/`),
      );
      return {
        ...row,
        lineages: own.length,
        requests: own.reduce((sum, { requests }) => sum + requests.length, 0),
        rewards: own.filter(({ reward }) => reward !== undefined).length,
      };
    });
    expect(found).toEqual(table);
    expect(table.reduce((sum, { lineages }) => sum + lineages, 0)).toBe(read.transcripts.length);
  });

  test('every loss report adds up, and every file with a recording has one', () => {
    for (const loss of read.losses) expect(addsUp(loss) ? '' : describeLoss(loss)).toBe('');
    expect(read.problems.filter(({ code }) => code === 'harness.internal')).toEqual([]);
    const reported = new Set(read.losses.map(({ file }) => file.split('!/')[0]));
    for (const { file, transcripts } of table) {
      if (transcripts > 0) expect([file, reported.has(file)]).toEqual([file, true]);
    }
  });

  test('only a file of broken lines has errors', () => {
    const errors = read.problems.filter(({ severity }) => severity === 'error');
    const files = new Set(errors.map(({ at }) => at.file?.split('/').at(-1)));
    expect([...files]).toEqual(['edge_cases.jsonl']);
  });

  test('each file is recognized as its own format, and as no other but a list of messages', () => {
    for (const { file, format, transcripts } of table) {
      if (transcripts === 0 && !BARE_LISTS.has(file)) continue;
      const { files } = findFiles([file], shared);
      const names = new Set<string>();
      for (const found of files) {
        const document = readDocument(found);
        for (const candidate of formats) if (candidate.detect(document)) names.add(candidate.name);
      }
      if (!BARE_LISTS.has(file)) names.delete('messages');
      expect([file, [...names]]).toEqual([file, [BARE_LISTS.has(file) ? 'messages' : format]]);
    }
  });
});

test('a table test that cannot fail would be none: a document of another format is not taken for one', () => {
  const file = { path: 'x.json', absolute: '/x.json', named: true };
  const document = documentOf(file, Buffer.from('{"branch":"main"}'));
  expect(formats.filter((format) => format.detect(document))).toEqual([]);
});
