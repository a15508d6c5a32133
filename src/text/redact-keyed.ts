import { apart, type FoundSecret, secretsIn, secretText, viewsOf } from './redact-find.ts';
import { homePattern } from './redact-home.ts';
import { inOrder, KnownTexts, type Replacement, replaced } from './redact-known.ts';
import { type SecretKind, secretPatterns } from './redact-patterns.ts';
import { type Core, coresOf, placeholderOf, unspacedRuns } from './redact-placeholder.ts';
import { plainView, type View } from './redact-views.ts';

/** Shortest core that is replaced wherever it stands. */
const SHORTEST_CORE = 6;
/** The same of one without a digit, which may be a word, or words. */
const SHORTEST_WORDS = 12;
/** From this length a core is found inside of longer names too. */
const SHORTEST_INNER = 12;
/** How much of two neighbouring texts is looked at for a secret that lies in both. */
const SEAM = 4000;

const tellingPatterns = secretPatterns.filter(({ telling }) => telling);

/**
 * Redaction under a key. First all texts are learned from, so that what one of them shows to be a secret is
 * found in every other; then each is redacted. One redaction serves a whole import: the same secret has the
 * same placeholder in all of it.
 */
export class KeyedRedaction {
  readonly #key: Uint8Array;
  readonly #patterns: typeof secretPatterns;
  /** With the placeholder of a core; a secret of several has that of each. */
  readonly #known = new KnownTexts<{ readonly kind: SecretKind; readonly core?: string }>();
  readonly #kinds = new Map<string, SecretKind>();
  /** Placeholders by kind and core: to make one takes a while. */
  readonly #made = new Map<string, string>();
  readonly #secrets = new Map<SecretKind, Set<string>>();

  /** @param options.home also names of users, by their home directories */
  constructor(key: Uint8Array, options: { readonly home: boolean }) {
    this.#key = key;
    this.#patterns = options.home ? [...secretPatterns, homePattern] : secretPatterns;
  }

