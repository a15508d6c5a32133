import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from './preset-support.ts';

const ENV = 'CONTEXT_GURU_CONFIG_YAML';

interface Mistake {
  readonly title: string;
  readonly text: string;
  readonly code: string;
  /** `line:column` of the mistake; empty where the whole text is meant. */
  readonly place: string;
  /** Parts of the message. */
  readonly says: readonly string[];
}

const summarize = (settings: string) =>
  `pipeline: [summarize]\ncomponents:\n  summarize: ${settings}`;
const matrix = (entry: string) => `pipeline: [summarize]\nmatrix:\n  ${entry}`;

const mistakes: Mistake[] = [
  {
    title: 'an unknown top-level key',
    text: 'pipeline: []\npipelin: []',
    code: 'config.key',
    place: '2:1',
    says: ['"pipelin"', 'did you mean "pipeline"?'],
  },
  {
    title: 'an unknown setting',
    text: summarize('{keep_lsat: 3}'),
    code: 'config.key',
    place: '3:15',
    says: ['"components.summarize.keep_lsat"', 'did you mean "keep_last"?', 'marker_mode'],
  },
  {
    title: 'an unknown nested setting',
    text: summarize('\n    trigger:\n      min_mesages: 3'),
    code: 'config.key',
    place: '5:7',
    says: ['"components.summarize.trigger.min_mesages"', 'did you mean "min_messages"?'],
  },
  {
    title: 'an unknown key of the shared model block',
    text: 'pipeline: [summarize]\nmodel: {modle: x}',
    code: 'config.key',
    place: '2:9',
    says: ['"model.modle"', 'did you mean "model"?'],
  },
  {
    title: 'a value outside a list',
    text: summarize('{summary_level: concize}'),
    code: 'config.value',
    place: '3:30',
    says: ['found "concize"', 'one of concise, regular, highly_detailed', 'mean "concise"?'],
  },
  {
    title: 'a number below its bound',
    text: summarize('{keep_last: -1}'),
    code: 'config.value',
    place: '3:26',
    says: ['components.summarize.keep_last: found -1', 'a whole number, at least 0'],
  },
  {
    title: 'a fraction that is none',
    text: summarize('{trigger: {min_request_frac: 1.5}}'),
    code: 'config.value',
    place: '3:43',
    says: ['found 1.5', 'a number, at least 0 and at most 1'],
  },
  {
    title: 'an integer that is too large',
    text: summarize('{keep_last: 1e20}'),
    code: 'config.value',
    place: '3:26',
    says: ['at most 9007199254740991'],
  },
  {
    title: 'a word that YAML 1.2 does not read as a boolean',
    text: summarize('{include_tool_calls: yes}'),
    code: 'config.value',
    place: '3:35',
    says: ['found "yes"', 'true or false'],
  },
  {
    title: 'a list in the place of a value',
    text: summarize('{keep_last: [1, 3]}'),
    code: 'config.value',
    place: '3:26',
    says: ['found a list'],
  },
  {
    title: 'a value in the place of a block',
    text: summarize('{trigger: 5}'),
    code: 'config.value',
    place: '3:24',
    says: ['components.summarize.trigger: found a number', 'min_request_tokens'],
  },
  {
    title: 'an unknown component in the pipeline',
    text: 'pipeline: [summarise]',
    code: 'config.component',
    place: '1:12',
    says: ['"summarise"', 'did you mean "summarize"?'],
  },
  {
    title: 'an unknown component in a block',
    text: 'pipeline: []\ncomponents:\n  tokenpress: {}',
    code: 'config.component',
    place: '3:3',
    says: ['no component "tokenpress" in this build', 'Components: ', 'summarize'],
  },
  {
    title: 'a component twice in the pipeline',
    text: 'pipeline: [summarize, summarize]',
    code: 'config.value',
    place: '1:23',
    says: ['twice'],
  },
  {
    title: 'a mistake in a block outside the pipeline',
    text: 'pipeline: []\ncomponents: {summarize: {keep_last: x}}',
    code: 'config.value',
    place: '2:37',
    says: ['found "x"'],
  },
  {
    title: "a component of the user's own that is not there",
    text: 'pipeline: []\ncomponents: {mine: {use: ./mine.ts}}',
    code: 'config.component',
    place: '2:26',
    says: ['./mine.ts', 'cannot be read'],
  },
  {
    title: 'a component of the build by another path',
    text: 'pipeline: []\ncomponents: {mask: {use: ./mine.ts}}',
    code: 'config.component',
    place: '2:21',
    says: ['"mask"', 'another name'],
  },
  {
    title: 'an expand tool that is injected at another time',
    text: 'pipeline: []\nexpand: {inject: alwais}',
    code: 'config.value',
    place: '2:18',
    says: ['auto, always, never', 'did you mean "always"?'],
  },
  {
    title: 'neither pipeline nor preset',
    text: 'about: nothing',
    code: 'config.value',
    place: '1:1',
    says: ['"pipeline"', '"preset"'],
  },
  {
    title: 'an empty pipeline key',
    text: 'pipeline:',
    code: 'config.value',
    place: '1:10',
    says: ['found nothing, expected a list'],
  },
  {
    title: 'an unknown base',
    text: 'preset: cg-sumarize',
    code: 'config.missing',
    place: '1:9',
    says: ['did you mean "cg-summarize"?', 'baseline'],
  },
  {
    title: 'a name of two lines',
    text: 'name: "a\\nb"\npipeline: []',
    code: 'config.value',
    place: '1:7',
    says: ['a text of one line'],
  },
  {
    title: 'a matrix over an unknown key',
    text: matrix('components.summarize.keep_lst: [1]'),
    code: 'config.key',
    place: '3:3',
    says: ['did you mean "components.summarize.keep_last"?'],
  },
  {
    title: 'a matrix over a key of a component that does not run',
    text: 'pipeline: []\nmatrix: {components.summarize.keep_last: [1]}',
    code: 'config.key',
    place: '2:10',
    says: ["no component of this document's pipeline"],
  },
  {
    title: 'a matrix over a block',
    text: matrix('components.summarize.trigger: [1]'),
    code: 'config.key',
    place: '3:3',
    says: ['components.summarize.trigger.min_messages'],
  },
  {
    title: 'a matrix without a list',
    text: matrix('components.summarize.keep_last: 3'),
    code: 'config.value',
    place: '3:35',
    says: ['[1, 3]'],
  },
  {
    title: 'a wrong value in a matrix',
    text: matrix('components.summarize.keep_last: [1, -2]'),
    code: 'config.value',
    place: '3:39',
    says: ['components.summarize.keep_last: found -2'],
  },
  {
    title: 'a value twice in a matrix',
    text: matrix('components.summarize.keep_last: [1, 0x1]'),
    code: 'config.value',
    place: '3:39',
    says: ['twice'],
  },
  {
    title: 'an excluded value that the matrix does not have',
    text: matrix(
      'components.summarize.keep_last: [1, 2]\n  exclude: [{components.summarize.keep_last: 4}]',
    ),
    code: 'config.value',
    place: '4:46',
    says: ['"4" is no value of its list'],
  },
  {
    title: 'an included key that does not exist',
    text: matrix('include: [{components.summarize.keep_lst: 4}]'),
    code: 'config.key',
    place: '3:14',
    says: ['keep_last'],
  },
  {
    title: 'a matrix that excludes all it has',
    text: matrix(
      'components.summarize.keep_last: [1]\n  exclude: [{components.summarize.keep_last: 1}]',
    ),
    code: 'config.value',
    place: '2:1',
    says: ['no combination is left'],
  },
  {
    title: 'an empty matrix',
    text: 'pipeline: [summarize]\nmatrix: {}',
    code: 'config.value',
    place: '2:9',
    says: ['no list'],
  },
  {
    title: 'a matrix over an API key',
    text: matrix('components.summarize.model.api_key: [SECRET, SECRET2]'),
    code: 'config.key',
    place: '3:3',
    says: ['changes no result'],
  },
  {
    title: 'a key twice',
    text: summarize('\n    keep_last: 1\n    keep_last: 2'),
    code: 'config.syntax',
    place: '5:5',
    says: ['"components.summarize.keep_last"', 'first in line 4'],
  },
  {
    title: 'a tab',
    text: 'pipeline:\n\t- summarize',
    code: 'config.syntax',
    place: '2:1',
    says: ['tab'],
  },
  {
    title: 'a bracket that is not closed',
    text: 'about: x\npipeline: [summarize\n',
    code: 'config.syntax',
    place: '3:1',
    says: ['not valid YAML', 'not closed'],
  },
  {
    title: 'a colon without a space',
    text: 'pipeline:[]',
    code: 'config.syntax',
    place: '1:1',
    says: ['space after a colon'],
  },
  {
    title: 'two documents',
    text: 'pipeline: []\n---\npipeline: []',
    code: 'config.syntax',
    place: '2:1',
    says: ['second document'],
  },
  { title: 'an empty text', text: '', code: 'config.syntax', place: '1:1', says: ['empty'] },
  {
    title: 'a text of comments',
    text: '# nothing\n',
    code: 'config.syntax',
    place: '1:1',
    says: ['empty'],
  },
  { title: 'a list', text: '- a', code: 'config.syntax', place: '1:1', says: ['found a list'] },
  {
    title: 'an unknown tag',
    text: 'pipeline: !secret []',
    code: 'config.syntax',
    place: '1:11',
    says: ['tag'],
  },
  {
    title: 'an alias without an anchor',
    text: 'pipeline: *missing',
    code: 'config.syntax',
    place: '1:11',
    says: ['without an anchor'],
  },
  {
    title: 'a structure as a key',
    text: '? [a]\n: 1\npipeline: []',
    code: 'config.key',
    place: '1:3',
    says: ['plain text'],
  },
  {
    title: 'a merge key, which YAML 1.2 does not have',
    text: 'pipeline: []\n<<: {about: x}',
    code: 'config.key',
    place: '2:1',
    says: ['"<<"'],
  },
  {
    title: '__proto__ as a key',
    text: summarize('\n    trigger:\n      __proto__: {min_messages: 1}'),
    code: 'config.key',
    place: '5:7',
    says: ['__proto__'],
  },
  {
    title: 'constructor as a key',
    text: summarize('{constructor: {name: x}}'),
    code: 'config.key',
    place: '3:15',
    says: ['"components.summarize.constructor"'],
  },
  {
    title: 'toString as a component',
    text: 'pipeline: [toString]',
    code: 'config.component',
    place: '1:12',
    says: ['"toString"'],
  },
];

