import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { scriptedModel } from '../../../src/model/scripted.ts';
import { cyclesOf } from '../../../src/replay/cycles.ts';
import { replayTranscript } from '../../../src/replay/replay.ts';
import { plainPaint } from '../../../src/report/paint.ts';
import { blockPage, blocksNamed } from '../../../src/report/show/block-page.ts';
import type { ReplayedCell } from '../../../src/report/show/cell.ts';
import { cellPage } from '../../../src/report/show/cell-page.ts';
import { cellJson, jsonText, requestJson } from '../../../src/report/show/json.ts';
import { labelled, PAGE_WIDTH, shownLine, wrapWords } from '../../../src/report/show/lines.ts';
import { missingEvidence } from '../../../src/report/show/missing-evidence.ts';
import { labelOf, requestPage } from '../../../src/report/show/request-page.ts';
import { RequestViews } from '../../../src/report/show/request-view.ts';
import { textWidth } from '../../../src/text/width.ts';
import type { Message } from '../../../src/transcript/message.ts';
import { exchange, session } from '../../replay/evidence-support.ts';
import { summarizeWith } from '../../support/replay-lists.ts';
import type { Step } from '../../support/wire-steps.ts';
import { cellOf } from './cells.ts';

const style = { paint: plainPaint, redact: (text: string) => text };

/** Controls, what turns the direction, what has no width, half a pair; line ends are between lines. */
const ACTED_ON = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

function expectReadable(lines: readonly string[]): void {
  for (const line of lines) {
    expect(textWidth(line), line).toBeLessThanOrEqual(PAGE_WIDTH);
    expect(line).not.toMatch(ACTED_ON);
  }
}

/** Replays steps under a summarizer whose first summaries keep a key that later ones drop. */
async function forgetful(steps: readonly Step[], settings = {}): Promise<ReplayedCell> {
  const { transcript } = session('openai-chat', steps);
  const model = scriptedModel((_, index) => (index < 3 ? 'Has key_4711.' : `Summary ${index}.`));
  const step = summarizeWith({
    keep_last: 2,
    min_tokens: 0,
    start_from_message: 0,
    resummarize_tokens: 100,
    ...settings,
  });
  const config = { name: 'test', about: '', steps: [step], text: '', hash: '', source: 'x.yaml' };
  const sent: (readonly Message[])[] = [];
  const replay = await replayTranscript(
    transcript,
    config,
    { tokenizer: 'o200k_base', models: () => () => model, sample: 0 },
    (_, __, after) => {
      sent.push(after);
    },
  );
  return {
    transcript,
    config,
    model: 'stub',
    tokenizer: 'o200k_base',
    expand: false,
    replay,
    sent,
  };
}

const longSession: Step[] = [
  { kind: 'user', text: 'Begin.' },
  { kind: 'user', text: 'Use key_4711 and key_4712 in the end.' },
  ...Array.from({ length: 12 }, (_, number) =>
    exchange(number, { note: number === 11 ? 'key_4711 key_4712' : '' }, 'ok '.repeat(30)),
  ),
];

describe('the page of a cell', () => {
  test('names what was lost, since when, where it stood and by what it was used', async () => {
    const cell = await forgetful(longSession, { marker_mode: 'off' });
    const text = cellPage(cell, style).join('\n');
    expect(text).toMatch(/ 11 +lost +later +1 summarized +run: key_4711/);
    expect(text).toMatch(/ 11 +lost +1 summarized +run: key_4712/);
    expect(text).toContain('Evidence that is not kept: 2, used at 1 requests');
  });

  test('has a line for each cycle, and marks those that free nothing', async () => {
    const cell = await forgetful(longSession);
    const lines = cellPage(cell, style);
    const cycles = cyclesOf(cell.replay);
    const start = lines.findIndex((line) => line.startsWith('─')) + 1;
    for (const [index, { request, requests, freed, isIdle }] of cycles.entries()) {
      const cells = lines[start + index]?.trim().split(/ {2,}/) ?? [];
      const last = request + requests - 1;
      expect(cells[0]).toBe(String(index + 1));
      expect(cells[1]).toBe(requests === 1 ? String(request) : `${request}–${last}`);
      expect(cells[4]).toBe(`${freed.toLocaleString('en-US')}${isIdle ? ' idle' : ''}`);
    }
    expect(cycles.length).toBeGreaterThan(2);
  });

  test('flags a cycle that frees nothing', async () => {
    const cell = await forgetful(longSession);
    const grown = cell.replay.requests.map((request) => ({
      ...request,
      tokensAfter: request.tokensBefore,
    }));
    const text = cellPage({ ...cell, replay: { ...cell.replay, requests: grown } }, style).join(
      '\n',
    );
    const count = cyclesOf({ requests: grown }).length;
    expect(text).toContain(`${count} of ${count} cycles are idle`);
    expect(text.match(/ 0 idle /g)).toHaveLength(count);
  });

  test('of what was not touched says so', async () => {
    const text = cellPage(await cellOf('baseline'), style).join('\n');
    expect(text).toContain('nothing was rewritten');
    expect(text).toContain('No evidence went missing');
  });
});

