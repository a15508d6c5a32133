import { beforeEach, expect, test, vi } from 'vitest';
import { HarnessError } from '../../../src/errors.ts';
import type { Cell } from '../../../src/sweep/cells.ts';
import { Crew } from '../../../src/sweep/executors/crew.ts';
import type { ThreadOwner } from '../../../src/sweep/executors/measuring-thread.ts';
import type { Unit } from '../../../src/sweep/executors/unit.ts';
import type { CellsToMeasure } from '../../../src/sweep/measure-cells.ts';
import { runRow } from '../../support/rows.ts';

const threads = vi.hoisted((): FakeThread[] => []);
/** Transcripts that the main thread measured, and what lets it go on. */
const here = vi.hoisted(() => ({ names: [] as string[], goOn: () => {} }));

interface FakeThread {
  readonly owner: ThreadOwner;
  readonly units: Unit[];
  die(): void;
}

vi.mock('../../../src/sweep/executors/measuring-thread.ts', () => ({
  MeasuringThread: class {
    readonly owner: ThreadOwner;
    readonly units: Unit[] = [];
    load = 0;

    constructor(_: unknown, owner: ThreadOwner) {
      this.owner = owner;
      threads.push(this);
    }

    give(unit: Unit): void {
      this.units.push(unit);
      this.load += unit.size;
    }

    die(): void {
      const cause = new HarnessError('worker.failed', 'died');
      this.load = 0;
      this.owner.onDeath(this as never, this.units.splice(0), cause);
    }

    stop(): void {}

    end(): Promise<void> {
      return Promise.resolve();
    }
  },
}));

vi.mock('../../../src/sweep/measure-cells.ts', () => ({
  measureCells: async function* ({ cells }: CellsToMeasure) {
    here.names.push(cells[0]?.transcript.task ?? '');
    await new Promise<void>((resolve) => {
      here.goOn = resolve;
    });
    for (const cell of cells) yield outcomeOf(cell);
  },
}));

function outcomeOf({ id, config, transcript }: Cell) {
  return { row: { ...runRow(transcript.task, config.name), cellId: id }, references: [] };
}

function workOf(task: string): CellsToMeasure {
  const cells = ['baseline', 'c'].map((name) => ({
    id: `${task} ${name}`,
    transcript: { task, source: {}, requests: [{ messages: [{ raw: 'x'.repeat(1000) }] }] },
    config: { name },
    sample: 0,
  }));
  return {
    cells: cells as unknown as readonly Cell[],
    isFinished: () => false,
    budgetOf: () => undefined,
  };
}

function unitsOf(thread: FakeThread | undefined): string[] {
  return (thread?.units ?? []).map(({ work }) => work.cells[0]?.transcript.task ?? '');
}

beforeEach(() => {
  threads.length = 0;
  here.names.length = 0;
});

test('what a thread died of goes to a thread again, though the main one is free', async () => {
  const kept: string[] = [];
  const job = {
    works: (async function* () {
      for (const task of ['deadly', 'second', 'third', 'fourth']) yield workOf(task);
    })(),
    host: { selection: { configs: [], settings: {} }, redact: (text: string) => text } as never,
    stop: new AbortController().signal,
    keep: async ({ row }: { row: { cellId: string; note: string } }) => {
      kept.push(`${row.cellId}: ${row.note}`);
    },
  };
  const options = { script: '', init: undefined, workers: 3, measuresHere: true, ahead: 1 };
  const running = new Crew(options, job).run();
  // Two threads are at one each, the main one at the third; the fourth waits for a place.
  await vi.waitFor(() => expect(here.names).toEqual(['third']));
  expect(threads.map(unitsOf)).toEqual([['deadly'], ['second']]);
  threads[0]?.die();
  // The fourth gets the place of the dead one, so now the main thread is the only one that is soon free.
  await vi.waitFor(() => expect(unitsOf(threads[2])).toEqual(['fourth']));
  here.goOn();
  await vi.waitFor(() => expect(threads.flatMap(unitsOf)).toContain('deadly'));
  expect(here.names).toEqual(['third']);
  for (const thread of threads) {
    for (const unit of thread.units.splice(0)) {
      for (const cell of unit.work.cells) thread.owner.onOutcome(unit, outcomeOf(cell));
      thread.owner.onDone(unit, { missed: 0 });
    }
  }
  await running;
  expect(kept.toSorted()).toEqual([
    'deadly baseline: error:worker.failed died',
    ...['deadly c', 'fourth baseline', 'fourth c', 'second baseline', 'second c'].map(
      (id) => `${id}: ok`,
    ),
    ...['third baseline: ok', 'third c: ok'],
  ]);
});
