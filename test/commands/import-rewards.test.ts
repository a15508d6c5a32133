import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folder.ts';
import { writeRecordings } from '../support/sweeps.ts';
import { cli, onlyFile, shared } from './cli.ts';

const folder = temporaryFolder();

function table(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ');

/** The words of each row of a table with this title, by config. */
function tableOf(stdout: string, title: string): Map<string, string[]> {
  const lines = stdout.split('\n');
  const start = lines.findIndex((line) => line.startsWith(title));
  const rows = lines.slice(start + 2);
  const end = rows.indexOf('');
  const words = rows.slice(0, end).map((line) => line.split(/\s+/));
  return new Map(words.map(([config = '', ...figures]) => [config, figures]));
}

const published = join(shared, 'results/context-guru/swe-bench-sweep-2026-07-13.csv');
const has = existsSync(published);
const absent = has ? '' : ` (skipped: no ${shared})`;

describe.runIf(has)(`the published sweep of context-guru${absent}`, () => {
  test('comes out with its published figures, its flag and its bound', async () => {
    const { code, stdout } = await cli('import-rewards', published);
    expect(code).toBe(0);
    const rewards = tableOf(stdout, 'Rewards');
    expect(rewards.get('baseline')?.[0]).toBe('6/9');
    for (const config of ['cg-extract-code', 'cg-summarize', 'cg-mask']) {
      const [resolved, , difference, low, high, verdict] = rewards.get(config) ?? [];
      expect([resolved, difference, low, high, verdict]).toEqual([
        ...['6/10', '0.0', '−27.1', '+27.1', 'inconclusive'],
      ]);
    }
    const saved = tableOf(stdout, 'Saved');
    expect(saved.get('cg-extract-code')).toEqual(['193,025', '23.33', '6.44', '2.28', '5/10']);
    expect(saved.get('cg-summarize')).toEqual(['15,577', '4.81', '2.88', '0.00', '2/10']);
    expect(tableOf(stdout, 'Sent').get('cg-mask')?.slice(3)).toEqual(['+172.1', 'DISAGREE']);
    expect(tableOf(stdout, 'Sent').get('cg-summarize')?.slice(3)).toEqual(['−61.0']);
    const text = oneLine(stdout);
    expect(text).toContain('0 of 9 pairs differ: a flip rate above 28.3 % is excluded');
    expect(text).toContain('inconclusive at a margin of 2 points');
    expect(text).toContain('lacks an outcome of pydata__xarray-4629');
    expect(text).toContain('on sympy__sympy-20438 it sent 4.8 times');
    for (const line of stdout.split('\n').slice(3)) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('with the missing row dropped, nine pairs reach 30 points either way', async () => {
    const { stdout } = await cli('import-rewards', published, '--missing', 'drop', '--json');
    const { configs } = JSON.parse(stdout);
    const summarize = configs.find(({ config }: { config: string }) => config === 'cg-summarize');
    expect(summarize.reward).toMatchObject({ verdict: 'inconclusive', pairs: 9, holm_p: 1 });
    expect(summarize.reward.low).toBeCloseTo(-0.3, 2);
    expect(summarize.savings).toMatchObject({ gross: 15_577, fired_cells: 2 });
  });
});

const complexity = join(shared, 'results/complexity-trap/experiment_instance_costs_sweagent.csv');

test.runIf(existsSync(complexity))(
  `a table with other headers, the config that the paper compares${absent}`,
  async () => {
    const name = (kind: string) => `gemini_2.5_flash-agent-t_0.8-${kind}-verified-500`;
    const words = ['--columns', 'task=instance_id,config=experiment,reward=outcome', '--json'];
    const arms = ['--baseline', name('baseline_raw.0'), '--config', name('baseline_N_1_M_10.0')];
    const { code, stdout } = await cli('import-rewards', complexity, ...words, ...arms);
    expect(code).toBe(0);
    const { configs } = JSON.parse(stdout);
    expect(configs).toHaveLength(2);
    expect(configs[1].reward.difference).toBeCloseTo(0.028, 6);
    expect(configs[1].reward.test.kind).toBe('mcnemar');
  },
);

describe('import-rewards', () => {
  test('joins a run: its counts, and the grounded reward against the live one', async () => {
    const recordings = join(folder, 'recordings');
    const out = join(folder, 'runs');
    writeRecordings(recordings, 4);
    const sweep = ['sweep', '--config', 'cg-summarize-small', '--out', out];
    expect((await cli(...sweep, '--transcripts', recordings)).code).toBe(0);
    const rows = ['0', '1', '2', '3'].flatMap((task) => [
      `${task},baseline,${Number(task) % 2}`,
      `${task},cg-summarize-small,1`,
    ]);
    const file = table('live.csv', `task,config,reward\n${rows.join('\n')}\nx,baseline,1\n`);
    const run = onlyFile(out, '.csv');
    const { code, stdout } = await cli('import-rewards', file, '--run', run);
    expect(code).toBe(0);
    expect(oneLine(stdout)).toContain('joined with the run: 8 rows; without a cell: 1');
    expect(oneLine(stdout)).toMatch(/grounded against live reward, 4 cells: both solved \d/);
    expect(tableOf(stdout, 'Saved').get('cg-summarize-small')?.at(-1)).toBe('4/4');
    const other = table('other.csv', 'task,config,reward\ny,baseline,1\n');
    const refused = await cli('import-rewards', other, '--run', run);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('leave --run out');
  });

  test('repeated trials are averaged, tested by sign flips, and show the noise floor', async () => {
    const rows = ['a', 'b', 'd', 'e'].flatMap((task) =>
      [0, 1].flatMap((trial) => [
        `${task},baseline,${trial},${task === 'a' ? trial : 1}`,
        `${task},c,${trial},1`,
      ]),
    );
    const file = table('trials.csv', `task,config,trial,reward\n${rows.join('\n')}\n`);
    const text = oneLine((await cli('import-rewards', file)).stdout);
    expect(text).toContain(
      'between two of the 2 identical trials of the baseline, 25 % to 25 % of 4',
    );
    expect(text).toContain('p is that of a sign-flip permutation test by task');
    const json = JSON.parse((await cli('import-rewards', file, '--json')).stdout);
    expect(json.configs[1].reward.difference).toBeCloseTo(0.125, 10);
  });

  test.each([
    ['none.csv', undefined, [], /cannot read the rewards/],
    ['a.csv', 'task,config,reward\na,raw,1\n', [], /no config 'baseline'.*It has: raw/],
    ['b.csv', 'task,config,reward\na,raw,1\n', ['--baseline', 'rav'], /did you mean 'raw'\?/],
    ['c.csv', 'task,config,reward\na,baseline,2\n', [], /c\.csv:2.*reward is '2'/],
    ['d.csv', 'task,config\na,baseline\n', [], /no column 'reward'/],
    ['e.csv', 'task,config,reward\na,baseline,1\n', ['--config', 'x'], /no config 'x'/],
  ])('%s is refused with what to do', async (name, text, words, message) => {
    const file = text === undefined ? join(folder, name) : table(name, text);
    const { code, stderr } = await cli('import-rewards', file, ...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  test('needs a file', async () => {
    expect((await cli('import-rewards')).code).toBe(2);
  });
});
