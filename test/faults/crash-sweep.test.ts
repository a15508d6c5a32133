/**
 * A sweep that is killed at any of its writes leaves nothing half-written that is taken for whole, and goes on to
 * the rows of one that nobody killed. In-process (`support/crash`): the process counts as dead from a write on.
 * `crash-process.test.ts` kills real ones.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type StubServer, startStubServer } from '../../src/commands/stub-server/server.ts';
import { openCassette } from '../../src/model/cassette.ts';
import { readRows } from '../../src/rows/csv.ts';
import type { CellResult } from '../../src/rows/result.ts';
import { listRuns } from '../../src/sweep/run-files.ts';
import { command } from '../support/crash/command.ts';
import { type Crash, crashEverywhere } from '../support/crash/crashes.ts';
import {
  checkCompanions,
  checkRunFolder,
  csvsIn,
  lasting,
  lastingRows,
} from '../support/crash/run-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeTrajectories } from '../support/sweeps.ts';

vi.setConfig({ testTimeout: 240_000 });

const recordings = temporaryFolder();
for (const index of [0, 1]) {
  writeTrajectories(join(recordings, `${index}.json`), [
    { task: index, reward: 1, traj: chat(`module-${index}`, 8, 300) },
  ]);
}

let server: StubServer;
beforeAll(async () => {
  server = await startStubServer({});
});
afterAll(() => server.close());

const SWEEP = [
  'sweep',
  '--jobs',
  '1',
  '--transcripts',
  recordings,
  '--config',
  'cg-summarize-small',
];
const RECORD = ['--model', 'record', '--assume-model', 'gpt-4.1'];

interface Place {
  readonly out: string;
  readonly cassette: string;
}

interface Case {
  readonly words: readonly string[];
  readonly records?: boolean;
  readonly most?: number;
}

/** Kills are sampled where there are hundreds: each kind (function, file, moment), and others by a fixed seed. */
const CASES: Readonly<Record<string, Case>> = {
  plain: { words: [], most: 36 },
  'with controls, which need budgets': { words: ['--controls'], most: 42 },
  'recording a cassette': { words: RECORD, records: true, most: 46 },
  'of a shard': { words: ['--shard', '1/2'], most: 34 },
};

function call({ out, cassette }: Place, { words, records }: Case, pid: number, ...more: string[]) {
  const kept = records === true ? ['--cassette', cassette] : [];
  const variables = { OPENAI_BASE_URL: `${server.url}/v1` };
  const given = [...SWEEP, ...words, ...kept, '--out', out, ...more];
  return command(given, { pid, dead: [1], variables });
}

function place(): Place {
  const folder = temporaryFolder();
  return { out: join(folder, 'runs'), cassette: join(folder, 'answers.jsonl') };
}

async function wholeRows(one: Case): Promise<readonly CellResult[]> {
  const state = place();
  const { code, stderr } = await call(state, one, 2);
  expect(code, stderr).toBe(0);
  return readRows(csvsIn(state.out)[0] ?? '');
}

/** Goes on, or begins anew where there is nothing to go on with; the rows are those of a whole run. */
async function goesOn(state: Place, one: Case, expected: readonly CellResult[]): Promise<void> {
  const resumed = await call(state, one, 3, '--resume');
  if (resumed.code !== 0) {
    expect(resumed.stderr).toContain('leave --resume out to start one');
    const anew = await call(state, one, 3);
    expect([anew.code, anew.stderr]).toEqual([0, expect.not.stringContaining('error')]);
  }
  const [csv = ''] = await listRuns(state.out);
  const rows = await readRows(csv);
  expect(await lastingRows(csv)).toEqual(expected.map(lasting));
  checkCompanions(csv, rows);
  await checkRunFolder(state.out, expected);
  if (one.records === true) openCassette(state.cassette, 'replay').close();
}

describe('a sweep that is killed at a write', () => {
  test.each(Object.entries(CASES))(
    '%s: leaves nothing half-written, and goes on to the same rows',
    async (_, one) => {
      const expected = await wholeRows(one);
      const tried = await crashEverywhere<Place>({
        prepare: place,
        folders: ({ out, cassette }) => [out, cassette, join(cassette, '..')],
        run: (state) => call(state, one, 1),
        ...(one.most === undefined ? {} : { most: one.most }),
        check: async (state) => {
          await checkRunFolder(state.out, expected);
          if (one.records === true && existsSync(state.cassette)) {
            openCassette(state.cassette, 'replay').close();
          }
          await goesOn(state, one, expected);
        },
      });
      expect(new Set(tried.map(({ when }: Crash) => when))).toEqual(
        new Set(['before', 'empty', 'half']),
      );
    },
  );
});
