import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readRows } from '../../src/rows/csv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeTrajectories } from '../support/sweeps.ts';
import { cli, finished, onlyFile, start } from './cli.ts';
import { timeless } from './timeless.ts';

const SMALL = ['--config', 'cg-summarize-small'];

describe('a killed sweep', () => {
  test('leaves a readable CSV, and --resume makes it that of an uninterrupted one', async () => {
    const many = temporaryFolder();
    for (let index = 0; index < 12; index++) {
      writeTrajectories(join(many, `${index}.json`), [
        { task: index, reward: 1, traj: chat(`long-${index}`, 40, 300) },
      ]);
    }
    const words = [...SMALL, '--transcripts', many];
    const out = temporaryFolder();
    const child = start(['sweep', '--out', out, '--jobs', '1', ...words]);
    const csv = await firstRows(child, out, 3);
    child.kill('SIGKILL');
    await once(child, 'close');
    const left = await readRows(csv);
    expect(left.length).toBeGreaterThanOrEqual(2);
    expect(left.length).toBeLessThan(24);
    expect(existsSync(`${csv}.lock`)).toBe(true);

    const resume = () => finished(start(['sweep', '--out', out, '--resume', '--json', ...words]));
    const resumed = await resume();
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.stdout)).toMatchObject({
      kept: left.length,
      cells: 24,
      finished: 24,
    });
    const whole = temporaryFolder();
    await cli('sweep', '--out', whole, ...words);
    expect(timeless(onlyFile(out, '.csv'))).toEqual(timeless(onlyFile(whole, '.csv')));

    const again = await resume();
    expect(JSON.parse(again.stdout)).toMatchObject({ kept: 24, cells: 24 });
  });

  test('that is asked to stop writes what is done and says how to go on', async () => {
    const many = temporaryFolder();
    for (let index = 0; index < 12; index++) {
      writeTrajectories(join(many, `${index}.json`), [
        { task: index, reward: 1, traj: chat(`long-${index}`, 40, 300) },
      ]);
    }
    const out = temporaryFolder();
    const child = start(['sweep', '--out', out, '--jobs', '1', ...SMALL, '--transcripts', many]);
    const ended = finished(child);
    await firstRows(child, out, 2);
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/--resume .*\.csv/);
    const rows = await readRows(onlyFile(out, '.csv'));
    expect(rows.length).toBeGreaterThanOrEqual(1);
    expect(rows.length).toBeLessThan(24);
    expect(existsSync(`${onlyFile(out, '.csv')}.lock`)).toBe(false);
  });
});

/** Waits until a run has that many lines, its header among them. */
async function firstRows(child: ChildProcess, out: string, lines: number): Promise<string> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the sweep ended with ${child.exitCode}`);
    const [name] = readdirSync(out).filter((file) => file.endsWith('.csv'));
    const csv = join(out, name ?? '');
    if (name !== undefined && readFileSync(csv, 'utf8').split('\n').length > lines) return csv;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
