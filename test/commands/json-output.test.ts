import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonOutput } from '../../src/commands/json-output.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cli, onlyFile, root } from './cli.ts';

const folder = temporaryFolder();
/** A colour, an 8-bit control, a turn of direction, a tag and half a pair, as names of files can have them. */
const hostile = 'evil \u001b[31m \u009b2J \u202e \u2066 \u200b \u{e0041}';
const name = `${hostile}.jsonl`;
const acting =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

const file = join(folder, name);
const config = join(folder, 'own.yaml');
const rewards = join(folder, `${hostile}.csv`);
let csv = '';
const shards: string[] = [];

beforeAll(async () => {
  const messages = [
    { role: 'user', content: `look at ${hostile}` },
    { role: 'tool', content: hostile },
  ];
  const body = { model: `gpt ${hostile}`, messages };
  writeFileSync(file, `${JSON.stringify({ task: hostile, body })}\n{"broken ${hostile}\n`);
  const quoted = `"${hostile}"`;
  writeFileSync(rewards, `task,config,reward\n${quoted},baseline,1\n${quoted},${quoted},0\n`);
  writeFileSync(config, `about: ${JSON.stringify(hostile)}\npipeline: [mask]\n`);
  const words = ['sweep', '--config', 'cg-mask', '--transcripts', file];
  const good = join(folder, `good ${name}`);
  writeFileSync(good, `${JSON.stringify({ task: hostile, body })}\n`);
  mkdirSync(join(folder, 'whole'));
  await cli(...words, '--out', join(folder, 'whole'));
  csv = join(folder, `${hostile} run.csv`);
  const made = onlyFile(join(folder, 'whole'), '.csv');
  copyFileSync(made, csv);
  copyFileSync(made.replace('.csv', '.manifest.json'), csv.replace('.csv', '.manifest.json'));
  for (const shard of ['1/2', '2/2']) {
    const out = join(folder, `${hostile} ${shard.replace('/', '-')}`);
    await cli(
      'sweep',
      '--config',
      'cg-mask',
      '--transcripts',
      good,
      '--shard',
      shard,
      '--out',
      out,
    );
    shards.push(onlyFile(out, '.csv'));
  }
});

describe('--json', () => {
  const commands: Readonly<Record<string, () => string[]>> = {
    sweep: () => [
      'sweep',
      '--config',
      'cg-mask',
      '--transcripts',
      file,
      '--out',
      join(folder, hostile),
    ],
    'sweep --dry-run': () => ['sweep', '--dry-run', '--config', config, '--transcripts', file],
    merge: () => ['merge', ...shards, '--out', join(folder, `merged ${hostile}`)],
    gate: () => ['gate', '--part', 'cells', '--config', 'cg-mask', '--transcripts', file],
    report: () => ['report', csv, '--out', join(folder, `${hostile}.html`)],
    'import-rewards': () => ['import-rewards', rewards],
    validate: () => ['validate', file],
    import: () => ['import', file, '--out', join(folder, `imported ${hostile}`)],
    'import --list': () => ['import', file, '--list'],
    show: () => ['show', hostile, '--config', 'cg-mask', '--transcripts', file],
  };

  test.each(Object.entries(commands))(
    'of %s holds the names, and nothing that a terminal obeys or hides',
    async (_, words) => {
      const { stdout, stderr } = await cli(...words(), '--json');
      expect(stdout).not.toMatch(acting);
      expect(stdout.isWellFormed()).toBe(true);
      expect(stderr).not.toMatch(acting);
      expect(JSON.stringify(JSON.parse(stdout))).toContain('evil');
    },
  );

  test('every command that has it is here', () => {
    const source = readFileSync(join(root, 'src/commands/definitions.ts'), 'utf8');
    const parts = source.split(/\n {2,4}\.command\(|program\s*\.command\(/).slice(1);
    const having = parts.filter((part) => part.includes("'--json'"));
    const words = having.map((part) => /^\s*'([\w-]+)/.exec(part)?.[1]);
    const tested = new Set(Object.keys(commands).map((command) => command.split(' ')[0]));
    expect(words.length).toBeGreaterThan(6);
    expect(words.filter((word) => !tested.has(word))).toEqual([]);
  });

  test('property: is the value again, and is made in one place', () => {
    const value = { [hostile]: [hostile, '\ud800', 'a\nb\tc', 'plain'] };
    expect(JSON.parse(jsonOutput(value))).toEqual(value);
    expect(jsonOutput(value)).not.toMatch(acting);
    const commandFiles = readdirSync(join(root, 'src/commands')).filter((one) =>
      one.endsWith('.ts'),
    );
    const bare = commandFiles.filter((one) =>
      /stdout\.write\([^;]*JSON\.stringify/.test(
        readFileSync(join(root, 'src/commands', one), 'utf8'),
      ),
    );
    expect(bare).toEqual([]);
  });
});

test('a run that is not there is said to be so, with the nearest name', async () => {
  const whole = join(folder, 'whole');
  const made = onlyFile(whole, '.csv');
  const { code, stderr } = await cli('report', made.replace('cg-mask', 'cg-mast'));
  expect(code).toBe(2);
  expect(stderr).toContain('cannot read the rows: no such file; did you mean "');
  expect(stderr).not.toContain('ENOENT');
});
