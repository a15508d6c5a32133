import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/compaction/config.ts';
import { temporaryFolder } from '../support/folder.ts';
import { failure, load, only } from './preset-support.ts';

function named(configs: readonly Config[], name: string): Config {
  const found = configs.find((config) => config.name === name);
  if (found === undefined) throw new Error(`no ${name} in ${configs.map((one) => one.name)}`);
  return found;
}

const control = (match: string, rest = '') =>
  `name: mine\npipeline: [recency]\ncomponents: {recency: {budget: {match: ${match}}${rest}}}`;

describe('a control', () => {
  it('comes once for each config of the run, right after it; not for the baseline', async () => {
    const { configs } = await load({
      names: ['baseline', 'cg-mask', 'control-recency', 'cg-dedup', 'control-random_drop'],
    });
    expect(configs.map(({ name }) => name)).toEqual([
      'baseline',
      'cg-mask',
      'control-recency@cg-mask',
      'control-random_drop@cg-mask',
      'cg-dedup',
      'control-recency@cg-dedup',
      'control-random_drop@cg-dedup',
    ]);
    expect(named(configs, 'control-recency@cg-mask').matches).toEqual({
      name: 'cg-mask',
      hash: named(configs, 'cg-mask').hash,
    });
    expect(new Set(configs.map(({ hash }) => hash)).size).toBe(configs.length);
  });

  it('that names a config pulls it in, and says so', async () => {
    const { configs, notices } = await load({ inline: control('cg-mask') });
    expect(configs.map(({ name }) => name)).toEqual(['cg-mask', 'mine@cg-mask']);
    expect(notices).toContain('mine matches cg-mask, which is run too');
    const beside = await load({ inline: control('cg-mask'), names: ['cg-mask', 'env'] });
    expect(beside.notices.join()).not.toContain('which is run too');
  });

  it('may be told what to match by --set', async () => {
    const { configs } = await load({
      names: ['control-recency'],
      sets: ['components.recency.budget.match=cg-mask,cg-dedup'],
    });
    expect(configs.map(({ name }) => name)).toEqual([
      'cg-mask',
      'control-recency:match=cg-mask@cg-mask',
      'cg-dedup',
      'control-recency:match=cg-dedup@cg-dedup',
    ]);
  });

  it('matches every config that a document of that name makes', async () => {
    const { configs } = await load({
      names: ['cg-mask', 'control-recency'],
      sets: ['components.mask.keep_recent=1,2'],
    });
    expect(configs.map(({ name }) => name)).toEqual([
      'cg-mask:keep_recent=1',
      'control-recency@cg-mask:keep_recent=1',
      'cg-mask:keep_recent=2',
      'control-recency@cg-mask:keep_recent=2',
    ]);
  });

  it('has a hash that follows the config that it matches', async () => {
    const hashes = await Promise.all(
      ['1', '2'].map(async (value) => {
        const { configs } = await load({
          names: ['cg-mask', 'control-recency'],
          sets: [`components.mask.min_tokens=${value}`],
        });
        return configs[1]?.hash;
      }),
    );
    expect(hashes[0]).not.toBe(hashes[1]);
  });

  it.each([
    ['full', 'full'],
    ['summary', 'summary'],
    ['off', 'off'],
  ])('takes over marker_mode %s', async (mode, expected) => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, 'a.yaml'),
      `pipeline: [mask]\ncomponents: {mask: {marker_mode: ${mode}}}`,
    );
    const { configs } = await load({ inline: control('a'), folder });
    expect(configs[1]?.steps[0]?.settings).toMatchObject({ marker_mode: expected, seed: 1 });
    const own = await load({ inline: control('a', ', marker_mode: off'), folder });
    expect(own.configs[1]?.steps[0]?.settings).toMatchObject({ marker_mode: 'off' });
  });

  it('of components that differ in it marks fully', async () => {
    const folder = temporaryFolder();
    const mixed = 'pipeline: [dedup, mask]\ncomponents: {mask: {marker_mode: off}}';
    writeFileSync(join(folder, 'a.yaml'), mixed);
    const { configs } = await load({ inline: control('a'), folder });
    expect(configs[1]?.steps[0]?.settings).toMatchObject({ marker_mode: 'full' });
  });

  it('has a text in the manifest that reads back to the same control', async () => {
    const { configs } = await load({ names: ['cg-mask', 'control-recency'] });
    const text = configs[1]?.text ?? '';
    const again = await load({ inline: text });
    expect(again.configs[1]).toMatchObject({
      name: 'control-recency@cg-mask',
      hash: configs[1]?.hash,
    });
  });

  it('is not among all; a notice says how to have it', async () => {
    const { configs, notices } = await load({ names: ['all'] });
    expect(configs.filter(({ matches }) => matches !== undefined)).toEqual([]);
    expect(notices.join('\n')).toContain('control-recency is not among all');
    expect(notices.join('\n')).toContain('--controls');
  });

  it.each([
    ['nothing to match', control('each'), 'name one beside it'],
    ['a config that is not there', control('cg-maks'), '"cg-maks"'],
    [
      'company in its pipeline',
      'pipeline: [mask, noop]\ncomponents: {noop: {budget: {match: cg-mask}}}',
      'stands alone',
    ],
  ])('with %s is an error', async (_, inline, said) => {
    expect((await failure({ inline })).message).toContain(said);
  });

  it('with a config that is not there names its line and the nearest of the folder', async () => {
    const error = await failure({ inline: control('cg-maks') });
    expect(error.message).toContain('did you mean "cg-mask"?');
    expect(error.at).toMatchObject({ file: 'CONTEXT_GURU_CONFIG_YAML', line: 3 });
    const set = ['components.recency.budget.match=cg-maks'];
    const given = await failure({ names: ['control-recency'], sets: set });
    expect(given.message).toContain('did you mean "cg-mask"?');
    expect(given.at?.line).toBeUndefined();
  });

  it('without a budget is an error that names the key', async () => {
    const error = await failure({ inline: 'pipeline: [random_drop]' });
    expect(error.message).toContain('components.random_drop.budget');
  });
});

describe('expand', () => {
  it('is auto unless a document or its base says otherwise, and enters the hash then', async () => {
    const plain = await only('pipeline: [mask]');
    const auto = await only('pipeline: [mask]\nexpand: {inject: auto}');
    const always = await only('pipeline: [mask]\nexpand: {inject: always}');
    expect([plain.inject, auto.inject, always.inject]).toEqual([undefined, 'auto', 'always']);
    expect(auto.hash).toBe(plain.hash);
    expect(always.hash).not.toBe(plain.hash);
    expect((await only(always.text)).hash).toBe(always.hash);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'base.yaml'), 'pipeline: [mask]\nexpand: {inject: never}');
    writeFileSync(join(folder, 'derived.yaml'), 'preset: base');
    const { configs } = await load({ names: ['derived'], folder });
    expect(configs[0]?.inject).toBe('never');
  });
});
