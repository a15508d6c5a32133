import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listDocuments } from '../../src/compaction/preset.ts';
import { settableKeys } from '../../src/compaction/settable.ts';
import { summarizeConfig } from '../../src/compaction/summarize-config.ts';
import { load, only } from './preset-support.ts';

const LARGE = {
  keep_last: 3,
  min_tokens: 1000,
  resummarize_tokens: 5000,
  trigger: { min_request_tokens: 6000, min_messages: 10 },
};

describe('the shipped documents', () => {
  const shipped: [string, unknown][] = [
    ['cg-summarize', LARGE],
    [
      'cg-summarize-small',
      {
        keep_last: 3,
        min_tokens: 500,
        resummarize_tokens: 1500,
        trigger: { min_request_tokens: 2000, min_messages: 10 },
      },
    ],
    ['cg-summarize-concise', { ...LARGE, summary_level: 'concise' }],
    ['cg-summarize-detailed', { ...LARGE, summary_level: 'highly_detailed' }],
  ];

  it.each(shipped)('%s has the settings of the design', async (name, settings) => {
    const { configs, notices } = await load({ names: [name] });
    expect(notices).toEqual([]);
    expect(configs.map((config) => config.name)).toEqual([name]);
    expect(configs[0]?.source).toBe(join('sweeps', `${name}.yaml`));
    expect(configs[0]?.steps.map(({ key }) => key)).toEqual(['summarize']);
    expect(configs[0]?.steps[0]?.settings).toEqual(summarizeConfig.parse(settings));
  });

  it('baseline is the empty pipeline', async () => {
    const { configs } = await load({ names: ['baseline'] });
    expect(configs.map(({ name, steps }) => ({ name, steps }))).toEqual([
      { name: 'baseline', steps: [] },
    ]);
  });

  it('all of them load together, with distinct hashes and a sentence each', async () => {
    const documents = await listDocuments('sweeps');
    const { configs } = await load({ names: ['all'] });
    const alone = documents.filter(({ name }) => !/^(?:control|external)-/.test(name));
    expect(configs.map(({ name, about }) => ({ name, about }))).toEqual(
      alone.map(({ name, about }) => ({ name, about })),
    );
    expect(documents.length).toBeGreaterThan(alone.length);
    expect(new Set(configs.map(({ hash }) => hash)).size).toBe(configs.length);
    for (const { about } of documents) expect(about).toMatch(/^[A-Z].{20,}\.$/);
  });
});

describe('--set', () => {
  it('makes each combination a config of its own and leaves baseline alone', async () => {
    const { configs } = await load({
      names: ['baseline', 'cg-summarize'],
      sets: [
        'components.summarize.keep_last=1,3,5',
        'components.summarize.summary_level=concise,regular',
      ],
    });
    const [baseline, ...others] = configs;
    expect(baseline?.name).toBe('baseline');
    expect(others.map(({ name }) => name)).toEqual(
      [1, 3, 5].flatMap((keep) =>
        ['concise', 'regular'].map(
          (level) => `cg-summarize:keep_last=${keep}:summary_level=${level}`,
        ),
      ),
    );
    expect(new Set(others.map(({ hash }) => hash)).size).toBe(6);
    expect(others[0]?.steps[0]?.settings).toMatchObject({
      keep_last: 1,
      summary_level: 'concise',
      trigger: { min_messages: 10 },
    });
  });

  it('names a single value too, and reaches nested keys and quoted values', async () => {
    const { configs } = await load({
      names: ['cg-summarize'],
      sets: [
        'components.summarize.trigger.min_messages=0',
        'components.summarize.model.model="a,b",c/d-1',
      ],
    });
    expect(configs.map(({ name }) => name)).toEqual([
      'cg-summarize:min_messages=0:model="a,b"',
      'cg-summarize:min_messages=0:model=c/d-1',
    ]);
    expect(configs[0]?.steps[0]?.settings).toMatchObject({
      model: { model: 'a,b' },
      trigger: { min_messages: 0, min_request_tokens: 6000 },
    });
  });

  it('replaces the values of a matrix over the same key', async () => {
    const inline = `
pipeline: [summarize]
matrix:
  components.summarize.keep_last: [1, 2]
  components.summarize.min_tokens: [10, 20]
`;
    const { configs } = await load({ inline, sets: ['components.summarize.keep_last=7'] });
    expect(configs.map(({ name }) => name)).toEqual([
      'env:keep_last=7:min_tokens=10',
      'env:keep_last=7:min_tokens=20',
    ]);
  });

  const samples = [
    'concise',
    'highly_detailed',
    1,
    0.5,
    true,
    false,
    'openai',
    'config',
    'summary',
  ];
  const keys = settableKeys(['summarize']);
  it.each(keys)('changes the hash when %s changes', async (key) => {
    const inline = 'pipeline: [summarize]';
    const { hash } = await only(inline);
    const hashes: string[] = [];
    for (const value of samples) {
      // A value of another type is refused; every key accepts some of the samples.
      const loaded = await load({ inline, sets: [`${key}=${value}`] }).catch(() => undefined);
      hashes.push(...(loaded?.configs.map((config) => config.hash) ?? []));
    }
    expect(hashes.some((other) => other !== hash)).toBe(true);
  });
});

