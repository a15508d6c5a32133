import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Stash } from '../../src/compaction/stash.ts';
import { readRows } from '../../src/rows/csv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { chat, writeRecordings, writeTrajectories } from '../support/sweeps.ts';
import { cli, cliWith, finished, onlyFile, root, start } from './cli.ts';
import { timeless } from './timeless.ts';

const recordings = temporaryFolder();
writeRecordings(recordings, 4);
const hasPython = spawnSync('python3', ['--version']).status === 0;
const SMALL = ['--config', 'cg-summarize-small'];

async function sweep(...words: string[]) {
  const out = temporaryFolder();
  const done = await cli('sweep', '--out', out, ...words);
  return { ...done, out };
}

describe('the first command of the README', () => {
  test('runs the fixtures: a table within 80 columns, and summarize fires on at least five', async () => {
    const { code, stdout, out } = await sweep('--config', 'cg-summarize');
    expect(code).toBe(0);
    for (const line of stdout.split('\n')) {
      if (!line.includes('.csv') && !line.includes('.json'))
        expect(line.length, line).toBeLessThanOrEqual(80);
    }
    const rows = await readRows(onlyFile(out, '.csv'));
    const fired = rows.filter((row) => row.config === 'cg-summarize' && (row.fired ?? 0) > 0);
    expect(fired.length).toBeGreaterThanOrEqual(5);
    expect(stdout).toMatch(new RegExp(`cg-summarize +${fired.length}/10`));
    expect(rows.filter((row) => row.config === 'baseline' && row.passed)).toHaveLength(6);
    expect(rows.filter((row) => row.config === 'baseline')).toHaveLength(10);
  });

  test('without options explains itself and runs nothing', async () => {
    const { code, stdout } = await finished(start(['sweep']));
    expect(code).toBe(0);
    expect(stdout).toContain('npm run sweep -- --config cg-summarize');
    for (const name of readdirSync(join(root, 'sweeps'))) {
      expect(stdout).toContain(name.replace(/\.yaml$/, ''));
    }
  });
});

describe('bad input', () => {
  const broken = temporaryFolder();
  writeRecordings(join(broken, 'good'), 1);
  writeFileSync(join(broken, 'cut.json'), JSON.stringify(chat('cut', 3, 20)).slice(0, -40));
  const lines = [
    JSON.stringify({ messages: chat('jsonl', 3, 20) }),
    '{"messages": [',
    JSON.stringify({ messages: chat('jsonl', 4, 20) }),
  ];
  writeFileSync(join(broken, 'line.jsonl'), lines.join('\n'));
  writeFileSync(
    join(broken, 'noise.json'),
    Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0xff, 0xfe]),
  );
  mkdirSync(join(broken, 'empty'));

  const good = join(broken, 'good');
  test.each([
    ['a truncated JSON file', 'cut.json', /cut\.json:1/],
    ['a JSONL file with one broken line', 'line.jsonl', /line\.jsonl:2/],
    ['a binary file', 'noise.json', /noise\.json/],
    ['a folder without files', 'empty', /empty: the folder holds no files/],
    ['a glob that matches nothing', 'god/**/*.json', /god.*did you mean.*good/],
    ['a file that does not exist', 'cut.jsn', /cut\.jsn.*did you mean.*cut\.json/],
  ])('%s: exit code 2, its place, and the rows of the others', async (_, name, message) => {
    const { code, stderr, out } = await sweep(...SMALL, '--transcripts', join(broken, name), good);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    const rows = await readRows(onlyFile(out, '.csv'));
    expect(rows.filter(({ task }) => task === '0').map(({ config }) => config)).toEqual([
      'baseline',
      'cg-summarize-small',
    ]);
  });

  test('nothing that can be read: exit code 2 and no file', async () => {
    const { code, out, stderr } = await sweep(...SMALL, '--transcripts', join(broken, 'cut.json'));
    expect(code).toBe(2);
    expect(stderr).toContain('nothing was run');
    expect(readdirSync(out)).toEqual([]);
  });

  const document = (name: string, text: string) => {
    const file = join(broken, name);
    writeFileSync(file, text);
    return file;
  };
  test.each([
    [
      'a typo in a key',
      'pipeline: [summarize]\ncomponents:\n  summarize:\n    keep_lats: 3\n',
      /typo\.yaml:4.*keep_last/s,
    ],
    [
      'a wrong value',
      'pipeline: [summarize]\ncomponents:\n  summarize:\n    keep_last: many\n',
      /typo\.yaml:4.*many/s,
    ],
    ['an unknown component', 'pipeline: [sumarize]\n', /typo\.yaml:1.*summarize/s],
    [
      'a matrix over an unknown key',
      'pipeline: [summarize]\nmatrix:\n  components.summarize.kep_last: [1, 2]\n',
      /typo\.yaml:3.*keep_last/s,
    ],
  ])(
    '%s in a config: exit code 2 with file, line and the nearest name, before anything runs',
    async (_, text, message) => {
      const { code, stderr, out } = await sweep(
        '--config',
        document('typo.yaml', text),
        '--transcripts',
        good,
      );
      expect(stderr).toMatch(message);
      expect(code).toBe(2);
      expect(readdirSync(out)).toEqual([]);
    },
  );

  test('a config that does not exist: exit code 2 and the nearest name', async () => {
    const { code, stderr } = await sweep('--config', 'cg-sumarize', '--transcripts', good);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/cg-sumarize.*cg-summarize/s)]);
  });

  test('an unknown key of --set: exit code 2 and the nearest key', async () => {
    const { code, stderr } = await sweep(
      ...SMALL,
      '--set',
      'components.summarize.kep_last=1,2',
      '--transcripts',
      good,
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('components.summarize.keep_last')]);
  });
});