  /** Distinct secrets that were found so far, by kind. */
  get found(): ReadonlyMap<SecretKind, number> {
    return new Map([...this.#secrets].map(([kind, secrets]) => [kind, secrets.size]));
  }

  /** Takes note of the secrets of a text. */
  learn(text: string): void {
    for (const secret of secretsIn(text, this.#patterns)) {
      this.#learnSecret(secretText(secret), secret.kind);
    }
  }

  /** Takes note of a text that is a secret as a whole, unless a pattern says better what it is. */
  learnSecret(text: string, kind: SecretKind): void {
    if (!this.#isTelling(text)) this.#learnSecret(text, kind);
  }

  /** Takes note of secrets that begin in one text and end in the next, each part as one of its own. */
  learnAcross(before: string, after: string): void {
    const tail = before.slice(-SEAM);
    const joined = tail + after.slice(0, SEAM);
    for (const secret of secretsIn(joined, tellingPatterns)) {
      const start = secret.view.at(secret.from);
      const end = secret.view.end(secret.to);
      if (start >= tail.length || end <= tail.length) continue;
      this.#learnSecret(joined.slice(start, tail.length), secret.kind);
      this.#learnSecret(joined.slice(tail.length, end), secret.kind);
    }
  }

  /**
   * What to write into a text, in order. Every replacement is of letters, digits and `_ - *`.
   *
   * @param whole what the text is as a whole, where it is a secret
   */
  replacementsIn(text: string, whole?: SecretKind): readonly Replacement[] {
    const base = plainView(text);
    const named: FoundSecret[] =
      whole === undefined || this.#isTelling(text)
        ? []
        : [{ kind: whole, view: base, from: 0, to: text.length }];
    const found = apart([...named, ...secretsIn(text, this.#patterns)]);
    const own = found.flatMap((secret) => this.#ofSecret(secret));
    const again = viewsOf(base).flatMap((view) => this.#knownIn(view, text));
    if (own.length === 0 && again.length === 0) return [];
    const isTaken = overlapOf(own);
    return inOrder([...own, ...again.filter((one) => !isTaken(one))]);
  }

  redact(text: string): string {
    return replaced(text, this.replacementsIn(text));
  }

  /** True where the form of some part shows a secret. */
  #isTelling(text: string): boolean {
    return secretsIn(text, tellingPatterns).length > 0;
  }

  #learnSecret(secret: string, kind: SecretKind): void {
    if (secret === '') return;
    const secrets = this.#secrets.get(kind) ?? new Set();
    this.#secrets.set(kind, secrets.add(secret));
    const cores = coresOf(secret);
    for (const core of cores) {
      const { text } = core;
      if (this.#kinds.has(text)) continue;
      if (kind === 'user' ? cores.length > 1 && text.length < SHORTEST_CORE : !isKept(core))
        continue;
      this.#kinds.set(text, kind);
      const isBounded = kind === 'user' || text.length < SHORTEST_INNER;
      this.#known.add(text, { kind, core: this.#placeholderOf(core, kind) }, isBounded);
    }
    // What has several cores is known as a whole too: not each of them is replaced where it stands alone.
    for (const whole of new Set([secret.trim(), ...secret.split(/\s+/)])) {
      if (whole.length < SHORTEST_CORE || whole.length > SEAM || !/\d/.test(whole)) continue;
      if (coresOf(whole).length > 1) this.#known.add(whole, { kind }, false);
    }
  }

  #ofSecret(secret: FoundSecret): Replacement[] {
    const { view, from } = secret;
    const text = secretText(secret);
    const place = ({ start, end }: { readonly start: number; readonly end: number }) => ({
      start: view.at(from + start),
      end: view.end(from + end),
    });
    const cores = coresOf(text).map((core) => ({
      ...place(core),
      text:
        this.#known.get(core.text)?.core ??
        this.#placeholderOf(core, this.#kinds.get(core.text) ?? secret.kind),
    }));
    const writing = unspacedRuns(text).map((run) => ({ ...place(run), text: '*' }));
    if (cores.length + writing.length > 0) return [...cores, ...writing];
    return [{ ...place({ start: 0, end: text.length }), text: '*' }];
  }

  #placeholderOf(core: Core, kind: SecretKind): string {
    const name = `${kind} ${core.text}`;
    const made = this.#made.get(name) ?? placeholderOf(core, kind, this.#key);
    this.#made.set(name, made);
    return made;
  }

  /** Where known secrets stand. A letter that an escape of JSON needs is none of a secret. */
  #knownIn(view: View, source: string): Replacement[] {
    const isSource = view.text === source && source.includes('\\');
    let isEscaping: boolean | undefined;
    return [...this.#known.find(view.text)].flatMap(({ from, to, value: { kind, core } }) => {
      if (isSource && isEscaped(source, from)) {
        isEscaping ??= isJson(source);
        if (isEscaping) return [];
      }
      if (core === undefined) return this.#ofSecret({ kind, view, from, to });
      return [{ start: view.at(from), end: view.end(to), text: core }];
    });
  }
}

/** Tells of a stretch whether one of these overlaps it, in the logarithm of their number. */
function overlapOf(
  taken: readonly Replacement[],
): (one: Pick<Replacement, 'start' | 'end'>) => boolean {
  const byStart = taken.toSorted((a, b) => a.start - b.start);
  let last = 0;
  const lastEnds = byStart.map(({ end }) => {
    last = Math.max(last, end);
    return last;
  });
  return ({ start, end }) => {
    let low = 0;
    for (let high = byStart.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((byStart[middle]?.start ?? end) < end) low = middle + 1;
      else high = middle;
    }
    return low > 0 && (lastEnds[low - 1] ?? 0) > start;
  };
}

function isKept({ text, isIdentifier }: Core): boolean {
  if (!isIdentifier) return text.length >= SHORTEST_WORDS && !/\d/.test(text);
  return text.length >= SHORTEST_CORE && (/\d/.test(text) || text.length >= SHORTEST_WORDS);
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
