import { createHash } from 'node:crypto';
import { identifiersIn } from './identifiers.ts';
import { type FoundSecret, secretsIn, secretText, viewsOf } from './redact-find.ts';
import { KnownTexts, type Replacement, replaced } from './redact-known.ts';
import { plainView } from './redact-views.ts';

/**
 * Redaction of what is shown: the same text gives the same output everywhere and always. Redaction of what
 * is written to be passed on has a key, and is that of `import`.
 */

/**
 * The text with secrets of common kinds (API keys, tokens, private keys, passwords in URLs and settings)
 * replaced by their kind and a short hash, e.g. `[api-key#1f2e3d4c]`. The same secret gives the same
 * replacement everywhere, so what was equal stays equal. A replacement is never replaced again.
 */
export function redactSecrets(text: string): string {
  return replaced(text, secretsIn(text).map(shownReplacement));
}

/** The text with each secret replaced by `[redacted]`, for messages that need not tell secrets apart. */
export function withoutSecrets(text: string): string {
  return replaced(
    text,
    secretsIn(text).map((secret) => ({ ...shownReplacement(secret), text: '[redacted]' })),
  );
}

/** Shortest secret, and shortest part of one, that is looked for where nothing around it shows what it is. */
const SHORTEST_KNOWN = 6;
const SHORTEST_PART = 8;

/**
 * A redaction of a whole recording: what one of its texts shows to be a secret (`password=…`) is replaced in
 * every other text too, also where it stands alone or only a name out of it does, as in a summary.
 *
 * @param texts of the recording; what is redacted may be one of them or made from them
 */
export function redactionOf(texts: Iterable<string>): (text: string) => string {
  const known = new KnownTexts<string>();
  const parts = new Map<string, string>();
  for (const text of texts) {
    for (const found of secretsIn(text)) {
      const secret = secretText(found);
      const { text: written } = shownReplacement(found);
      if (secret.length >= SHORTEST_KNOWN) known.add(secret, written, false);
      for (const { value } of identifiersIn(secret)) {
        if (value.length >= SHORTEST_PART && /\d/.test(value) && !parts.has(value)) {
          parts.set(value, written);
        }
      }
    }
  }
  // A part may be a whole secret as well, and then has a replacement of its own.
  for (const [part, written] of parts) known.add(part, written, false);
  return (text) => {
    const found = secretsIn(text).map(shownReplacement);
    const again = viewsOf(plainView(text)).flatMap((view) =>
      [...known.find(view.text)].map(({ from, to, value }) => ({
        start: view.at(from),
        end: view.end(to),
        text: value,
      })),
    );
    return replaced(text, withFirst(found, again));
  };
}

/** All of `first`, and of the others those that overlap none of them. */
function withFirst(
  first: readonly Replacement[],
  others: readonly Replacement[],
): readonly Replacement[] {
  const free = others.filter(
    ({ start, end }) => !first.some((one) => one.start < end && start < one.end),
  );
  return [...first, ...free];
}

function shownReplacement(secret: FoundSecret): Replacement {
  const { kind, view, from, to } = secret;
  const hash = createHash('sha256').update(secretText(secret), 'utf16le').digest('hex').slice(0, 8);
  return { start: view.at(from), end: view.end(to), text: `[${kind}#${hash}]` };
}