describe('results', () => {
  test('are the same in two runs, times aside', async () => {
    const [one, other] = await Promise.all([
      sweep(...SMALL, '--transcripts', recordings, '--jobs', '1'),
      sweep(...SMALL, '--transcripts', recordings, '--jobs', '3'),
    ]);
    const [first, second] = [onlyFile(one.out, '.csv'), onlyFile(other.out, '.csv')];
    expect(timeless(first)).toEqual(timeless(second));
    expect(timeless(first)).toHaveLength(1 + 8);
  });

  test('of two --set options are six configs with distinct names, hashes and rows', async () => {
    const sets = [
      '--set',
      'components.summarize.keep_last=1,3,5',
      '--set',
      'components.summarize.summary_level=concise,regular',
    ];
    const { code, out, stdout } = await sweep(...SMALL, ...sets, '--json');
    expect(code).toBe(0);
    const rows = (await readRows(onlyFile(out, '.csv'))).filter(
      ({ config }) => config !== 'baseline',
    );
    expect(new Set(rows.map(({ config }) => config)).size).toBe(6);
    expect(new Set(rows.map(({ configHash }) => configHash)).size).toBe(6);
    expect(rows).toHaveLength(6 * 10);
    const summary = JSON.parse(stdout) as {
      configs: { config: string; gw_after: number; frontier: boolean }[];
    };
    expect(new Set(summary.configs.map(({ gw_after }) => gw_after)).size).toBe(7);
    expect(summary.configs.filter(({ frontier }) => frontier).length).toBeGreaterThan(0);

    const list = await sweep(...SMALL, ...sets, '--transcripts', recordings, '--list');
    expect(list.stdout).toContain('4 transcripts × 7 configs = 28 cells');
    expect(readdirSync(list.out)).toEqual([]);
  });

  test('of a dry run are the tokens of the recordings, and no file', async () => {
    const words = [...SMALL, '--transcripts', recordings, '--json'];
    const [plan, whole] = await Promise.all([sweep(...words, '--dry-run'), sweep(...words)]);
    expect(readdirSync(plan.out)).toEqual([]);
    const { tokens_before, cells } = JSON.parse(plan.stdout) as {
      tokens_before: number;
      cells: number;
    };
    const done = JSON.parse(whole.stdout) as { configs: { gw_before: number }[]; cells: number };
    expect([tokens_before, cells]).toEqual([done.configs[0]?.gw_before, done.cells]);
  });

  test('of a config in CONTEXT_GURU_CONFIG_YAML need no file', async () => {
    const out = temporaryFolder();
    const CONTEXT_GURU_CONFIG_YAML = readFileSync(join(root, 'sweeps/cg-summarize.yaml'), 'utf8');
    const { code } = await cliWith(
      { CONTEXT_GURU_CONFIG_YAML },
      'sweep',
      '--out',
      out,
      '--transcripts',
      recordings,
    );
    expect(code).toBe(0);
    expect(new Set((await readRows(onlyFile(out, '.csv'))).map(({ config }) => config)).size).toBe(
      2,
    );
  });

  test('under another model say so in every row', async () => {
    const words = [...SMALL, '--transcripts', recordings];
    const [vague, none] = await Promise.all([
      sweep(...words, '--model', 'stub-vague'),
      sweep(...words, '--model', 'none'),
    ]);
    const vagueRows = await readRows(onlyFile(vague.out, '.csv'));
    expect(new Set(vagueRows.map(({ model }) => model))).toEqual(new Set(['stub-vague']));
    expect(vagueRows.some(({ fired }) => (fired ?? 0) > 0)).toBe(true);
    const noneRows = await readRows(onlyFile(none.out, '.csv'));
    expect(noneRows.every(({ fired }) => fired === 0)).toBe(true);
    expect(
      noneRows.some(({ gates }) =>
        [...(gates?.keys() ?? [])].some((gate) => gate.includes('model')),
      ),
    ).toBe(true);
  });

  test.runIf(hasPython)(
    'read by csv.DictReader of plain Python have the published names and meanings',
    async () => {
      const { out } = await sweep(...SMALL, '--transcripts', recordings);
      const script =
        'import csv,json,sys; print(json.dumps(list(csv.DictReader(open(sys.argv[1])))))';
      const output = execFileSync('python3', ['-c', script, onlyFile(out, '.csv')], {
        encoding: 'utf8',
      });
      const rows = JSON.parse(output) as Record<string, string>[];
      const FIRST =
        'task,config,agent,reward,passed,wall_s,gw_requests,gw_before,gw_after,gw_saved,gw_pct,note';
      expect(Object.keys(rows[0] ?? {}).slice(0, 12)).toEqual(FIRST.split(','));
      for (const row of rows) {
        const number = (name: string) => Number(row[name]);
        expect(number('gw_saved')).toBe(number('gw_before') - number('gw_after'));
        expect(number('gw_pct')).toBeCloseTo((100 * number('gw_saved')) / number('gw_before'), 10);
        expect(row.note).toBe('ok');
        expect(number('wall_s')).toBeGreaterThanOrEqual(0);
        const isBaseline = row.config === 'baseline';
        expect(row.passed).toBe(number('reward') >= 1 ? 'True' : 'False');
        expect(row.reward_kind).toBe(isBaseline ? 'recorded' : 'grounded');
        expect(number('reward')).toBeLessThanOrEqual(number('recorded_reward'));
        expect(row.reward_with_expand === '').toBe(isBaseline);
        expect(row.actions).toBe(row.gw_requests);
        if (isBaseline) expect(row.evidence_kept).toBe(row.evidence_total);
        expect([row.usd_net, row.agreement]).toEqual(['', '']);
      }
    },
  );
});