describe('the evidence that went missing', () => {
  test.each(['cg-summarize', 'cg-mask', 'control-recency@cg-mask'])(
    'under %s adds up to the figures, and can be got back by its markers',
    async (name) => {
      const cell = await cellOf(name);
      const views = new RequestViews(cell);
      const missing = missingEvidence(cell.replay.requests.map(({ index }) => views.at(index)));
      const { recoverable, lost } = cell.replay.evidence.evidence;
      const behind = missing.filter(({ status }) => status === 'recoverable');
      expect([behind.length, missing.length - behind.length]).toEqual([recoverable, lost]);
      expect(missing.length).toBeGreaterThan(0);
      for (const place of behind) {
        expect(place.heldBy.length).toBeGreaterThan(0);
        expect(cell.replay.stash.expand(place.behind.at(-1) ?? '')).toContain(place.value);
      }
    },
  );
});

describe('every page', () => {
  test.each(['cg-combined', 'cg-summarize', 'control-recency@cg-mask'])(
    'of %s is at most 80 columns wide and repeats itself exactly',
    async (name) => {
      const cell = await cellOf(name);
      const views = new RequestViews(cell);
      expectReadable(cellPage(cell, style));
      for (const { index } of cell.replay.requests) {
        const view = views.at(index);
        const page = requestPage(view, cell, style);
        expectReadable(page);
        expect(page).toEqual(requestPage(new RequestViews(cell).at(index), cell, style));
        for (const change of view.changes) {
          expectReadable(blockPage(blocksNamed(labelOf(change), view), style));
        }
      }
    },
  );

  test('holds nothing of a hostile recording that a terminal acts on', async () => {
    const hostile = '\u001b[31m\u202e\u200b\u0007</td>=cmd() 夜🌃'.repeat(40);
    const cell = await forgetful([
      { kind: 'user', text: hostile },
      { kind: 'user', text: `${hostile}\r\n${'x'.repeat(1_000_000)}` },
      ...longSession,
      exchange(99, { [hostile]: hostile }, hostile),
    ]);
    const named = { ...cell, transcript: { ...cell.transcript, task: hostile } };
    const views = new RequestViews(named);
    const view = views.at(cell.sent.length - 1);
    expectReadable(cellPage(named, style));
    expectReadable(requestPage(view, named, style));
    for (const change of view.changes) {
      expectReadable(blockPage(blocksNamed(labelOf(change), view), style));
    }
    const json = jsonText([cellJson(named), requestJson(view, named)], style.redact);
    for (const line of json.split('\n')) expect(line).not.toMatch(ACTED_ON);
    expect(JSON.parse(json)[0].task).toBe(hostile);
    expect(json).toContain('x'.repeat(1_000_000));
  });
});

describe('lines', () => {
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '夜', '\u001b', '\u202e', '\n', '🌃') });

  test('of a label and any text are readable and lose nothing', () => {
    fc.assert(
      fc.property(text, (value) => {
        const lines = labelled('Label', shownLine(value, style), style);
        expectReadable(lines);
        expect(lines[0]?.startsWith('Label')).toBe(true);
      }),
    );
    const words = fc.array(fc.stringMatching(/^\w{1,12}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 12, max: 40 }), (list, width) => {
        expect(wrapWords(list.join(' '), width).join(' ')).toBe(list.join(' '));
      }),
    );
  });
});
