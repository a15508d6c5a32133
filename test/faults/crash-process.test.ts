/**
 * Real processes that are killed by SIGKILL inside of a write. The in-process crashes of the other files are many
 * because they are cheap; here a few show that a process dies just so.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { readRows } from '../../src/rows/csv.ts';
import type { CellResult } from '../../src/rows/result.ts';
import { readManifest } from '../../src/sweep/manifest.ts';
import { listRuns, runFiles } from '../../src/sweep/run-files.ts';
import { finished, root } from '../commands/cli.ts';
import { command } from '../support/crash/command.ts';
import { operationsOf } from '../support/crash/crashes.ts';
import type { Operation } from '../support/crash/injector.ts';
import {
  checkCompanions,
  checkRunFolder,
  lasting,
  lastingRows,
} from '../support/crash/run-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeTrajectories } from '../support/sweeps.ts';

vi.setConfig({ testTimeout: 240_000 });

const recordings = temporaryFolder();
writeTrajectories(join(recordings, '0.json'), [
  { task: 0, reward: 1, traj: chat('module-0', 8, 300) },
]);
const words = (out: string) => [
  ...['sweep', '--jobs', '1', '--transcripts', recordings, '--config', 'cg-summarize-small'],
  ...['--name', 'pair', '--out', out],
];

/** The command in a process of its own, with `preload.ts`. */
function process(given: readonly string[], variables: Readonly<Record<string, string>>) {
  const preload = join(root, 'test/support/crash/preload.ts');
  const program = ['--import', 'tsx', '--import', preload, join(root, 'src/cli.ts'), ...given];
  const child = spawn(globalThis.process.execPath, program, {
    cwd: root,
    env: { ...globalThis.process.env, ...variables },
  });
  const signal = new Promise<NodeJS.Signals | null>((end) => {
    child.on('close', (_, ended) => end(ended));
  });
  return { pid: child.pid ?? 0, signal, ended: finished(child) };
}

const spelled = ({ name, path }: Operation) =>
  `${name} ${basename(path).replace(/[0-9a-f]{12}|\d/g, '')}`;

let operations: readonly Operation[];
let expected: readonly CellResult[];

beforeAll(async () => {
  const out = join(temporaryFolder(), 'runs');
  operations = await operationsOf<string>({
    prepare: () => out,
    folders: (folder) => [folder],
    run: (folder) => command(words(folder)),
    check: async () => {},
  });
  const [csv = ''] = await listRuns(out);
  expected = await readRows(csv);
});

/** Number of the `nth` operation of this name on a file with this ending. */
function place(name: string, ending: string, nth = 0): number {
  const places = [...operations.keys()].filter((index) => {
    const operation = operations[index];
    return operation?.name === name && operation.path.endsWith(ending);
  });
  const found = places[nth];
  if (found === undefined) throw new Error(`no ${name} of *${ending}`);
  return found;
}

describe('a process', () => {
  test('makes the changes that the crashes within a test are tried at', async () => {
    const out = join(temporaryFolder(), 'runs');
    const log = join(temporaryFolder(), 'log');
    const { ended } = process(words(out), { CRASH_FOLDER: out, CRASH_LOG: log });
    expect((await ended).code).toBe(0);
    const made: Operation[] = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(made.map(spelled)).toEqual(operations.map(spelled));
    expect(made.length).toBeGreaterThan(20);
  });

  test.each([
    ['in the middle of the second row', 'handle.appendFile', '.csv', 1, 'half'],
    ['with its rows not yet in order', 'rename', '.csv', 0, 'before'],
    ['in the middle of the charges of a cell', 'handle.appendFile', '.charges.jsonl', 1, 'half'],
  ] as const)('killed %s goes on to the same rows', async (_, name, ending, nth, when) => {
    const out = join(temporaryFolder(), 'runs');
    const variables = {
      CRASH_FOLDER: out,
      CRASH_AT: String(place(name, ending, nth)),
      CRASH_WHEN: when,
    };
    const killed = process(words(out), variables);
    expect(await killed.signal).toBe('SIGKILL');
    const [csv = ''] = await listRuns(out);
    expect(existsSync(`${csv}.lock`)).toBe(true);
    expect((await readManifest(runFiles(csv).manifest)).status).toBe('running');
    await checkRunFolder(out, expected);
    // The process that held the lock has ended.
    const resumed = await command([...words(out), '--resume'], {
      host: hostname(),
      dead: [killed.pid],
    });
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining('going on with')]);
    expect(await lastingRows(csv)).toEqual(expected.map(lasting));
    checkCompanions(csv, await readRows(csv));
    await checkRunFolder(out, expected);
  });
});