describe('matrix', () => {
  it('takes excluded combinations out and adds included ones', async () => {
    const inline = `
name: sweep
pipeline: [summarize]
matrix:
  components.summarize.keep_last: [1, 3]
  components.summarize.summary_level: [concise, regular]
  exclude:
    - {components.summarize.keep_last: 1, components.summarize.summary_level: regular}
  include:
    - components.summarize.min_tokens: 9
`;
    const { configs } = await load({ inline });
    expect(configs.map(({ name }) => name)).toEqual([
      'sweep:keep_last=1:summary_level=concise',
      'sweep:keep_last=3:summary_level=concise',
      'sweep:keep_last=3:summary_level=regular',
      'sweep:min_tokens=9',
    ]);
    expect(configs[3]?.steps[0]?.settings).toMatchObject({ min_tokens: 9, keep_last: 3 });
  });

  it('varies the model of every component by the key of the document', async () => {
    const inline = 'pipeline: [summarize]\nmatrix: {model.model: [one, two]}';
    const { configs } = await load({ inline });
    expect(configs.map(({ name }) => name)).toEqual(['env:model=one', 'env:model=two']);
    expect(configs[1]?.steps[0]?.settings).toMatchObject({ model: { model: 'two' } });
  });
});

describe('documents', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'configs-'));
    const documents: Record<string, string> = {
      base: `
pipeline: [summarize]
model: {model: from-base, provider: openai}
components: {summarize: {keep_last: 9, trigger: {min_messages: 4, min_request_tokens: 50}}}
matrix: {components.summarize.keep_last: [1, 2]}
`,
      derived: `
preset: base
model: {model: from-derived}
components: {summarize: {trigger: {min_messages: 7}}}
`,
      emptied: 'preset: base\npipeline: []',
      renamed: 'name: another\npipeline: []',
      twin: 'name: base:keep_last=1\npipeline: [summarize]',
      gate: 'max_regressions: 0',
    };
    for (const [name, text] of Object.entries(documents)) {
      await writeFile(join(folder, `${name}.yaml`), text);
    }
    await writeFile(join(folder, 'notes.txt'), 'no config');
  });
  afterAll(() => rm(folder, { recursive: true }));

  it('lays a document over its base, key by key and without its matrix', async () => {
    const { configs, notices } = await load({ folder, names: ['derived'] });
    expect(configs.map(({ steps }) => steps[0]?.settings)).toEqual([
      summarizeConfig.parse({
        keep_last: 9,
        trigger: { min_messages: 7, min_request_tokens: 50 },
        model: { model: 'from-derived', provider: 'openai' },
      }),
    ]);
    expect(notices.join()).toContain('matrix of its preset base is not taken over');
  });

  it('lets a document replace the pipeline of its base', async () => {
    const { configs } = await load({ folder, names: ['emptied'] });
    expect(configs.map(({ steps }) => steps)).toEqual([[]]);
  });

  it('goes by its own name, with a notice when the file has another', async () => {
    const { configs, notices } = await load({ folder, names: ['renamed'] });
    expect(configs[0]?.name).toBe('another');
    expect(notices.join()).toMatch(/renamed\.yaml:1: .*"renamed".*"another"/);
  });

  it('lists configs only', async () => {
    const listed = await listDocuments(folder);
    expect(listed.map(({ name }) => name)).toEqual([
      'base',
      'derived',
      'emptied',
      'another',
      'base:keep_last=1',
    ]);
  });

  it('refuses two configs of one name with different content, and takes the same one once', async () => {
    const file = join(folder, 'derived.yaml');
    const { configs } = await load({ folder, names: ['derived', file, 'derived'] });
    expect(configs).toHaveLength(1);
    await expect(load({ folder, names: ['base', 'twin'] })).rejects.toMatchObject({
      code: 'config.value',
      message: expect.stringContaining('base:keep_last=1'),
    });
  });

  it('notices equal settings under two names', async () => {
    const inline =
      'preset: base\nmodel: {model: from-derived}\ncomponents: {summarize: {trigger: {min_messages: 7}}}';
    const { configs, notices } = await load({ folder, inline, names: ['env', 'derived'] });
    expect(configs[0]?.hash).toBe(configs[1]?.hash);
    expect(notices.join()).toContain('env, derived: the same settings');
  });
});

