import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseArguments } from '../../src/commands/program.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cli, cliWith } from './cli.ts';

const TASK = 'parse-subtitle-cues';
const figures = z.object({
  gw_before: z.number(),
  gw_after: z.number(),
  evidence_lost: z.number(),
});
const message = z.object({
  message: z.string(),
  fate: z.string(),
  tokens_before: z.number().nullable(),
  tokens_after: z.number().nullable(),
  before: z.array(z.object({ text: z.string() })).nullable(),
});

test('the page of a cell has the figures, the cycles and what went missing', async () => {
  const { code, stdout, stderr } = await cli('show', TASK, '--config', 'cg-summarize');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('115,272 → 33,051 tokens');
  expect(stdout).toContain('Compaction cycles');
  expect(stdout).toMatch(/recoverable +5 summarized +write_file: JSON\.stringify/);
});

test('the page of a request has each message, the marker and the action', async () => {
  const words = ['show', TASK, '--config', 'cg-summarize', '--request', '9'];
  const { code, stdout } = await cli(...words);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ +5 {2}tool +summarized +466 +– {2}m1 /m);
  expect(stdout).toMatch(/^ +\+1 {2}user +inserted +– +\d+ {2}m1 +=== History Summary/m);
  expect(stdout).toMatch(/m1 +<<cg:[0-9a-f]{16}>> +17 messages/);
  expect(stdout).toMatch(/recoverable +m1 +5 summarized +write_file: JSON\.stringify/);
  const { stdout: block } = await cli(...words, '--block', '+1');
  expect(block).toContain('+ === History Summary ===');
});

test('the block of a rewritten message is a diff with unchanged lines folded', async () => {
  const words = ['show', TASK, '--config', 'cg-collapse', '--request', '9', '--block', '17'];
  const { code, stdout } = await cli(...words);
  expect(code).toBe(0);
  expect(stdout).toMatch(/rewritten/);
  expect(stdout).toMatch(/… \d+ unchanged lines/);
  expect(stdout).toMatch(/^- /m);
  expect(stdout).toMatch(/^\+ .*<<cg:/m);
});

test('--json has the same figures, and lists that add up', async () => {
  const whole = await cli('show', TASK, '--config', 'cg-mask', '--json');
  const cell = z
    .object({ figures, cycles: z.array(z.unknown()), requests: z.array(z.unknown()) })
    .parse(JSON.parse(whole.stdout));
  expect(cell.figures).toMatchObject({ gw_before: 115272, gw_after: 41669 });
  expect(cell.requests).toHaveLength(14);
  const one = await cli('show', TASK, '--config', 'cg-mask', '--request', '9', '--json');
  const request = z
    .object({ tokens_before: z.number(), tokens_after: z.number(), messages: z.array(message) })
    .parse(JSON.parse(one.stdout));
  const sum = (side: 'tokens_before' | 'tokens_after') =>
    request.messages.reduce((total, item) => total + (item[side] ?? 0), 0);
  expect([sum('tokens_before'), sum('tokens_after')]).toEqual([
    request.tokens_before,
    request.tokens_after,
  ]);
  const again = await cli('show', TASK, '--config', 'cg-mask', '--request', '9', '--json');
  expect(again.stdout).toBe(one.stdout);
});

