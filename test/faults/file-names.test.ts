/** Names of files that are made of what a recording, a config or a user says: they stay in their folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FileNames } from '../../src/commands/import/file-names.ts';
import { snapshotName } from '../../src/commands/publish/snapshots.ts';
import { nameOfShard, sweepName } from '../../src/commands/sweep-name.ts';
import { closeRun, createRun, runFiles } from '../../src/sweep/run-files.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { onlyFile } from '../commands/cli.ts';
import { command } from '../support/crash/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import { holder, readAll } from '../support/sweeps.ts';

const SEED = 20_261_130;

/** What breaks out of a folder, or that one system or another cannot have. */
const HOSTILE = [
  ...['..', '../x', '../../etc/passwd', '/etc/passwd', 'C:\\x', '\\\\host\\share', '~/x', './-x'],
  ...[
    '',
    ' ',
    '.',
    '...',
    '.hidden',
    'x.',
    'x ',
    'x..',
    '-rf',
    '--out',
    '\0',
    'a\0b',
    '\n',
    '\u001b[31m',
  ],
  ...[
    'CON',
    'con.txt',
    'NUL',
    'aux',
    'COM1',
    'LPT9.log',
    'PRN ',
    'a:b',
    'a|b',
    'a?b*',
    '<x>',
    '"x"',
  ],
  ...['é', 'e\u0301', 'ﬁ', 'fi', 'ﬀ', 'K', '\u212a', 'ı', 'İ', 'ß', 'ẞ', '\u202etxt.exe', '\ud800'],
  ...[
    'x'.repeat(300),
    '漢'.repeat(200),
    '😀'.repeat(100),
    `${'../'.repeat(80)}x`,
    'a/b',
    'A/B',
    'a\\b',
  ],
];

const hostile = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(fc.constantFrom(...HOSTILE), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('')),
);

/** Names that Windows keeps for devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** The longest thing that is put behind a name: the lock of a run, moved aside. */
const LONGEST = 255 - '.charges.jsonl.lock.host-4194304'.length;

/** Throws where a name is not one part of a path on every system. */
function checkName(name: string): void {
  expect(name, name).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._@=,-]*$/);
  expect(name).not.toMatch(/[. ]$/);
  expect(name).not.toMatch(RESERVED);
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(LONGEST);
  expect(dirname(join('/out', name))).toBe('/out');
  expect(basename(name)).toBe(name);
}

const [known] = await readAll(['fixtures/transcripts/parse-subtitle-cues.jsonl'], '.');

function transcriptOf(task: string, trial: string, lineage: string, session: string): Transcript {
  if (known === undefined) throw new Error('no fixture');
  return { ...known, task, trial, lineage, source: { ...known.source, session } };
}

describe('a file of an import', () => {
  test('has a name of one part, which no other has, whatever the transcript is called', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(hostile, hostile, hostile, hostile), { minLength: 1, maxLength: 12 }),
        (ids) => {
          const names = new FileNames();
          // The same ids twice are two files all the same.
          const made = [...ids, ...ids].map((id) => names.nameOf(transcriptOf(...id)));
          for (const name of made) checkName(name);
          const alike = made.map((name) => name.normalize('NFKC').toLowerCase());
          expect(new Set(alike).size).toBe(made.length);
        },
      ),
      { seed: SEED, numRuns: 300 },
    );
  });

  test('lies in the folder, of every hostile id', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'in.jsonl');
    const lines = HOSTILE.map((id, index) =>
      JSON.stringify({
        provider: 'openai',
        task: id,
        trial: id,
        session: `${id} ${index}`,
        body: { model: 'gpt-4.1', messages: [{ role: 'user', content: `go ${index}` }] },
      }),
    );
    writeFileSync(file, `${lines.join('\n')}\n`);
    const out = join(folder, 'deep', 'out');
    const { code, stdout, stderr } = await command(['import', file, '--out', out, '--json']);
    expect([code, stderr]).toEqual([0, '']);
    expect(readdirSync(out)).toHaveLength(HOSTILE.length);
    for (const name of readdirSync(out)) checkName(name);
    expect(JSON.parse(stdout).transcripts).toHaveLength(HOSTILE.length);
    expect(readdirSync(join(folder, 'deep'))).toEqual(['out']);
    expect(readdirSync(folder).toSorted()).toEqual(['deep', 'in.jsonl']);
    // And what was written reads back, every one of them.
    const again = await command(['import', out, '--list', '--json']);
    expect(again.code).toBe(0);
  });
});

