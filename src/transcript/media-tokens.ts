import { countTokens, type TokenizerName } from '../text/tokens.ts';
import type { DialectName, Media } from './message.ts';

/** Flat charge for a medium whose pixel size is not known, in tokens. */
export const FLAT_MEDIA_TOKENS = 1600;

/**
 * Tokens of one medium by its provider's formula.
 * Sources: Anthropic, "Vision": width × height / 750 after scaling to at most 1,568 px a side and about
 * 1,600 tokens. OpenAI, "Images and vision", high detail of the 4o family: fit in 2,048 px, shortest
 * side to 768 px, 85 + 170 a 512 px tile; low detail: 85. Gemini, "Token counting": 258, and 258 a 768 px tile when a
 * side is over 384 px.
 */
export function mediaTokens(media: Media, dialect: DialectName, tokenizer: TokenizerName): number {
  if (media.text !== undefined) return countTokens(media.text, tokenizer);
  if (dialect.startsWith('openai') && LOW_DETAIL.test(media.raw)) return 85;
  const { width, height } = media;
  if (width === undefined || height === undefined) return FLAT_MEDIA_TOKENS;
  switch (dialect) {
    case 'anthropic':
    case 'bedrock': {
      const scale = Math.min(1, 1568 / Math.max(width, height));
      const tokens = Math.ceil((width * scale * height * scale) / 750);
      return Math.min(tokens, FLAT_MEDIA_TOKENS);
    }
    case 'openai-chat':
    case 'openai-responses': {
      const fit = Math.min(1, 2048 / Math.max(width, height));
      const shrink = Math.min(1, 768 / (Math.min(width, height) * fit));
      // A side is a whole number of pixels; the margin keeps 1,536 from becoming 1,536.0000000000002.
      const tiles = (side: number) => Math.ceil(Math.floor(side * fit * shrink + 1e-6) / 512);
      return 85 + 170 * tiles(width) * tiles(height);
    }
    case 'gemini': {
      if (width <= 384 && height <= 384) return 258;
      return 258 * Math.ceil(width / 768) * Math.ceil(height / 768);
    }
  }
}

const LOW_DETAIL = /"detail"\s*:\s*"low"/;
