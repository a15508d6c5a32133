import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { measurements } from './measurements.ts';
import { LONG_SESSION, scaled, sessionLines } from './session.ts';

const root = resolve(import.meta.dirname, '../..');

async function bench(...options: readonly string[]): Promise<string> {
  const script = resolve(import.meta.dirname, 'run.ts');
  const node = ['--import', 'tsx', script, '--quick', ...options];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: root });
  return stdout;
}

// What is measured is never asserted: only that it is.
describe('the bench', () => {
  test('prints min and median of each figure', { timeout: 120_000 }, async () => {
    const printed = await bench('--only', 'reading', '--only', 'replay-two');
    expect(printed).toMatch(/^reading: .*JSON\.parse/m);
    expect(printed).toMatch(/^ {2}ratio +min +\d+\.\d\d +median +\d+\.\d\d$/m);
    for (const figure of ['total', 'stub', 'sandbox', 'baseline', 'cg-summarize']) {
      expect(printed).toMatch(new RegExp(`^ {2}${figure} +min +-?\\d`, 'm'));
    }
  });

  test('gives the same as JSON', { timeout: 120_000 }, async () => {
    const run: unknown = JSON.parse(await bench('--json', '--only', 'shape'));
    expect(run).toMatchObject({ rounds: 1, lines: [{ name: 'shape', figure: 'ratio' }] });
  });

  test('names what can be measured', async () => {
    const names = measurements.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    await expect(bench('--only', 'nothing')).rejects.toThrow(names.join(', '));
  });

  test('builds the same session from the same seed', () => {
    const shape = scaled(LONG_SESSION, 0.01);
    const lines = [...sessionLines(shape)];
    expect([...sessionLines(shape)]).toEqual(lines);
    expect([...sessionLines({ ...shape, seed: shape.seed + 1 })]).not.toEqual(lines);
  });
});
