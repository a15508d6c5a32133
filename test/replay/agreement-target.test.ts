import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { targetOf } from '../../src/replay/agreement-target.ts';

const same: readonly [string, object | string, object | string][] = [
  ['the order of keys', { path: 'a', limit: 1 }, { limit: 1, path: 'a' }],
  ['what says how', { path: 'a', offset: 1 }, { path: 'a', offset: 99, reason: 'more' }],
  ['a new content', { file_path: 'a', content: 'x' }, { file_path: 'a', content: 'y' }],
  ['spellings of a path', { path: './src//a/' }, { path: 'src/a' }],
  ['white space of a command', { command: 'ls   -la \n' }, { command: 'ls -la' }],
  ['a command as a list of words', { command: ['ls', '-la'] }, { command: 'ls -la' }],
  ['where a command runs', { cmd: 'ls', workdir: '/a' }, { cmd: 'ls' }],
  ['a path that says here', { pattern: 'x', path: '.' }, { pattern: 'x' }],
  ['numbers as strings', { order_id: 5 }, { order_id: '5' }],
  ['JSON spelling', '{"path":"a"}', '{ "path" : "\\u0061" }'],
  ['white space where nothing is named', { amount: 'a  b' }, { amount: ' a b' }],
  [
    'the body of a patch',
    { input: '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b' },
    { input: '*** Begin Patch\n*** Update File: ./src/a.ts\n@@\n-c\n+d' },
  ],
];

const other: readonly [string, object | string, object | string][] = [
  ['paths', { path: 'a' }, { path: 'b' }],
  ['commands', { command: 'ls a' }, { command: 'ls b' }],
  ['queries of one place', { pattern: 'x', path: 'src' }, { pattern: 'y', path: 'src' }],
  ['places of one query', { pattern: 'x', path: 'src' }, { pattern: 'x', path: 'test' }],
  ['ids', { userId: 'u1' }, { userId: 'u2' }],
  ['one of several ids', { order_id: 1, item_ids: [1, 2] }, { order_id: 1, item_ids: [1, 3] }],
  [
    'what a tool of many commands does',
    { command: 'view', path: 'a' },
    { command: 'create', path: 'a' },
  ],
  ['nested names', { files: [{ path: 'a' }] }, { files: [{ path: 'b' }] }],
  ['letter case', { path: 'A' }, { path: 'a' }],
  ['all arguments where none names anything', { amount: 1 }, { amount: 2 }],
  ['nothing and something', {}, { path: 'a' }],
  ['addresses', { url: 'https://a.b/c' }, { url: 'https://a.b/d' }],
  ['files of a patch', { patch: '*** Update File: a.ts\n' }, { patch: '*** Update File: b.ts\n' }],
];

const json = (value: object | string) =>
  typeof value === 'string' ? value : JSON.stringify(value);

describe('the target of a call', () => {
  it.each(same)('does not depend on %s', (_, a, b) => {
    expect(targetOf(json(a))).toBe(targetOf(json(b)));
  });

  it.each(other)('tells %s apart', (_, a, b) => {
    expect(targetOf(json(a))).not.toBe(targetOf(json(b)));
  });

  it('is the same for any order of the keys and any spacing', () => {
    const key = fc.constantFrom('path', 'command', 'order_id', 'q', 'limit', 'note', 'files');
    const value = fc.oneof(fc.string(), fc.integer(), fc.array(fc.string(), { maxLength: 3 }));
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.nat(6), (args, turn) => {
        const entries = Object.entries(args);
        const turned = [...entries.slice(turn), ...entries.slice(0, turn)];
        const spaced = JSON.stringify(Object.fromEntries(turned), undefined, 2);
        expect(targetOf(spaced)).toBe(targetOf(JSON.stringify(args)));
      }),
      { seed: 7 },
    );
  });

  it('is something for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(targetOf(text)).not.toBe('');
      }),
      { seed: 8 },
    );
  });
});
