import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Stash, type StashKey } from '../../src/compaction/stash.ts';
import { stubModel } from '../../src/model/stub.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import type { TranscriptReplay } from '../../src/replay/result.ts';
import type { Cell } from '../../src/sweep/cells.ts';
import {
  appendReferences,
  readReferences,
  type StashReference,
  stashReferences,
} from '../../src/sweep/stash-index.ts';
import { repairLines } from '../../src/text/append-lines.ts';
import { resultText } from '../../src/transcript/message.ts';
import { encodeList } from '../../src/wire/dialect.ts';
import { temporaryFolder } from '../support/folder.ts';
import { configsNamed, readAll, writeRecordings } from '../support/sweeps.ts';

const folder = temporaryFolder();
let cell: Cell;
let replay: TranscriptReplay;

beforeAll(async () => {
  writeRecordings(folder, 1);
  const [transcript] = await readAll(['.'], folder);
  const [config] = await configsNamed('cg-summarize-small');
  if (transcript === undefined || config === undefined) throw new Error('no data');
  cell = { transcript, config, sample: 0, id: 'cell' };
  const model = stubModel('stub');
  const models = () => () => model;
  replay = await replayTranscript(transcript, config, {
    tokenizer: 'o200k_base',
    models,
    sample: 0,
  });
});

/** What a reference leads to in the recording. */
function resolved(reference: StashReference): string {
  if (reference.kind === 'text') return reference.text;
  const messages = cell.transcript.requests[reference.request]?.messages ?? [];
  if (reference.kind === 'messages')
    return encodeList(messages.slice(reference.from, reference.to));
  const block = messages[reference.message]?.blocks[reference.block];
  return block?.kind === 'tool-result' ? resultText(block) : '';
}

function referencesOf(stash: Stash): StashReference[] {
  return stashReferences(cell, { ...replay, stash });
}

describe('the stash index', () => {
  test('leads from every key to the bytes that the stash holds', () => {
    const references = stashReferences(cell, replay);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) {
      expect(reference.kind).toBe('messages');
      expect(resolved(reference)).toBe(replay.stash.expand(reference.key));
    }
  });

  test('refers to tool results, and holds only what no recording has', () => {
    const messages = cell.transcript.requests.at(-1)?.messages ?? [];
    const result = messages
      .flatMap(({ blocks }) => blocks)
      .find(({ kind }) => kind === 'tool-result');
    if (result?.kind !== 'tool-result') throw new Error('no tool result');
    const stash = new Stash();
    const kinds = new Map<StashKey, string>([
      [stash.putText(resultText(result)), 'result'],
      [stash.putText('written by a component'), 'text'],
      [stash.putMessages(messages, 1, 4), 'messages'],
      [stash.putMessages(messages.toReversed(), 1, 4), 'text'],
    ]);
    const references = referencesOf(stash);
    expect(references.map(({ key, kind }) => [key, kind])).toEqual([...kinds]);
    for (const reference of references) {
      expect(resolved(reference)).toBe(stash.expand(reference.key));
    }
  });

  test('is read back as it was written, but for a last line that was cut off', async () => {
    const file = join(folder, 'index.jsonl');
    const references = stashReferences(cell, replay);
    await appendReferences(file, references);
    await appendReferences(file, references);
    expect(await readReferences(file)).toEqual([...references, ...references]);
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
    await repairLines(file);
    expect(await readReferences(file)).toEqual([...references, ...references.slice(0, -1)]);
    appendFileSync(file, '{"kind":"messages"}\n');
    const line = references.length * 2;
    await expect(readReferences(file)).rejects.toMatchObject({
      code: 'input.schema',
      at: { file, line },
    });
    await expect(readReferences(join(folder, 'none'))).rejects.toMatchObject({
      code: 'input.missing',
    });
  });
});
