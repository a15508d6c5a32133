import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { constant, constantFrom, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadComponent } from '../../src/compaction/own-component.ts';
import { HarnessError } from '../../src/errors.ts';
import { guardOnlyOfOwn } from '../support/contract/guard-only.ts';
import { keepsNothing, keepsOutputs } from '../support/contract/reuse.ts';
import type { Subject } from '../support/contract/subjects.ts';
import { contractSuite } from '../support/contract/suite.ts';
import { temporaryFolder } from '../support/folder.ts';
import { replayLists } from '../support/replay-lists.ts';
import { conversation, workSession } from '../support/wire-steps.ts';
import { failure, load, only } from './preset-support.ts';

const example = 'test/support/components/keep-errors.ts';
const faulty = 'test/support/components/drops-result.ts';

/** A file with this text, and a path that imports the library by its path. */
function written(text: string, name = 'mine.ts'): string {
  const file = join(temporaryFolder(), name);
  const library = relative(join(file, '..'), resolve('src/api.ts'));
  writeFileSync(file, text.replace("'compaction-harness'", `'${library}'`));
  return file;
}

async function refusal(file: string): Promise<HarnessError> {
  const error: unknown = await loadComponent(file).catch((caught: unknown) => caught);
  if (error instanceof HarnessError) return error;
  throw new Error('loaded, although it should not');
}

async function subject(file: string): Promise<Subject> {
  const { entry } = await loadComponent(file);
  const isExample = file === example;
  return {
    name: entry.name,
    settings: isExample
      ? record({
          min_lines: constantFrom(1, 3, 20),
          marker_mode: constantFrom('full', 'summary', 'off'),
        })
      : constant({}),
    reuse: isExample ? keepsOutputs : keepsNothing,
    bind: (settings) => {
      const outcome = entry.bind(entry.name, settings);
      if (!outcome.ok) throw outcome.error;
      return outcome.bound;
    },
  };
}

