import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runContract } from '../../src/commands/gate/contract.ts';
import { githubLines, junitXml } from '../../src/commands/gate/output.ts';
import { readThresholds } from '../../src/commands/gate/thresholds.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cli, root } from './cli.ts';

const folder = temporaryFolder();
const fixture = join(root, 'fixtures/transcripts/rename-account-fields.jsonl');

/** The last request of a fixture, with its last tool message taken away. */
function tornFixture(): string {
  const lines = readFileSync(fixture, 'utf8').trimEnd().split('\n');
  const capture = JSON.parse(lines.at(-1) ?? '');
  const { messages } = capture.body;
  messages.splice(
    messages.findLastIndex(({ role }: { role: string }) => role === 'tool'),
    1,
  );
  const file = join(folder, 'torn.jsonl');
  writeFileSync(file, `${JSON.stringify(capture)}\n`);
  return file;
}

const narrow = ['--part', 'cells', '--config', 'cg-summarize', '--dialect', 'openai-chat'];

describe('gate', () => {
  test('passes the fixtures as they are', async () => {
    const { code, stdout } = await cli('gate', ...narrow, '--transcripts', fixture);
    expect(stdout).toMatch(/gate: 0 failed/);
    expect(code).toBe(0);
  });

  test('a rule broken on purpose: 100, with the rule, the cell and the command to see it', async () => {
    const file = tornFixture();
    const { code, stdout } = await cli('gate', ...narrow, '--transcripts', file);
    expect(code).toBe(100);
    expect(stdout).toMatch(
      /FAIL {2}violations_recorded: rename-account-fields · openai-chat · baseline/,
    );
    expect(stdout).toMatch(/OC-PAIR-1/);
    const command = /see it: npm run (validate -- .*)/.exec(stdout)?.[1]?.replace(' -- ', ' ');
    expect(command).toBeDefined();
    const seen = await cli(...(command ?? '').split(' '));
    expect(seen.code).toBe(100);
    expect(seen.stdout).toMatch(/OC-PAIR-1/);
  });

  test('savings that fall behind the snapshot fail; a snapshot of now passes', async () => {
    const snapshot = join(folder, 'snapshot.csv');
    const words = ['gate', ...narrow, '--transcripts', fixture, '--snapshot', snapshot];
    expect((await cli(...words, '--update')).code).toBe(0);
    expect((await cli(...words)).code).toBe(0);
    const text = readFileSync(snapshot, 'utf8');
    const better = text.replace(/(cg-summarize,\d+),(\d+)/, (_, start: string) => `${start},1000`);
    expect(better).not.toBe(text);
    writeFileSync(snapshot, better);
    const { code, stdout } = await cli(...words);
    expect(code).toBe(100);
    expect(stdout).toMatch(/FAIL {2}pooled_points: cg-summarize/);
    const shown = /see it: npm run gate -- (--part cells .*)/.exec(stdout)?.[1];
    expect(shown).toContain(`--snapshot ${snapshot}`);
    expect((await cli('gate', ...(shown ?? '').split(' '))).code).toBe(100);
  });

  test('repeated recordings of a task are one unit; a recording that is gone is told', async () => {
    const four = join(folder, 'four.json');
    const first = { role: 'user', content: 'Look up order 12345.' };
    const last = { role: 'assistant', content: 'It has been sent.' };
    const runs = [0, 1, 2, 3].map((trial) => ({
      ...{ task_id: 1, trial, reward: 1, info: {}, traj: [first, last] },
    }));
    writeFileSync(four, JSON.stringify(runs));
    const snapshot = join(folder, 'four.csv');
    const words = ['gate', ...narrow, '--strict', '--transcripts', four, '--snapshot', snapshot];
    expect((await cli(...words, '--update')).code).toBe(0);
    const { code, stdout } = await cli(...words);
    expect(code).toBe(3);
    // One task excludes nothing, however often it was recorded.
    expect(stdout).toMatch(/do not exclude a change of −100\.0\n/);
    writeFileSync(four, JSON.stringify(runs.slice(0, 3)));
    expect((await cli(...words)).stdout).toMatch(/2 of 8 cells of the snapshot were not measured/);
  });

  test.each([
    ['--dialect', 'antropic', /--dialect is 'antropic'.*did you mean anthropic\?/],
    ['--config', 'cg-sumarize', /no config "cg-sumarize".*did you mean "cg-summarize"\?/],
  ])('%s %s is told before the contract suite runs', async (option, name, message) => {
    const { code, stdout, stderr } = await cli('gate', option, name);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/contract suite/);
  });

  test('nothing replayed is a failure, not a pass', async () => {
    const { code, stdout } = await cli(
      'gate',
      ...narrow,
      '--transcripts',
      join(folder, 'none.jsonl'),
    );
    expect(code).toBe(100);
    expect(stdout).toMatch(/nothing was proved/);
  });

  test('an unknown dialect, config or part is bad usage with the nearest name', async () => {
    const dialect = await cli('gate', '--part', 'cells', '--dialect', 'gemni');
    expect(dialect.code).toBe(2);
    expect(dialect.stderr).toMatch(/did you mean gemini/);
    const config = await cli('gate', '--part', 'cells', '--config', 'cg-sumarize');
    expect(config.code).toBe(2);
    expect(config.stderr).toMatch(/cg-summarize/);
    const part = await cli('gate', '--part', 'cell');
    expect(part.code).toBe(2);
    expect(part.stderr).toMatch(/--part is 'cell'.*did you mean cells\?/);
  });

  test.each([
    [['--runs', '1.5'], /--runs is '1\.5', expected a whole number/],
    [['--seed', 'x'], /--seed is 'x', expected a whole number/],
    [['--seed', '1', '--seed', '2'], /--seed .*several times/],
    [['--component', 'sumarize'], /--component is 'sumarize'.*did you mean summarize\?/],
    [['--dialect', 'gemni'], /--dialect is 'gemni'.*did you mean gemini\?/],
    [['--snapshot', 'nope.csv'], /nope\.csv: there is no snapshot/],
    [['--config', 'cg-sumarize'], /did you mean "cg-summarize"/],
    [['--part', 'cells', '--component', 'mask'], /--component.*--part cells/],
  ])('%j is bad usage, told before anything runs', async (words, said) => {
    const { code, stderr, stdout } = await cli('gate', ...words);
    expect(stderr).toMatch(said);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toMatch(/contract suite: seed|replaying/);
  });

  test('a component by path is held to the contract, and a faulty one is caught', async () => {
    const words = ['gate', '--part', 'contract', '--runs', '100', '--seed', '3', '--component'];
    const example = await cli(...words, 'test/support/components/keep-errors.ts');
    expect(example.stdout).toMatch(/keep_errors: fired in \d+–\d+ % of the runs over 5 dialects/);
    expect(example.code).toBe(0);
    const faulty = await cli(...words, 'test/support/components/drops-result.ts');
    expect(faulty.code).toBe(100);
    expect(faulty.stdout).toMatch(/FAIL {2}contract: drops_result · anthropic/);
    expect(faulty.stdout).toMatch(/A-PAIR-1 at message 1/);
    expect(faulty.stdout).toMatch(/requests: 1, 3 messages/);
    const missing = await cli(...words, './nope.ts');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toMatch(/nope\.ts/);
  });

  test('a contract suite that cannot run is a finding', async () => {
    const part = await runContract(folder, { runs: 5, seed: 1, component: undefined });
    expect(part.findings.map(({ severity }) => severity)).toEqual(['fail']);
  });

  test('JUnit XML and annotations hold every finding, escaped', () => {
    const finding = {
      severity: 'fail',
      check: 'violations_added',
      subject: 'a · b · <c>',
      message: 'breaks "A-PAIR-1"\u001b[31m & more\nsecond line, 100 %',
      command: 'npm run gate',
    } as const;
    const report = { findings: [finding], lines: [] };
    const xml = junitXml(report);
    expect(xml).toContain('&lt;c&gt;');
    expect(xml).toContain('failures="1"');
    expect(xml).not.toContain('\u001b');
    expect(githubLines(report)).toBe(
      '::error title=gate violations_added::a · b · <c>: breaks "A-PAIR-1"\u001b[31m & more%0Asecond line, 100 %25%0Anpm run gate\n',
    );
    expect(junitXml({ findings: [], lines: [] })).toContain('failures="0"');
  });

  test('gate.yaml is strict', async () => {
    expect((await readThresholds(join(root, 'sweeps/gate.yaml'))).cells.violations_added).toBe(0);
    const file = join(folder, 'gate.yaml');
    const text = readFileSync(join(root, 'sweeps/gate.yaml'), 'utf8');
    writeFileSync(file, text.replace('pooled_points', 'poled_points'));
    await expect(readThresholds(file)).rejects.toThrow(/poled_points/);
    writeFileSync(file, text.replace('violations_added: 0', 'violations_added: none'));
    await expect(readThresholds(file)).rejects.toThrow(/violations_added/);
  });
});