describe('expand', () => {
  test('gives back what a marker stands for, byte for byte', async () => {
    const { out } = await sweep('--config', 'cg-summarize');
    const csv = onlyFile(out, '.csv');
    const index = readFileSync(onlyFile(out, '.stash.jsonl'), 'utf8').trim().split('\n');
    const entry = JSON.parse(index[0] ?? '') as {
      key: string;
      file: string;
      request: number;
      from: number;
      to: number;
    };
    const { code, stdout } = await cli(
      'expand',
      `<<cg:${entry.key}>>`,
      '--run',
      relative(root, csv),
    );
    expect(code).toBe(0);
    const bodies = readFileSync(join(root, entry.file), 'utf8').trim().split('\n');
    // Several requests can hold the span; its bytes stand in the recording as they are.
    expect(bodies.some((line) => line.includes(stdout.slice(1, -1)))).toBe(true);
    const recorded = JSON.parse(bodies[entry.request] ?? '') as { body: { messages: unknown[] } };
    expect(JSON.parse(stdout)).toEqual(recorded.body.messages.slice(entry.from, entry.to));
  });

  test('gives back the text of a tool result', async () => {
    const { out } = await sweep(...SMALL, '--transcripts', recordings);
    const file = onlyFile(out, '.stash.jsonl');
    const [line = ''] = readFileSync(file, 'utf8').split('\n');
    const { from: _, to: __, ...entry } = JSON.parse(line) as Record<string, unknown>;
    const text = 'value 0 of module-0 is in order here\n'.repeat(45);
    const key = new Stash().putText(text);
    const place = { kind: 'result', key, request: 1, message: 3, block: 0 };
    appendFileSync(file, `${JSON.stringify({ ...entry, ...place })}\n`);
    expect(await cli('expand', key, '--out', out)).toEqual({ code: 0, stdout: text, stderr: '' });
  });

  test('of an unknown hash is exit code 2 with the nearest one', async () => {
    const { out } = await sweep(...SMALL, '--transcripts', recordings);
    const index = readFileSync(onlyFile(out, '.stash.jsonl'), 'utf8');
    const key = /"key":"([0-9a-f]{16})"/.exec(index)?.[1] ?? '';
    const wrong = `${key.slice(0, 15)}${key.endsWith('0') ? '1' : '0'}`;
    const near = await cli('expand', wrong, '--out', out);
    expect([near.code, near.stdout, near.stderr]).toEqual([
      2,
      '',
      expect.stringContaining(`did you mean ${key}?`),
    ]);
    const bad = await cli('expand', 'xyz', '--out', out);
    expect([bad.code, bad.stderr]).toEqual([2, expect.stringContaining('16 hexadecimal digits')]);
  });

  test('of a recording that has changed since says so', async () => {
    const folder = temporaryFolder();
    writeRecordings(folder, 1);
    const { out } = await sweep(...SMALL, '--transcripts', folder);
    const key =
      /"key":"([0-9a-f]{16})"/.exec(readFileSync(onlyFile(out, '.stash.jsonl'), 'utf8'))?.[1] ?? '';
    expect((await cli('expand', key, '--out', out)).code).toBe(0);
    writeTrajectories(join(folder, 'recording-0.json'), [
      { task: 0, reward: 0, traj: chat('other', 12, 400) },
    ]);
    const { code, stderr } = await cli('expand', key, '--out', out);
    expect([code, stderr]).toEqual([2, expect.stringContaining('run the sweep again')]);
  });
});