describe('a component by path', () => {
  it('is loaded from a document, with its defaults, and rewrites requests', async () => {
    const config = await only(
      `pipeline: [mine]\ncomponents: {mine: {use: ${example}, min_lines: 2}}`,
    );
    const [step] = config.steps;
    expect(step).toMatchObject({ key: 'mine', name: 'keep_errors', version: 1 });
    expect(step?.settings).toEqual({ min_lines: 2, marker_mode: 'full' });
    expect(step?.stashes).toBe(true);
    expect(config.text).toContain(`use: ${example}`);
    const { messages } = conversation('anthropic', [
      { kind: 'user', text: 'Fix it.' },
      {
        kind: 'exchange',
        calls: [{ id: 'a', result: `line\nError: x.ts is gone\n${'fine\n'.repeat(60)}` }],
      },
    ]);
    const [turn] = await replayLists([messages], { dialect: 'anthropic', steps: config.steps });
    expect(turn?.report.kind).toBe('changed');
    expect(turn?.inserted[0]?.raw).toMatch(/"Error: x\.ts is gone\\n<<cg:[0-9a-f]{16}>>"/);
  });

  it('stands under any key, beside components of the build and others of its own', async () => {
    const config = await only(
      `pipeline: [mask, one, two]\ncomponents: {one: {use: ${example}}, two: {use: ${example}, min_lines: 3}}`,
    );
    expect(config.steps.map(({ key }) => key)).toEqual(['mask', 'one', 'two']);
    const { messages } = conversation('openai-chat', workSession('openai-chat', 3));
    await replayLists([messages], { dialect: 'openai-chat', steps: config.steps });
  });

  it('may be varied by a matrix and by --set', async () => {
    const inline = `pipeline: [mine]\ncomponents: {mine: {use: ${example}}}\nmatrix: {components.mine.min_lines: [1, 2]}`;
    const { configs } = await load({ inline, sets: ['components.mine.marker_mode=full,off'] });
    expect(configs.map(({ steps }) => steps[0]?.settings)).toEqual([
      { min_lines: 1, marker_mode: 'full' },
      { min_lines: 1, marker_mode: 'off' },
      { min_lines: 2, marker_mode: 'full' },
      { min_lines: 2, marker_mode: 'off' },
    ]);
  });

  it('comes down from the document that another builds on', async () => {
    const folder = temporaryFolder();
    const path = relative(folder, resolve(example));
    writeFileSync(
      join(folder, 'base.yaml'),
      `pipeline: [mine]\ncomponents: {mine: {use: ${path}, min_lines: 7}}`,
    );
    writeFileSync(
      join(folder, 'derived.yaml'),
      'preset: base\ncomponents: {mine: {marker_mode: off}}',
    );
    writeFileSync(join(folder, 'wrong.yaml'), 'preset: base\ncomponents: {mien: {}}');
    const { configs } = await load({ names: ['derived'], folder });
    expect(configs[0]?.steps[0]?.settings).toEqual({ min_lines: 7, marker_mode: 'off' });
    const error = await failure({ names: ['wrong'], folder });
    expect(error.code).toBe('config.component');
    expect(error.message).toContain('did you mean "mine"?');
  });

  it('tells a wrong setting where it stands', async () => {
    const inline = `pipeline: [mine]\ncomponents: {mine: {use: ${example}, min_line: 2}}`;
    const error = await failure({ inline });
    expect(error.code).toBe('config.key');
    expect(error.message).toContain('did you mean "min_lines"?');
  });

  it('changes the hash of its config with its code, that of its helpers too', async () => {
    const folder = temporaryFolder();
    const helper = join(folder, 'helper.ts');
    const file = join(folder, 'mine.ts');
    const text = readFileSync(example, 'utf8').replace(
      "'compaction-harness'",
      `'${relative(folder, resolve('src/api.ts'))}'`,
    );
    const codeOf = async (main: string, help: string) => {
      writeFileSync(helper, help);
      writeFileSync(file, main);
      return (await loadComponent(file)).code;
    };
    const main = `import { one } from './helper.ts';\n${text}\nexport const two = one;`;
    const first = await codeOf(main, 'export const one = 1;');
    expect(await codeOf(main, 'export const one = 1;')).toBe(first);
    expect(await codeOf(main, 'export const one = 2;')).not.toBe(first);
    expect(await codeOf(`${main}\n`, 'export const one = 1;')).not.toBe(first);
    const hashes = await Promise.all(
      [example, faulty].map(async (use) => {
        const config = await only(`pipeline: [mine]\ncomponents: {mine: {use: ${use}}}`);
        return config.hash;
      }),
    );
    expect(new Set(hashes).size).toBe(2);
  });

  const body = `name: 'mine', kind: 'offload', about: 'Says so.', version: 1, timeLimit: 10, config: z.strictObject({}), compact: async () => ({ kind: 'skipped', gate: 'never' })`;
  it.each([
    ['no default export', 'export const mine = 1;', 'no default export'],
    ['a number', 'export default 7;', 'is no component'],
    ['an object', 'export default { name: "x" };', 'compact: missing'],
    [
      'no version',
      `import { z } from 'compaction-harness';\nexport default { ${body.replace('version: 1, ', '')} };`,
      'version: missing',
    ],
    [
      'a kind that is none',
      `import { z } from 'compaction-harness';\nexport default { ${body.replace("'offload'", "'compress'")} };`,
      'kind: expected reformat or offload',
    ],
    [
      'a config that lets typos pass',
      `import { z } from 'compaction-harness';\nexport default { ${body.replace('strictObject', 'object')} };`,
      'z.strictObject',
    ],
    ['a syntax error', 'export default {', 'cannot be loaded'],
    ['an exception', 'throw new Error("no such luck");', 'no such luck'],
    ['a missing import', "import './gone.ts';\nexport default 1;", 'cannot be loaded'],
  ])('with %s is refused', async (_, text, said) => {
    const file = written(text);
    const error = await refusal(file);
    expect(error.code).toBe('config.component');
    expect(error.message).toContain(said);
    expect(error.at?.file).toBe(file);
  });

  it('that is not there is refused', async () => {
    const error = await refusal('test/support/components/none.ts');
    expect(error.code).toBe('config.component');
    expect(error.message).toContain('cannot be read');
  });

  it('loads outside of the project under the command line as well', async () => {
    const file = written(readFileSync(example, 'utf8'));
    const document = join(file, '..', 'doc.yaml');
    writeFileSync(document, 'pipeline: [mine]\ncomponents: {mine: {use: ./mine.ts}}');
    const words = ['tsx', 'src/cli.ts', 'sweep', '--config', document, '--list'];
    const { stdout } = await promisify(execFile)('npx', words);
    expect(stdout).toContain('mine {"min_lines":20,"marker_mode":"full"}');
  });
});

describe('the contract suite', () => {
  it('passes the example', async () => {
    const options = {
      dialect: 'anthropic',
      runs: 60,
      seed: 1,
      leastFired: 0.1,
      guardOnly: guardOnlyOfOwn,
    } as const;
    const result = await contractSuite(await subject(example), options);
    expect(result.failure?.message).toBeUndefined();
    expect(result.fired).toBeGreaterThan(0);
  });

  it.each(['anthropic', 'openai-chat'] as const)(
    'catches a faulty one, with a shrunk counterexample (%s)',
    async (dialect) => {
      const result = await contractSuite(await subject(faulty), {
        ...{ dialect, runs: 60, seed: 1, guardOnly: guardOnlyOfOwn },
      });
      expect(result.failure?.property).toBe('valid');
      expect(result.failure?.rules.join()).toMatch(/PAIR/);
      const steps = result.failure?.counterexample.split('\n  [').length ?? 0;
      expect(steps).toBeLessThan(7);
    },
  );
});