describe('a document with', () => {
  it.each(mistakes)('$title', async ({ text, code, place, says }) => {
    const error = await failure({ inline: text });
    expect(error.code).toBe(code);
    expect(error.describe().startsWith(`${ENV}:${place}: `), error.describe()).toBe(true);
    for (const part of says) expect(error.message).toContain(part);
    expect(error.message).not.toContain('SECRET');
    expect(error.message.split('\n')).toHaveLength(1);
  });

  it('many mistakes lists them all, by line', async () => {
    const text = `
pipeline: [summarize, summarise]
modle: {}
components:
  summarize:
    keep_last: three
    trigger: {min_message: 1}
matrix:
  components.summarize.min_tokenz: [1]
`;
    const error = await failure({ inline: text });
    const lines = error.describe().split('\n');
    expect(lines.map((line) => line.replace(/^[A-Z_]+:(\d+):.*$/, '$1'))).toEqual([
      '2',
      '3',
      '6',
      '7',
      '9',
    ]);
    expect(error.at).toEqual({ file: ENV, line: 2, column: 23, key: 'pipeline[1]' });
  });
});

describe('a hostile document', () => {
  const nested = (open: string, close: string, depth: number) =>
    `pipeline: []\nstore: ${open.repeat(depth)}${close.repeat(depth)}`;
  const laughs = Array.from({ length: 30 }, (_, level) =>
    level === 0 ? 'l0: &l0 [x]' : `l${level}: &l${level} [*l${level - 1}, *l${level - 1}]`,
  );
  const cases: [string, string, string][] = [
    ['with deep lists', nested('[', ']', 200), 'nested deeper'],
    ['with lists deeper than the parser goes', nested('[', ']', 100_000), 'nested deeper'],
    ['with deep mappings', nested('{a: ', '}', 5_000), 'nested deeper'],
    ['that contains itself', 'pipeline: []\nstore: &a [*a]', 'nested deeper'],
    ['whose aliases explode', `store:\n  ${laughs.join('\n  ')}`, 'aliases'],
    ['of a million bytes', `about: ${'x'.repeat(1_000_000)}`, '256 KiB'],
  ];
  it.each(cases)('%s ends in a short error', async (_, text, says) => {
    const started = performance.now();
    const error = await failure({ inline: text });
    expect(error.code).toBe('config.syntax');
    expect(error.message).toContain(says);
    expect(error.message.length).toBeLessThan(1_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('an API key stays out of the message', () => {
  const texts = [
    summarize('{model: {api_key: [SECRET]}}'),
    summarize('{model: {api_key:SECRET}}'),
    summarize('{model: {auth: SECRET}}'),
    summarize('{model: {base_url: SECRET}}'),
    summarize('{model: SECRET}'),
    summarize('\n    model:\n      api_key:SECRET'),
    summarize('{model: {api_key: SECRET, provider: x}}'),
    summarize('{model: {api_key: "SECRET" SECRET}}'),
    summarize('{model: {api_key: "SECRET\n}}'),
    summarize('\n    model:\n      api_key: SECRET\n     SECRET: x'),
    `${summarize('{}')}\nmodel: {api_key: {a: SECRET}}`,
    'api_key: SECRET\npipeline: []',
  ];
  it.each(texts)('of %j', async (text) => {
    const error = await failure({ inline: text });
    expect(error.describe()).not.toContain('SECRET');
    expect(JSON.stringify(error.at)).not.toContain('SECRET');
  });

  it.each(['model.api_key=SECRET', 'model.api_key:SECRET', 'model.apikey=SECRET'])(
    'of --set %s',
    async (set) => {
      const error = await failure({
        names: ['cg-summarize'],
        sets: [`components.summarize.${set}`],
      });
      expect(error.describe()).not.toContain('SECRET');
    },
  );
});

describe('--set', () => {
  const KEEP = 'components.summarize.keep_last';
  const cases: [string[], string[], string, string[]][] = [
    [['cg-summarize'], ['components.summarize.kep_last=1'], 'config.key', [`mean "${KEEP}"?`]],
    [['cg-summarize'], ['keep_last=1'], 'config.key', [`did you mean "${KEEP}"?`]],
    [['cg-summarize'], ['components.summarise.keep_last=1'], 'config.key', [`"${KEEP}"?`]],
    [['baseline'], [`${KEEP}=1`], 'config.key', ['no selected config has it', 'baseline']],
    [[], [`${KEEP}=1`], 'config.key', ['Selected: none']],
    [['cg-summarize'], [`${KEEP}=1,x`], 'config.value', [KEEP, 'found "x"', 'whole number']],
    [['cg-summarize'], [`${KEEP}=1`, `${KEEP}=2`], 'usage', ['set twice']],
    [['cg-summarize'], [`${KEEP}=1,1`], 'usage', ['given twice']],
    [['cg-summarize'], [KEEP], 'usage', ['KEY=V1,V2']],
    [['cg-summarize'], [`${KEEP}=`], 'usage', ['KEY=V1,V2']],
    [['cg-summarize'], [`${KEEP}=1,`], 'usage', ['KEY=V1,V2']],
    [['cg-summarize'], [`${KEEP}=1,,2`], 'usage', ['KEY=V1,V2']],
    [['cg-summarize'], [`${KEEP}=1], [2`], 'usage', ['KEY=V1,V2']],
    [['cg-summarize'], [`${KEEP}={a: 1}`], 'usage', ['single values']],
    [['cg-summarize'], ['=1'], 'usage', ['KEY=V1,V2']],
  ];
  it.each(cases)('%j with --set %j', async (names, sets, code, says) => {
    const error = await failure({ names, sets });
    expect(error.code).toBe(code);
    expect(error.describe()).toMatch(/^--set: /);
    for (const part of says) expect(error.message).toContain(part);
  });

  it('stops at ten thousand configs before making them', async () => {
    const numbers = Array.from({ length: 101 }, (_, index) => index).join(',');
    const sets = ['keep_last', 'min_tokens', 'resummarize_tokens', 'start_from_message'].map(
      (key) => `components.summarize.${key}=${numbers}`,
    );
    const error = await failure({ names: ['cg-summarize'], sets });
    expect(error.code).toBe('config.value');
    expect(error.message).toContain(`${101 ** 4} combinations, at most 10000`);
  });
});

describe('a missing or broken file', () => {
  let folder = '';
  const file = (name: string) => join(folder, name);
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'broken-configs-'));
    await mkdir(file('folder.yaml'));
    await writeFile(file('binary.yaml'), Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff));
    await writeFile(file('one.yaml'), 'preset: two');
    await writeFile(file('two.yaml'), 'preset: one');
    await writeFile(
      file('bad-base.yaml'),
      'pipeline: [summarize]\ncomponents: {summarize: {x: 1}}',
    );
    await writeFile(file('on-bad-base.yaml'), 'preset: bad-base');
    await writeFile(file('typo.yaml'), 'pipelines: []');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('names the nearest config and all there are', async () => {
    const error = await failure({ names: ['cg-sumarize'] });
    expect(error.code).toBe('config.missing');
    expect(error.message).toContain('did you mean "cg-summarize"?');
    expect(error.message).toMatch(/baseline, .*cg-summarize, cg-summarize-concise/);
  });

  it('tells a missing file, folder, directory and binary file apart', async () => {
    const cases: [string, string, string][] = [
      [file('nothing.yaml'), 'config.missing', 'no such file'],
      ['folder', 'config.missing', 'found a folder'],
      ['binary', 'config.syntax', 'not UTF-8'],
    ];
    for (const [name, code, says] of cases) {
      const error = await failure({ folder, names: [name] });
      expect([error.code, error.message]).toEqual([code, expect.stringContaining(says)]);
    }
    const error = await failure({ folder: file('nowhere'), names: ['all'] });
    expect([error.code, error.message]).toEqual([
      'config.missing',
      expect.stringContaining('Configs there: none'),
    ]);
    const unset = await failure({ names: ['env'] });
    expect([unset.code, unset.message]).toEqual(['config.missing', expect.stringContaining(ENV)]);
  });

  it('shows the circle of documents that build on one another', async () => {
    const error = await failure({ folder, names: ['one'] });
    expect(error.at).toMatchObject({ file: file('two.yaml'), line: 1 });
    expect(error.message).toContain('one.yaml → two.yaml → one.yaml');
  });

  it('places a mistake of the base in the base, once', async () => {
    const error = await failure({ folder, names: ['bad-base', 'on-bad-base'] });
    expect(error.at).toMatchObject({ file: file('bad-base.yaml'), line: 2, column: 26 });
    expect(error.message.split('\n')).toHaveLength(1);
  });

  it('lists the mistakes of several documents together', async () => {
    const error = await failure({ folder, names: ['typo', 'bad-base', 'nothing-like-it'] });
    expect(error.describe().split('\n')).toHaveLength(3);
  });
});
