import { imageSize } from 'image-size';
import type { Media } from '../transcript/message.ts';

/** Pixel size of a base64 image, from its header; nothing when the data is cut, fake or unknown. */
export function pixelSize(base64: string): { readonly width?: number; readonly height?: number } {
  try {
    // Headers stand in the first bytes, except a JPEG's, which may come after a large EXIF block.
    // A copy, since a small Buffer is a window of a pool, and the reader looks past its end.
    const bytes = new Uint8Array(Buffer.from(base64.slice(0, 1 << 20), 'base64'));
    const { width, height } = imageSize(bytes);
    return width > 0 && height > 0 ? { width, height } : {};
  } catch {
    return {};
  }
}

/** The kind of medium that a MIME type names. */
export function mediaType(mimeType: string): Media['type'] {
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

/** Takes a `data:` URL apart; undefined for any other URL. */
export function dataUrl(
  url: string,
): { readonly mimeType: string; readonly data: string } | undefined {
  const match = /^data:([^;,]*)(?:;[^,]*)?,/.exec(url.slice(0, 256));
  if (match === null) return undefined;
  return { mimeType: match[1] ?? '', data: url.slice(match[0].length) };
}
