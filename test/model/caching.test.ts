import { describe, expect, test } from 'vitest';
import { cachingOf } from '../../src/model/caching.ts';

describe('cachingOf', () => {
  test.each([
    ['claude-opus-4-5-20251101', 4096],
    ['claude-opus-4-6', 4096],
    ['anthropic/claude-opus-4.6', 4096],
    ['claude-opus-4-1', 1024],
    ['claude-opus-4-20250514', 1024],
    ['claude-3-opus-20240229', 1024],
    ['claude-sonnet-4-5', 1024],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 1024],
    ['claude-sonnet-4-6', 2048],
    ['claude-3-7-sonnet-latest', 1024],
    ['claude-haiku-4-5-20251001', 4096],
    ['claude-3-5-haiku-20241022', 2048],
    ['claude-3-haiku-20240307', 2048],
  ])('%s is cached from %d tokens, as its provider says', (model, minimum) => {
    expect(cachingOf(model, 'openai-chat')).toEqual({ kind: 'marks', minimum, lookBack: 20 });
  });

  test.each([
    ['claude-opus-5-5', 4096],
    ['claude-sonnet-5', 2048],
    ['claude-fable-5-1', 4096],
  ])('%s is newer than the sources: %d is assumed', (model, minimum) => {
    const caching = cachingOf(model, 'anthropic');
    expect(caching).toMatchObject({ kind: 'marks', minimum });
    expect(caching.assumed).toBe(`smallest cached prefix of ${model}`);
  });

  test.each(['gpt-4.1', 'gpt-4o-mini', 'gpt-5', 'openai/o4-mini', 'chatgpt-4o-latest'])(
    '%s is cached by itself',
    (model) => {
      const caching = cachingOf(model, 'openai-responses');
      expect(caching).toMatchObject({ kind: 'automatic', minimum: 1024, step: 128 });
      expect(caching.assumed).toBeUndefined();
    },
  );

  test.each(['gpt-4', 'gpt-4-turbo', 'gpt-3.5-turbo', 'gemini-1.5-pro', 'gemini-2.0-flash'])(
    '%s is not',
    (model) => expect(cachingOf(model, 'openai-chat')).toEqual({ kind: 'none' }),
  );

  test('Gemini caches implicitly, which is labelled', () => {
    expect(cachingOf('gemini-2.5-pro', 'gemini')).toMatchObject({ minimum: 4096, step: 1 });
    expect(cachingOf('gemini-2.5-flash', 'gemini')).toMatchObject({ minimum: 1024 });
    expect(cachingOf('gemini-2.5-flash', 'gemini').assumed).toMatch(/Gemini/);
  });

  test('an unknown model is cached as its wire’s own, which is labelled', () => {
    expect(cachingOf('kimi-k2', 'anthropic').kind).toBe('marks');
    expect(cachingOf('amazon.nova-pro-v1:0', 'bedrock').kind).toBe('marks');
    expect(cachingOf(undefined, 'openai-chat').kind).toBe('automatic');
    expect(cachingOf('deepseek-v3', 'openai-chat').assumed).toMatch(/deepseek-v3/);
  });
});
