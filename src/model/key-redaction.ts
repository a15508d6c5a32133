import { redactSecrets } from '../text/redact.ts';

/** Shortest key that is one; what is shorter (`x`, `-`) stands in for none. */
const SHORTEST_KEY = 4;
/** Shortest piece of a key that is taken out of a text which may quote one. */
const PIECE = 10;

export const REDACTED = '[redacted]';

/** Takes keys out of texts. `keys` may grow afterwards. */
export interface KeyRedaction {
  /** Every key, as it is and in the forms that a URL, a header or JSON gives it. */
  whole(text: string): string;
  /** Pieces of keys too, and whatever looks like a secret: for texts of servers, which quote and cut. */
  pieces(text: string): string;
}

export function keyRedaction(keys: ReadonlySet<string>): KeyRedaction {
  const whole = (text: string): string => {
    let result = text;
    for (const form of formsOf(keys)) result = result.replaceAll(form, REDACTED);
    return result;
  };
  return {
    whole,
    pieces: (text) => redactSecrets(withoutPieces(whole(text), keys)),
  };
}

/** The longest first, since one may be part of another. */
function formsOf(keys: ReadonlySet<string>): string[] {
  const forms = [...keys]
    .filter((key) => key.length >= SHORTEST_KEY)
    .flatMap((key) => [
      key,
      encodeURIComponent(key),
      JSON.stringify(key).slice(1, -1),
      Buffer.from(key).toString('base64').replace(/=+$/, ''),
    ]);
  return [...new Set(forms)].toSorted((one, other) => other.length - one.length);
}

/** Replaces every stretch of the text that is a piece of a key. */
function withoutPieces(text: string, keys: ReadonlySet<string>): string {
  const pieces = new Set<string>();
  for (const key of keys) {
    for (let at = 0; at + PIECE <= key.length; at++) pieces.add(key.slice(at, at + PIECE));
  }
  let result = '';
  let copied = 0;
  for (let at = 0; at + PIECE <= text.length; at++) {
    if (!pieces.has(text.slice(at, at + PIECE))) continue;
    let end = at + PIECE;
    while (pieces.has(text.slice(end - PIECE + 1, end + 1))) end++;
    result += text.slice(copied, at) + REDACTED;
    copied = end;
    at = end - 1;
  }
  return result + text.slice(copied);
}
