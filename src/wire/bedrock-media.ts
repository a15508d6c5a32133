import type { Media } from '../transcript/message.ts';
import { isObject } from './json-object.ts';
import { pixelSize } from './media.ts';
import { stringOf } from './parts.ts';

/** Converse names a format where others name a MIME type. Source: the API reference, by block. */
const MIME_TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ png: 'image/png', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp' },
    ...{ pdf: 'application/pdf', csv: 'text/csv', html: 'text/html', txt: 'text/plain' },
    md: 'text/markdown',
    doc: 'application/msword',
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xls: 'application/vnd.ms-excel',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  }),
);

const FORMATS: ReadonlyMap<string, string> = new Map(
  [...MIME_TYPES].map(([format, mimeType]) => [mimeType, format]),
);

/** Reads an `image`, `document`, `video` or `audio` body; undefined for any other block. */
export function readMedia(kind: string, body: unknown, raw: string): Media | undefined {
  if (kind !== 'image' && kind !== 'document' && kind !== 'video' && kind !== 'audio') {
    return undefined;
  }
  if (!isObject(body)) return undefined;
  const format = stringOf(body.format);
  const source = isObject(body.source) ? body.source : {};
  const data = source.bytes;
  const location = isObject(source.s3Location) ? source.s3Location.uri : undefined;
  const text = documentText(source);
  const mimeType = MIME_TYPES.get(format) ?? (format === '' ? undefined : `${kind}/${format}`);
  return {
    kind: 'media',
    type: kind,
    ...(kind === 'image' && typeof data === 'string' ? pixelSize(data) : {}),
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(typeof data === 'string' ? { data } : {}),
    ...(typeof location === 'string' ? { reference: location } : {}),
    ...(text === undefined ? {} : { text }),
    raw,
  };
}

/** A document given as text, or as a list of texts. */
function documentText(source: { readonly [key: string]: unknown }): string | undefined {
  if (typeof source.text === 'string') return source.text;
  if (!Array.isArray(source.content)) return undefined;
  return source.content
    .map((part: unknown) => (isObject(part) ? stringOf(part.text) : ''))
    .join('\n');
}

/** The block, or undefined for what Converse cannot carry: URLs and formats that it does not name. */
export function writeMedia(media: Media): string | undefined {
  if (media.text !== undefined) return JSON.stringify({ text: media.text });
  const format = FORMATS.get(media.mimeType ?? (media.type === 'image' ? 'image/png' : ''));
  if (media.data === undefined || format === undefined) return undefined;
  const source = { bytes: media.data };
  if (media.type === 'image' && IMAGE_FORMATS.has(format)) {
    return JSON.stringify({ image: { format, source } });
  }
  if (media.type !== 'document' || IMAGE_FORMATS.has(format)) return undefined;
  return JSON.stringify({ document: { format, name: 'document', source } });
}

const IMAGE_FORMATS: ReadonlySet<string> = new Set(['png', 'jpeg', 'gif', 'webp']);
