/** Ctrl-C in a terminal reaches npm, tsx and the program, and npm passes it on once more. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readRows } from '../../src/rows/csv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeTrajectories } from '../support/sweeps.ts';
import { cli, finished, onlyFile, root } from './cli.ts';
import { timeless } from './timeless.ts';

const recordings = temporaryFolder();
for (let index = 0; index < 30; index++) {
  writeTrajectories(join(recordings, `${index}.json`), [
    { task: index, reward: 1, traj: chat(`long-${index}`, 40, 300) },
  ]);
}
const SELECTED = ['--config', 'cg-summarize-small', '--transcripts', recordings];

/** Rows that were written, the header not counted. */
function rowsIn(out: string): number {
  const [name] = existsSync(out) ? readdirSync(out).filter((file) => file.endsWith('.csv')) : [];
  if (name === undefined) return 0;
  return readFileSync(join(out, name), 'utf8').split('\n').length - 2;
}

test.each([
  ['once', 1, '1'],
  ['twice, as one key press that is passed on', 2, '2'],
])(
  'SIGINT to everybody under npm run sweep, %s, ends with the last words',
  async (_, times, jobs) => {
    const out = temporaryFolder();
    const words = ['run', 'sweep', '--', ...SELECTED, '--jobs', jobs, '--out', out];
    const { FORCE_COLOR: __, ...env } = process.env;
    const child = spawn('npm', words, { cwd: root, env, detached: true });
    const group = -(child.pid ?? 0);
    onTestFinished(() => {
      // Of a test that fails, nothing goes on.
      if (child.exitCode === null && child.signalCode === null) process.kill(group, 'SIGKILL');
    });
    const ended = finished(child);
    await expect.poll(() => rowsIn(out), { timeout: 50_000, interval: 5 }).toBeGreaterThan(1);
    for (let time = 0; time < times; time++) process.kill(group, 'SIGINT');
    const { stderr } = await ended;
    expect(manifestOf(out).status).toBe('interrupted');
    const csv = onlyFile(out, '.csv');
    expect(stderr).toMatch(/stopped; to go on: the same command with --resume \S+\.csv/);
    expect(existsSync(`${csv}.lock`)).toBe(false);
    const rows = await readRows(csv);
    expect(rows.length).toBeLessThan(60);
    const resumed = await cli('sweep', ...SELECTED, '--out', out, '--resume', '--json');
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({ kept: rows.length, cells: 60 });
    expect(timeless(csv)).toHaveLength(61);
  },
);

function manifestOf(out: string): { readonly status: string } {
  return JSON.parse(readFileSync(onlyFile(out, '.manifest.json'), 'utf8'));
}
