import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { replayCell } from '../../../src/commands/show/replay-cell.ts';
import { DetailStore } from '../../../src/report/html/details/detail-store.ts';
import {
  shortened,
  TranscriptDetails,
} from '../../../src/report/html/details/transcript-details.ts';
import { SourcesTally } from '../../../src/report/html/savings-sources.ts';
import type { ReplayedCell } from '../../../src/report/show/cell.ts';
import { type RequestView, RequestViews } from '../../../src/report/show/request-view.ts';
import type { Transcript } from '../../../src/transcript/transcript.ts';
import { root } from '../../commands/cli.ts';
import { configsNamed, readAll } from '../../support/sweeps.ts';

const block = z.object({
  texts: z.array(z.string()),
  messages: z.array(z.tuple([z.string(), z.number(), z.array(z.tuple([z.string(), z.number()]))])),
  lists: z.array(z.array(z.number())),
  actions: z.array(z.number().nullable()),
  cells: z.record(
    z.string(),
    z.array(
      z.looseObject({
        before: z.number(),
        after: z.number(),
        runs: z.array(z.tuple([z.string()], z.number())),
      }),
    ),
  ),
});

interface Replayed {
  readonly cell: ReplayedCell;
  readonly views: readonly RequestView[];
}

const cells: Replayed[] = [];
let transcript: Transcript;

beforeAll(async () => {
  const [read] = await readAll(['fixtures/transcripts/parse-subtitle-cues.jsonl'], root);
  if (read === undefined) throw new Error('no fixture');
  transcript = read;
  for (const config of await configsNamed('baseline', 'cg-summarize', 'cg-mask', 'cg-combined')) {
    const settings = { model: 'stub', expand: false } as const;
    const loaded = { config, matched: undefined };
    const cell = await replayCell(transcript, loaded, settings, { cwd: root, variables: {} });
    const views = new RequestViews(cell);
    cells.push({ cell, views: cell.replay.requests.map(({ index }) => views.at(index)) });
  }
});

function details(): TranscriptDetails {
  const all = new TranscriptDetails(transcript, (text) => text);
  for (const [row, { cell, views }] of cells.entries()) all.add(row, cell, views);
  return all;
}

test('both lists of every request can be read back, text by text', () => {
  const data = block.parse(JSON.parse(details().json(1e9)));
  const textsOf = (place: number) =>
    (data.messages[place]?.[2] ?? []).map(([, text]) => data.texts[text] ?? '');
  let list: number[] = [];
  for (const [request, { messages }] of transcript.requests.entries()) {
    const [shared = 0, ...rest] = data.lists[request] ?? [];
    list = [...list.slice(0, shared), ...rest];
    expect(list).toHaveLength(messages.length);
    for (const [row, { cell, views }] of cells.entries()) {
      const found = data.cells[String(row)]?.[request];
      if (found === undefined) throw new Error('a request is missing');
      const tokens = (places: readonly number[]) =>
        places.reduce((sum, place) => sum + (data.messages[place]?.[1] ?? 0), 0);
      expect(tokens(list)).toBe(found.before);
      const after = found.runs.flatMap(([fate, first = 0, second = 0]) => {
        if (fate === 'i') return [first];
        if (fate === 'r') return [second];
        return fate === 'k' ? list.slice(first, first + second) : [];
      });
      expect(tokens(after)).toBe(found.after);
      expect(after).toHaveLength(cell.sent[request]?.length ?? -1);
      // Each recorded message has one fate.
      const fates = found.runs.reduce(
        (sum, [fate, , count = 0]) => sum + (fate === 'i' ? 0 : fate === 'r' ? 1 : count),
        0,
      );
      expect(fates).toBe(messages.length);
      const changed = views[request]?.changes.filter(({ fate }) => fate === 'inserted') ?? [];
      const inserted = found.runs.filter(([fate]) => fate === 'i');
      expect(inserted).toHaveLength(changed.length);
      for (const [, place = 0] of inserted) expect(textsOf(place).join('')).not.toBe('');
    }
  }
});

test('texts and messages stand in it once, whatever the number of cells', () => {
  const one = new TranscriptDetails(transcript, (text) => text);
  const [first] = cells;
  if (first === undefined) throw new Error('no cell');
  one.add(0, first.cell, first.views);
  const data = block.parse(JSON.parse(details().json(1e9)));
  expect(new Set(data.texts).size).toBe(data.texts.length);
  expect(details().json(1e9).length).toBeLessThan(4 * one.json(1e9).length);
});

test('what each part saved adds up to the unique savings', () => {
  const tally = new SourcesTally();
  for (const { cell, views } of cells) tally.add(cell.config.name, cell, views);
  const sources = tally.result((name) => name);
  for (const { cell } of cells) {
    const { parts, components } = sources.get(cell.config.name) ?? {};
    const sum = [...(parts?.values() ?? [])].reduce((total, tokens) => total + tokens, 0);
    const { unique, gross } = cell.replay.savings;
    expect(Math.abs(sum - unique), cell.config.name).toBeLessThanOrEqual(0.01 * unique + 1e-6);
    const shares = [...(components?.values() ?? [])];
    expect(shares.reduce((total, share) => total + share.gross, 0)).toBe(gross);
  }
  expect(sources.get('cg-mask')?.parts.get('read_file')).toBeGreaterThan(0);
});

describe('a store of limited room', () => {
  test('never holds more, keeps what matters most, and says what it left out', () => {
    const priority = fc.array(fc.nat(9), { minLength: 1, maxLength: 6 });
    const size = Buffer.byteLength(details().json(20_000));
    fc.assert(
      fc.property(priority, fc.integer({ min: 1, max: 4 }), (priorities, fitting) => {
        const room = Math.round(size * 1.3 * fitting);
        const store = new DetailStore(room, 1);
        for (const value of priorities) store.add(details(), value);
        const kept = store.blocks();
        const bytes = kept.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
        expect(bytes).toBeLessThanOrEqual(room);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(fitting, priorities.length));
        const left = priorities.length - kept.length;
        expect(store.notes().some((note) => note.includes(`${kept.length} of`))).toBe(left > 0);
      }),
      { numRuns: 8, seed: 3 },
    );
  });

  test('many recordings have shorter texts before any is left out', () => {
    const size = Buffer.byteLength(details().json(20_000));
    const short = Buffer.byteLength(details().json(800));
    expect(short).toBeLessThan(size);
    const store = new DetailStore(short * 3, 1000);
    store.add(details(), 1);
    expect(store.blocks()).toHaveLength(1);
  });
});

test('a long text keeps its ends, and says how much is between them', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 400 }),
      fc.integer({ min: 30, max: 200 }),
      (text, longest) => {
        const cut = shortened(text, longest);
        if (text.length <= longest) expect(cut).toBe(text);
        else {
          expect(cut).toMatch(/\n⋯ [\d,]+ characters left out of this report ⋯\n/);
          expect(cut.length).toBeLessThan(longest + 60);
          expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true);
        }
      },
    ),
  );
});
