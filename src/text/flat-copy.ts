/**
 * A copy of `text` with storage of its own. A slice points into its parent and keeps all of it alive, so
 * what a long-lived map holds must be copied. Every UTF-16 code unit stays as it is.
 */
export function flatCopy(text: string): string {
  const ascii = Buffer.byteLength(text, 'utf8') === text.length;
  const encoding = ascii ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}
