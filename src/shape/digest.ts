import { createHash } from 'node:crypto';

/** A short stand-in for a long text, to compare texts without keeping them. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64').slice(0, 24);
}
