import { describePlace, type ErrorCode, HarnessError, type Place } from '../errors.ts';

/** One thing that is wrong with a document. */
interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: Place;
}

const SHOWN = 20;

/** Collects what is wrong, so that an author sees all of it at once. */
export class Problems {
  readonly #byIdentity = new Map<string, Problem>();

  /** The same problem at the same place counts once: documents share bases, combinations share values. */
  add(code: ErrorCode, message: string, at: Place): void {
    const identity = JSON.stringify([code, at.file, at.line, at.column, message]);
    if (this.#byIdentity.has(identity)) return;
    const place = at.key === undefined ? at : { ...at, key: withoutSecrets(at.key) };
    this.#byIdentity.set(identity, { code, message, at: place });
  }

  get count(): number {
    return this.#byIdentity.size;
  }

  /**
   * Throws one `HarnessError` for all problems: code and place of the first, one line for each. The
   * first line leaves its place to `HarnessError.describe`.
   */
  throwIfAny(): void {
    const [first, ...others] = inReadingOrder([...this.#byIdentity.values()]);
    if (first === undefined) return;
    const lines = others
      .slice(0, SHOWN - 1)
      .map(({ at, message }) => [describePlace(at), message].filter(Boolean).join(': '));
    const hidden = others.length - lines.length;
    if (hidden > 0) lines.push(`… and ${hidden} more`);
    throw new HarnessError(first.code, [first.message, ...lines].join('\n'), { at: first.at });
  }
}

/** Files in the order in which they came up, the problems of one file by position. */
function inReadingOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ at }) => at.file))];
  return problems.toSorted(
    (one, other) =>
      files.indexOf(one.at.file) - files.indexOf(other.at.file) ||
      (one.at.line ?? 0) - (other.at.line ?? 0) ||
      (one.at.column ?? 0) - (other.at.column ?? 0),
  );
}

const LONGEST = 60;

/** A text from a document as a message shows it: one line, quoted, shortened, no API key. */
export function shown(text: string): string {
  const safe = withoutSecrets(text);
  return JSON.stringify(safe.length > LONGEST ? `${safe.slice(0, LONGEST)}…` : safe);
}

/** `{api_key:SECRET}` without a space is one long YAML key, so even a key can hold a secret. */
function withoutSecrets(text: string): string {
  return text.replace(/(api_?key).+/is, '$1***').replace(/\/\/[^/@\s]*@/g, '//***@');
}
