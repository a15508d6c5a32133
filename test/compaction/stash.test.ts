import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markerOf, markersIn, messagesKey, SENTINEL, Stash } from '../../src/compaction/stash.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import { brokenText, conversations } from '../support/conversations.ts';
import { conversation, parseRaws, withCacheMark } from '../support/wire-steps.ts';

const spans = conversations({ text: brokenText }).chain((given) =>
  fc.tuple(fc.nat(given.messages.length), fc.nat(given.messages.length)).map(([one, other]) => ({
    given,
    from: Math.min(one, other),
    to: Math.max(one, other),
  })),
);

describe('Stash', () => {
  test('gives the span back byte for byte', () => {
    fc.assert(
      fc.property(spans, ({ given: { messages, raws }, from, to }) => {
        const stash = new Stash();
        const key = stash.putMessages(messages, from, to);
        expect(stash.expand(key)).toBe(`[${raws.slice(from, to).join(',')}]`);
      }),
    );
  });

  test('a text comes back as it was, whatever else is stashed', () => {
    fc.assert(
      fc.property(fc.uniqueArray(brokenText, { maxLength: 6 }), (texts) => {
        const stash = new Stash();
        const keys = texts.map((text) => stash.putText(text));
        expect(keys.map((key) => stash.expand(key))).toEqual(texts);
      }),
    );
  });

  test('texts that differ in half an emoji have keys of their own', () => {
    const stash = new Stash();
    expect(stash.putText('a\ud83d')).not.toBe(stash.putText('a\ud83e'));
    expect(stash.putText('')).not.toBe(stash.putText(' '));
  });

  test('moved cache marks keep the key, and the latest bytes lie behind it', () => {
    fc.assert(
      fc.property(spans, ({ given: { dialect, messages, raws, table }, from, to }) => {
        const stash = new Stash();
        const key = stash.putMessages(messages, from, to);
        const marked = raws.map(withCacheMark);
        expect(stash.putMessages(parseRaws(dialect, marked, table), from, to)).toBe(key);
        expect(stash.expand(key)).toBe(`[${marked.slice(from, to).join(',')}]`);
        stash.refresh(key, messages, from, to);
        expect(stash.expand(key)).toBe(`[${raws.slice(from, to).join(',')}]`);
      }),
    );
  });

  test('the key tells spans apart, in content, order and length', () => {
    const { messages } = conversation('anthropic', [
      { kind: 'user', text: 'a' },
      { kind: 'user', text: 'b' },
      { kind: 'user', text: 'a' },
    ]);
    const ranges = [
      [0, 1],
      [1, 2],
      [0, 2],
      [1, 3],
      [0, 3],
      [0, 0],
    ] as const;
    expect(new Set(ranges.map(([from, to]) => messagesKey(messages, from, to))).size).toBe(6);
    expect(messagesKey(messages, 0, 1)).toBe(messagesKey(messages, 2, 3));
  });

  test('a key that nobody stashed gives nothing', () => {
    const stash = new Stash();
    expect(stash.expand('0123456789abcdef')).toBeUndefined();
    expect(stash.expand('')).toBeUndefined();
    expect([...stash.entries()]).toEqual([]);
  });
});

describe('markers', () => {
  test('a marker is found wherever it stands, in its JSON too; the sentinel is none', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(brokenText, brokenText)), (texts) => {
        const stash = new Stash();
        const keys = texts.map(([, text]) => stash.putText(text));
        const clean = texts.map(([text]) => text.replaceAll('<<cg:', '<cg:'));
        const text = clean.map((before, index) => `${before}${markerOf(keys[index] ?? keyless())}`);
        expect(markersIn(text.join(' '))).toEqual(keys);
        expect(markersIn(JSON.stringify(text.join(' ')))).toEqual(keys);
      }),
    );
    expect(markersIn(SENTINEL)).toEqual([]);
  });

  test.each(['<<cg:0123456789abcde>>', '<<cg:0123456789ABCDEF>>', '<cg:0123456789abcdef>', ''])(
    '%s is no marker',
    (text) => expect(markersIn(text)).toEqual([]),
  );

  test('a span of a marked request that is stashed again holds the marker inside', () => {
    const stash = new Stash();
    const table = new MessageTable();
    const first = conversation('anthropic', [{ kind: 'user', text: 'the first' }], table);
    const inner = stash.putMessages(first.messages, 0, 1);
    const second = conversation('anthropic', [{ kind: 'user', text: markerOf(inner) }], table);
    const outer = stash.putMessages(second.messages, 0, 1);
    const [found] = markersIn(stash.expand(outer) ?? '');
    expect(stash.expand(found ?? '')).toBe(`[${first.raws.join(',')}]`);
  });
});

function keyless(): never {
  throw new Error('a text without a key');
}