describe('what is not there is refused with what is', () => {
  test.each([
    [['parse-subtitle', '--config', 'cg-mask'], /did you mean 'parse-subtitle-cues'\?/],
    [[TASK, '--config', 'cg-maks'], /did you mean "cg-mask"\?/],
    [[TASK, '--config', 'cg-mask', '--request', '14'], /from 0 to 13/],
    [[TASK, '--config', 'cg-mask', '--request', '3', '--block', '12'], /0 to 11/],
    [[TASK, '--config', 'cg-mask', '--request', '3', '--block', '2.7'], /expected 2\.0 to 2\.3/],
    [[TASK, '--config', 'cg-mask', '--trial', '1'], /--trial is '1'.*expected one of 0/],
    [[TASK, '--config', 'cg-mask', '--lineage', 'man'], /did you mean 'main'\?/],
    [[TASK, '--config', 'cg-mask', '--set', 'components.mask.keep_recent=1,2'], /gives 2 configs/],
    [[TASK, '--config', 'cg-mask', '--transcripts', 'none.jsonl'], /no recording could be read/],
  ])('%j', async (words, said) => {
    const { code, stdout, stderr } = await cli('show', ...words);
    expect(stderr).toMatch(said);
    expect([code, stdout]).toEqual([2, '']);
  });

  test.each([
    [[TASK], /--config is missing/],
    [[TASK, '--config', 'a,b'], /names 2 configs/],
    [[TASK, '--config', 'a', '--request', 'last'], /expected the number of a request/],
    [[TASK, '--config', 'a', '--block', '1'], /give --request K/],
    [[TASK, '--config', 'a', '--model', 'stub-vage'], /did you mean stub-vague\?/],
    [[TASK, '--config', 'a', '--trial', '1', '--trial', '2'], /more than once/],
    [['--config', 'a'], /missing required args/],
  ])('%j', (words, said) => {
    expect(() => parseArguments(['show', ...words])).toThrow(said);
  });
});

test('a control is shown with the budget of the config that it matches', async () => {
  const words = ['show', TASK, '--config', 'control-recency@cg-mask', '--json'];
  const { stdout } = await cli(...words);
  const control = z.object({ config: z.string(), figures }).parse(JSON.parse(stdout));
  expect(control.config).toBe('control-recency@cg-mask');
  expect(control.figures.gw_after).toBeLessThanOrEqual(41669);
});

test('a config of a matrix, one by --set, and the inline one can be shown', async () => {
  const set = ['--set', 'components.mask.keep_recent=1'];
  const { stdout } = await cli('show', TASK, '--config', 'cg-mask', ...set, '--json');
  const { figures: one } = z.object({ figures }).parse(JSON.parse(stdout));
  expect(one.gw_after).toBeLessThan(41669);
  const inline = { CONTEXT_GURU_CONFIG_YAML: 'pipeline: [mask]\n' };
  expect((await cliWith(inline, 'show', TASK, '--config', 'env')).code).toBe(0);
});

describe('a recording of others', () => {
  const folder = temporaryFolder();
  const secret = 'hunter2hunter2';
  const key = 'sk-proj-0123456789abcdefghij';
  const pad = 'some words of output\n'.repeat(60);
  const turn = (number: number, command: string, result: string) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${number}`,
          type: 'function',
          function: { name: 'bash', arguments: JSON.stringify({ command }) },
        },
      ],
    },
    { role: 'tool', tool_call_id: `call_${number}`, content: result },
  ];
  const messages = [
    { role: 'user', content: `Deploy it. \u001b[2J\u202e DB_PASSWORD=${secret}` },
    ...turn(1, 'env', `${pad}OPENAI=${key}\n`),
    ...turn(2, `login ${secret}`, pad),
    ...turn(3, 'ls', pad),
    ...turn(4, `use ${key}`, pad),
    ...turn(5, `use ${key} ${secret}`, pad),
    { role: 'assistant', content: 'Done.' },
  ];
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'deploy.json');
  writeFileSync(file, JSON.stringify(messages));
  const words = ['show', 'deploy', '--config', 'cg-mask', '--transcripts', file];
  const pages = [
    [],
    ['--request', '4'],
    ['--request', '4', '--block', '0'],
    ['--request', '4', '--block', '2'],
    ['--request', '5', '--json'],
    ['--json'],
  ];

  test.each(pages.map((page) => [page]))('shows no secret and no escape: %j', async (page) => {
    const { code, stdout, stderr } = await cli(...words, ...page);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toContain(key);
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  test('shows them where that is asked for', async () => {
    const { stdout } = await cli(...words, '--request', '4', '--block', '0', '--no-redact');
    expect(stdout).toContain(secret);
    const replaced = await cli(...words, '--request', '4', '--block', '0');
    expect(replaced.stdout).toMatch(/DB_PASSWORD=\[password#[0-9a-f]{8}\]/);
  });
});
