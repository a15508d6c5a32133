import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseRows } from '../../src/rows/csv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cli, onlyFile, root } from './cli.ts';

const folder = temporaryFolder();

const capture = (fields: Record<string, unknown>): string =>
  `${JSON.stringify({
    provider: 'openai',
    ...fields,
    body: { model: 'gpt-4.1', messages: [{ role: 'user', content: 'go' }] },
  })}\n`;

function sweepOf(name: string, ...more: string[]) {
  const out = join(folder, `runs of ${name.replace(/\W/g, '')}`);
  const path = join(folder, name);
  return {
    out,
    words: ['sweep', '--config', 'cg-mask', '--transcripts', path, '--out', out, ...more],
  };
}

test('a task without a name is called after its file, and its run can be resumed', async () => {
  writeFileSync(join(folder, 'blank.jsonl'), capture({ task: ' ', trial: '' }));
  const { out, words } = sweepOf('blank.jsonl');
  expect((await cli(...words)).code).toBe(0);
  const csv = onlyFile(out, '.csv');
  const [row] = parseRows(readFileSync(csv, 'utf8'), csv);
  expect([row?.task, row?.trial]).toEqual(['blank', '0']);
  expect(await cli(...words, '--resume')).toMatchObject({ code: 0 });
});

test('a file name cannot colour, break or turn the lines of a terminal', async () => {
  const name = 'evil\u001b[31m\n\u202e.jsonl';
  writeFileSync(join(folder, name), `${capture({})}{"broken\n`);
  const { code, stdout, stderr } = await cli(...sweepOf(name).words);
  expect(code).toBe(2);
  expect(stderr).toContain('evil\\u001b[31m\\n\\u202e.jsonl:2');
  expect(`${stdout}${stderr}`).not.toMatch(/[\u001b\u202e]/);
});

test('a secret in a line that cannot be read is in no log, summary or manifest', async () => {
  const secret = 'sk-proj-0123456789abcdef';
  writeFileSync(join(folder, 'secret.jsonl'), `${capture({})}${JSON.stringify({ key: secret })}\n`);
  const { out, words } = sweepOf('secret.jsonl', '--json');
  const { stdout, stderr } = await cli(...words);
  expect(stderr).toContain('secret.jsonl:2');
  const manifest = readFileSync(onlyFile(out, '.manifest.json'), 'utf8');
  expect(`${stdout}${stderr}${manifest}`).not.toContain(secret);
});

test('the hint for expand names a run that is not in the default folder', async () => {
  const out = join(folder, 'elsewhere');
  const { stdout } = await cli('sweep', '--config', 'cg-summarize', '--out', out);
  expect(stdout).toMatch(/npm run expand -- HASH --run \S+elsewhere\S+\.csv/);
});

test('a run that does not exist, and a link that leads nowhere, are said to be so', async () => {
  const { words } = sweepOf('blank.jsonl', '--resume', 'results/none.csv');
  const resumed = await cli(...words);
  expect(resumed.code).toBe(2);
  expect(resumed.stderr).toContain('there is no such run');
  symlinkSync(join(folder, 'nowhere'), join(folder, 'link.json'));
  const linked = await cli(...sweepOf('link.json').words);
  expect(linked.code).toBe(2);
  expect(linked.stderr).toContain('a link to what does not exist');
});

const hasProc = existsSync('/proc/self');
test(`a folder that takes no entry is an error, not a wait${hasProc ? '' : ' (skipped: no /proc)'}`, async (context) => {
  if (!hasProc) context.skip();
  mkdirSync(join(folder, 'some'), { recursive: true });
  const { code, stderr } = await cli('sweep', '--config', 'cg-mask', '--out', '/proc/none/inner');
  expect(code).toBe(2);
  expect(stderr).toContain('cannot make the folder');
});

const hasFull = existsSync('/dev/full');
test(`output that a full disk loses is exit code 1${hasFull ? '' : ' (skipped: no /dev/full)'}`, (context) => {
  if (!hasFull) context.skip();
  const words = ['--import', 'tsx', join(root, 'src/cli.ts'), 'sweep', '--help'];
  const stdio = ['ignore', openSync('/dev/full', 'w'), 'pipe'] as const;
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, stdio: [...stdio] });
  expect(String(stderr)).toContain('output lost');
  expect(status).toBe(1);
});