describe('a run', () => {
  test('and its companions have names of one part, whatever --name or the configs say', async () => {
    const folder = temporaryFolder();
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        hostile,
        fc.option(fc.constantFrom('1/2', '7/100000')),
        async (name, shard) => {
          const out = join(folder, String(count++));
          const [index = 1, of = 1] = (shard ?? '1/1').split('/').map(Number);
          const part = shard === null ? undefined : { index, count: of };
          const start = new Date('2026-01-02T03:04:05Z');
          const run = await createRun(out, nameOfShard(name, part), start, holder(1));
          await closeRun(run);
          for (const file of Object.values(runFiles(run.files.csv))) {
            expect(dirname(file)).toBe(out);
            checkName(basename(file));
          }
          expect(readdirSync(out)).toEqual([basename(run.files.csv)]);
        },
      ),
      { seed: SEED, numRuns: 120 },
    );
    expect(readdirSync(folder)).toHaveLength(count);
  });

  test('of configs with hostile names is named in one part', () => {
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 5 }), (names) => {
        const name = sweepName(names.map((config) => ({ name: config })));
        const snapshot = `2026-01-02-${snapshotName(name)}.csv`;
        checkName(snapshot);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  test('of a hostile config and task writes, reports and publishes inside its folder', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'in'));
    const task = '../../outside';
    const messages = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: 'gone' },
    ];
    const line = { provider: 'openai', task, body: { model: 'gpt-4.1', messages } };
    writeFileSync(join(folder, 'in', 'a.jsonl'), `${JSON.stringify(line)}\n`);
    const config = join(folder, 'in', 'evil.yaml');
    writeFileSync(config, 'name: ../../evil\npipeline: []\n');
    const out = join(folder, 'deep', 'runs');
    const words = ['--transcripts', join(folder, 'in', 'a.jsonl'), '--out', out];
    const swept = await command(['sweep', '--config', config, ...words]);
    // A name that is no name may as well be refused.
    expect([0, 2]).toContain(swept.code);
    if (swept.code === 2) expect(swept.stderr).toContain('evil');
    const named = await command(['sweep', '--config', 'cg-mask', '--name', '../../evil', ...words]);
    expect(named).toMatchObject({ code: 0 });
    const [csv = ''] = readdirSync(out).filter((name) => name.endsWith('.csv'));
    const page = join(folder, 'deep', 'page.html');
    const charts = join(folder, 'deep', 'charts');
    const report = ['report', join(out, csv), '--out', page, '--svg', charts];
    expect(await command(report)).toMatchObject({ code: 0 });
    for (const name of readdirSync(charts)) checkName(name);
    // Links lead into the page, or to what a scheme says.
    const links = [...readFileSync(page, 'utf8').matchAll(/(?:href|src)="([^"]*)"/g)];
    for (const [, target = ''] of links) expect(target).toMatch(/^(?:#|https?:|data:|mailto:)/);
    const results = join(folder, 'deep', 'results');
    const publish = ['publish-results', '--run', join(out, csv), '--force', '--name', '../../evil'];
    expect(await command([...publish, '--out', results])).toMatchObject({ code: 0 });
    checkName(basename(onlyFile(results, '.csv')));
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(all.every((name) => !relative(folder, join(folder, name)).startsWith('..'))).toBe(true);
    expect(readdirSync(folder).toSorted()).toEqual(['deep', 'in']);
    expect(existsSync(join(dirname(folder), 'outside'))).toBe(false);
    expect(existsSync(join(dirname(folder), 'evil'))).toBe(false);
  });
});

test.each(['../x.jsonl', 'CON.jsonl', 'x.', 'a/b', '.x', 'x'.repeat(250), 'é.jsonl', ''])(
  'the check refuses %j',
  (name) => {
    expect(() => checkName(name)).toThrow();
  },
);
