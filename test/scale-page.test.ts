import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { buildProgram } from '../src/commands/definitions.ts';

const page = readFileSync(join(resolve(import.meta.dirname, '..'), 'docs/scale.md'), 'utf8');
const blocks = [...page.matchAll(/```(\w+)\n([\s\S]*?)```/g)];

/** Words behind `npm run NAME --`, or behind the program in a manifest of Kubernetes. */
function commandLines(): { readonly name: string; readonly options: readonly string[] }[] {
  const text = blocks.map(([, , block = '']) => block.replace(/\\?\n +(?=--)/g, ' ')).join('\n');
  return [...text.matchAll(/npm run ([\w-]+) -- ([^\n]*)/g)].map(([, name = '', rest = '']) => ({
    name,
    options: [...rest.matchAll(/(?:^| )(--[a-z-]+)/g)].map(([, option = '']) => option),
  }));
}

test('the commands and options of the page exist', () => {
  const { commands } = buildProgram();
  const lines = commandLines();
  expect(lines.length).toBeGreaterThan(6);
  for (const { name, options } of lines) {
    const command = commands.find((one) => one.name === name);
    const known = command?.options.map(({ rawName }) => rawName.replace(/ .*/, '')) ?? [];
    expect(known.length, name).toBeGreaterThan(0);
    for (const option of options) expect(known, name).toContain(option);
  }
});

test('its YAML can be read', () => {
  const yaml = blocks.filter(([, language]) => language === 'yaml');
  expect(yaml.length).toBe(3);
  for (const [, , text = ''] of yaml) {
    for (const document of parseAllDocuments(text)) expect(document.errors).toEqual([]);
  }
});
