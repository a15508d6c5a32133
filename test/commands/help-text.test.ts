import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { wrapHelp } from '../../src/commands/help-text.ts';
import { cli } from './cli.ts';

/** What a command prints: the help itself goes to the console. */
async function printed(...words: string[]): Promise<string> {
  const lines: unknown[] = [];
  vi.spyOn(console, 'info').mockImplementation((text) => lines.push(text));
  const { code, stdout } = await cli(...words);
  expect(code).toBe(0);
  return `${lines.join('\n')}\n${stdout}`;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a help', () => {
  test('fits a terminal and loses no word', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(word, fc.array(word, { minLength: 1, maxLength: 40 }), (name, words) => {
        const text = `  ${name}  ${words.join(' ')}`;
        const wrapped = wrapHelp(text);
        for (const line of wrapped.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
        expect(wrapped.split(/\s+/)).toEqual(text.split(/\s+/));
        for (const line of wrapped.split('\n').slice(1)) {
          expect(line).toMatch(new RegExp(`^ {${name.length + 4}}\\S`));
        }
      }),
    );
  });

  test('of each command is no wider than 80 columns, but for what is to be copied', async () => {
    const stdout = await printed();
    const names = [...stdout.matchAll(/^ {2}([a-z][a-z-]+) /gm)].map((match) => match[1] ?? '');
    expect(names).toContain('sweep');
    for (const name of names) {
      const help = await printed(name, '--help');
      expect(help).toContain('Examples:');
      const wide = help.split('\n').filter((line) => line.length > 80);
      expect(wide.filter((line) => !line.startsWith('  npm run '))).toEqual([]);
      expect(await printed('help', name)).toBe(help);
    }
  });

  test('of sweep ends with how to begin', async () => {
    const stdout = await printed('sweep');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('  npm run sweep -- --config cg-summarize');
  });

  test('is not needed for the version', async () => {
    for (const word of ['--version', '-v']) {
      const { code, stdout } = await cli(word);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^compaction-harness \d+\.\d+/)]);
    }
  });
});
