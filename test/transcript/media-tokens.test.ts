import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countTokens } from '../../src/text/tokens.ts';
import { FLAT_MEDIA_TOKENS, mediaTokens } from '../../src/transcript/media-tokens.ts';
import type { DialectName, Media } from '../../src/transcript/message.ts';

const image = (width: number, height: number, raw = ''): Media => ({
  kind: 'media',
  type: 'image',
  width,
  height,
  raw,
});

const tokensOf = (media: Media, dialect: DialectName) => mediaTokens(media, dialect, 'o200k_base');

describe('mediaTokens', () => {
  // Worked by hand from the formulas in the providers' pages.
  test.each<[DialectName, number, number, number]>([
    ['anthropic', 200, 200, 54],
    ['anthropic', 1000, 1000, 1334],
    ['anthropic', 1092, 1092, 1590],
    ['anthropic', 1568, 392, 820],
    ['anthropic', 3136, 784, 820],
    ['anthropic', 1920, 1080, 1600],
    ['anthropic', 8000, 8000, 1600],
    ['bedrock', 1000, 1000, 1334],
    ['openai-chat', 1, 1, 255],
    ['openai-chat', 512, 512, 255],
    ['openai-chat', 513, 512, 425],
    ['openai-chat', 1024, 1024, 765],
    ['openai-chat', 2048, 4096, 1105],
    ['openai-chat', 3000, 6000, 1105],
    ['openai-responses', 1024, 1024, 765],
    ['gemini', 384, 384, 258],
    ['gemini', 385, 384, 258],
    ['gemini', 769, 768, 516],
    ['gemini', 1536, 1537, 1548],
  ])('%s charges %i × %i with %i', (dialect, width, height, tokens) => {
    expect(tokensOf(image(width, height), dialect)).toBe(tokens);
  });

  test('OpenAI: a picture of two squares costs six tiles at any size above 768 × 1536', () => {
    fc.assert(
      fc.property(fc.integer({ min: 768, max: 20_000 }), (side) => {
        expect(tokensOf(image(side, side * 2), 'openai-chat')).toBe(85 + 170 * 6);
      }),
    );
  });

  test('OpenAI: low detail is flat', () => {
    const raw = '{"type":"image_url","image_url":{"url":"data:,","detail": "low"}}';
    expect(tokensOf(image(4000, 4000, raw), 'openai-chat')).toBe(85);
    expect(tokensOf(image(1000, 1000, raw), 'anthropic')).toBe(1334);
  });

  test('an unknown size is charged flat, a plain-text document by its text', () => {
    const reference: Media = { kind: 'media', type: 'image', reference: 'file_1', raw: '' };
    const text: Media = { kind: 'media', type: 'document', text: 'twelve plain words', raw: '' };
    for (const dialect of ['anthropic', 'openai-chat', 'gemini'] as const) {
      expect(tokensOf(reference, dialect)).toBe(FLAT_MEDIA_TOKENS);
      expect(tokensOf(text, dialect)).toBe(countTokens('twelve plain words'));
    }
  });
});