describe('CONTEXT_GURU_CONFIG_YAML', () => {
  const inline = 'pipeline: []';

  it('is used when nothing is named, or by its name', async () => {
    expect((await load({ inline })).configs.map(({ name }) => name)).toEqual(['env']);
    const { configs } = await load({ inline, names: ['baseline', 'env'] });
    expect(configs.map(({ name }) => name)).toEqual(['baseline', 'env']);
    expect(configs[1]?.source).toBe('CONTEXT_GURU_CONFIG_YAML');
    expect((await load({})).configs).toEqual([]);
  });

  it('is left aside with a notice when others are named', async () => {
    const { configs, notices } = await load({ inline, names: ['baseline'] });
    expect(configs.map(({ name }) => name)).toEqual(['baseline']);
    expect(notices.join()).toContain('--config env');
  });

  it('takes the keys of a gateway and blocks outside the pipeline with a notice', async () => {
    const hosted =
      'store: {kind: x}\nmode: y\nobserve: 1\ncache: []\npipeline: []\ncomponents:\n  summarize:\n';
    const { notices } = await load({ inline: hosted });
    for (const [index, key] of ['store', 'mode', 'observe', 'cache'].entries()) {
      expect(notices[index]).toMatch(
        new RegExp(`^CONTEXT_GURU_CONFIG_YAML:${index + 1}: "${key}"`),
      );
    }
    expect(notices[4]).toMatch(/:7: summarize is not in the pipeline/);
  });

  it('reads a byte order mark, Windows line ends, anchors and aliases', async () => {
    const text =
      '\uFEFFpipeline: &p [summarize]\r\ncache: *p\r\ncomponents:\r\n  summarize: {keep_last: &k 4, min_tokens: *k}\r\n';
    expect((await only(text)).steps[0]?.settings).toMatchObject({ keep_last: 4, min_tokens: 4 });
  });
});

describe('CHEAP_MODEL*', () => {
  const cheapModel = {
    model: 'small',
    provider: 'openai',
    base: 'http://localhost:1',
    key: 'secret-key',
    auth: 'bearer',
  };

  it('fills what a block with source config leaves out', async () => {
    const text =
      'pipeline: [summarize]\ncomponents: {summarize: {model: {source: config, model: own}}}';
    const { steps } = await only(text, { cheapModel });
    expect(steps[0]?.settings).toMatchObject({
      model: {
        source: 'config',
        model: 'own',
        provider: 'openai',
        base_url: 'http://localhost:1',
        api_key: 'secret-key',
        auth: 'bearer',
      },
    });
  });

  it('does not touch other blocks, and an empty variable counts as unset', async () => {
    const incoming = await only('pipeline: [summarize]', { cheapModel });
    expect(incoming.steps[0]?.settings).toEqual(summarizeConfig.parse({}));
    const text = 'pipeline: [summarize]\nmodel: {source: config}';
    const unset = await only(text, { cheapModel: { model: '', key: '' } });
    expect(unset.steps[0]?.settings).toEqual(
      summarizeConfig.parse({ model: { source: 'config' } }),
    );
  });

  it('names the variable of a wrong value, and never shows a secret', async () => {
    const text = 'pipeline: [summarize]\nmodel: {source: config}';
    await expect(only(text, { cheapModel: { provider: 'opnai' } })).rejects.toMatchObject({
      code: 'config.value',
      at: { file: 'CHEAP_MODEL_PROVIDER' },
      message: expect.stringContaining('did you mean "openai"?'),
    });
    await expect(only(text, { cheapModel: { auth: 'secret-key' } })).rejects.toMatchObject({
      at: { file: 'CHEAP_MODEL_AUTH' },
      message: expect.not.stringContaining('secret-key'),
    });
  });

  it('keeps keys out of text and hash, and connection data out of the hash', async () => {
    const text = 'pipeline: [summarize]\nmodel: {source: config, model: m, provider: openai}';
    const plain = await only(text);
    const connected = await only(text, {
      cheapModel: { base: 'https://user:secret-key@host/v1?token=secret-key', key: 'secret-key' },
    });
    expect(connected.hash).toBe(plain.hash);
    expect(connected.text).not.toContain('secret-key');
    expect(connected.text).toContain('base_url: https://host/v1');
  });
});
