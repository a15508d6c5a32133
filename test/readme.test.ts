import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { buildProgram } from '../src/commands/definitions.ts';
import { summarizeConfig } from '../src/compaction/summarize-config.ts';
import { formats } from '../src/recordings/formats/catalog.ts';
import { columns } from '../src/rows/columns.ts';
import { cli } from './commands/cli.ts';
import { temporaryFolder } from './support/folder.ts';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** Spans between backticks, and lines of fenced blocks. */
const code = [
  ...[...readme.matchAll(/`([^`\n]+)`/g)].map((match) => match[1] ?? ''),
  ...[...readme.matchAll(/```\w*\n([\s\S]*?)```/g)].flatMap((match) =>
    (match[1] ?? '').split('\n'),
  ),
];

/** First cells of the table that follows a heading or a line with this text. */
function tableAfter(text: string): string[] {
  const lines = readme.slice(readme.indexOf(text)).split('\n');
  const start = lines.findIndex((line) => line.startsWith('|---'));
  const rows = lines.slice(start + 1);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) => line.split('|')[1]?.trim() ?? '');
}

const names = (cells: readonly string[]) =>
  cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''));

test('the commands exist', () => {
  const used = code.flatMap((text) =>
    [...text.matchAll(/npm run ([\w-]+)/g)].map((match) => match[1] ?? ''),
  );
  expect(used).toContain('sweep');
  for (const name of used) expect(scripts, name).toHaveProperty([name]);
  for (const { name } of buildProgram().commands) expect(scripts, name).toHaveProperty([name]);
});

test('the commands that replay run in Node with the same options', () => {
  const nodeOptions = (name: string) => scripts[name]?.match(/^node (.*) src\/cli\.ts /)?.[1];
  expect(nodeOptions('sweep')).toMatch(/^--max-semi-space-size=\d+ --import tsx$/);
  for (const name of ['gate', 'worker']) expect(nodeOptions(name)).toBe(nodeOptions('sweep'));
});

test('the options exist, and each option of sweep is in the table', () => {
  const known = buildProgram().commands.flatMap(({ options }) =>
    options.map(({ rawName }) => rawName.replace(/ .*/, '')),
  );
  // Those of the tools that work on the project itself stand in their sources.
  const tools = Object.values(scripts).flatMap((script) => script.match(/test\/\S+\.ts/) ?? []);
  const ofTools = tools.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const declared = [...source.matchAll(/^ {4}([a-z-]+): \{ type: '/gm)].map(
      ([, name]) => `--${name}`,
    );
    return [...declared, ...(source.match(/(?<=includes\(')--[a-z-]+(?='\))/g) ?? [])];
  });
  // What is given to npm itself is npm's.
  const ours = code.filter((text) => !text.startsWith('npm ci --'));
  const used = ours.flatMap((text) =>
    [...text.matchAll(/(?:^| )(--[a-z][a-z-]*)/g)].map((match) => match[1] ?? ''),
  );
  expect(used.length).toBeGreaterThan(20);
  for (const option of used) expect([...known, ...ofTools]).toContain(option);
  const sweep = buildProgram().commands.find(({ name }) => name === 'sweep');
  const documented = names(tableAfter('## Options of sweep')).map((cell) =>
    cell.replace(/ .*/, ''),
  );
  expect(documented).toEqual(sweep?.options.map(({ rawName }) => rawName.replace(/ .*/, '')));
});

test('the paths and configs exist', () => {
  const paths = code.flatMap((text) =>
    [...text.matchAll(/(?:^|[ '])((?:src|test|sweeps|fixtures|\.ci)\/?[\w./-]*)/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  expect(paths.length).toBeGreaterThan(3);
  for (const path of paths) expect(existsSync(join(root, path)), path).toBe(true);
  const configs = code.flatMap((text) =>
    [...text.matchAll(/(?:--config|preset:) ([\w-]+)(?= |$)/g)].map((match) => match[1] ?? ''),
  );
  const documents = readdirSync(join(root, 'sweeps')).map((name) => name.replace(/\.yaml$/, ''));
  for (const config of configs) expect([...documents, 'all', 'env', 'NAME']).toContain(config);
});

test('the formats, columns and config keys are those of the code', () => {
  expect(new Set(names(tableAfter('| format |')))).toEqual(
    new Set(formats.map(({ name }) => name)),
  );
  for (const name of names(tableAfter('| column |'))) expect(columns, name).toHaveProperty([name]);
  const defaults = summarizeConfig.parse({});
  expect(names(tableAfter('| key | default |'))).toEqual(Object.keys(defaults));
});

test('the defaults of summarize are those of the code', () => {
  const defaults: Record<string, unknown> = summarizeConfig.parse({});
  const rows = readme.split('\n').map((line) => /^\| `(\w+)` \| `?([^`|]+?)`? \|/.exec(line));
  const stated = rows.filter((row) => row !== null && (row[1] ?? '') in defaults);
  expect(stated.length).toBeGreaterThan(5);
  for (const row of stated) expect(row?.[2]).toBe(String(defaults[row?.[1] ?? '']));
});

test('the tables are what the first command prints', async () => {
  const { stdout } = await cli('sweep', '--config', 'cg-summarize', '--out', temporaryFolder());
  const tables = stdout.slice(0, stdout.indexOf('\nbefore, after')).replace(/^\n+|\s+$/g, '');
  expect(readme, `paste into README.md:\n${tables}\n`).toContain(tables);
});
