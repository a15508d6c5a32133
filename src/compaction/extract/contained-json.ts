import { skipSpace, valueEnd } from '../../wire/json-spans.ts';

/** The first place of the candidate that has no counterpart in the original. */
export interface Failure {
  readonly at: string;
  readonly message: string;
}

/** Nesting that is walked; deeper JSON is refused, since a proof must not exhaust the stack. */
const DEEPEST = 500;

const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const QUOTE = 34;
const COMMA = 44;

/**
 * Walks two valid JSON texts at once, without building values: numbers stay as written and duplicate
 * keys stay apart. Items are matched to the earliest counterpart that contains them, which finds an
 * order-keeping match whenever there is one. A failed comparison costs no more than the original item
 * that it was made against, and each of these is looked at once: the walk is linear for a given depth.
 *
 * @param sequence both are sequences of values (NDJSON) instead of one value
 */
export function provePair(
  original: string,
  candidate: string,
  sequence: boolean,
): Failure | undefined {
  const walk = new Walk(original, candidate);
  return (sequence ? walk.sequence() : walk.root()) ? undefined : walk.failure(sequence);
}

/** A scalar with more characters is kept once it was read. */
const LONG = 64;

interface LongScalar {
  readonly text: string;
  readonly end: number;
  readonly isEscaped: boolean;
  /** Of a string: what it says. */
  readonly said: unknown;
}

class Walk {
  readonly #original: string;
  readonly #candidate: string;
  /** Ends of the values that were compared last, after a success. */
  #originalEnd = 0;
  #candidateEnd = 0;
  /** Where the comparison that matters failed; the original's place is -1 when nothing was left of it. */
  #failedOriginal = -1;
  #failedCandidate = 0;
  #tooDeep = false;
  /** Long scalars of the candidate, by their start. */
  readonly #long = new Map<number, LongScalar>();

  constructor(original: string, candidate: string) {
    this.#original = original;
    this.#candidate = candidate;
  }

  root(): boolean {
    return this.#value(skipSpace(this.#original, 0), skipSpace(this.#candidate, 0), 0);
  }

  sequence(): boolean {
    let o = skipSpace(this.#original, 0);
    let c = skipSpace(this.#candidate, 0);
    while (c < this.#candidate.length) {
      for (;;) {
        if (o >= this.#original.length) return this.#fail(-1, c);
        const found = this.#value(o, c, 0);
        o = skipSpace(this.#original, found ? this.#originalEnd : valueEnd(this.#original, o));
        if (found) break;
      }
      c = skipSpace(this.#candidate, this.#candidateEnd);
    }
    return true;
  }

  /** What failed, in words; the path is only worked out now. */
  failure(sequence: boolean): Failure {
    const at = pathTo(this.#candidate, this.#failedCandidate, sequence);
    if (this.#tooDeep) return { at, message: `${at} is nested deeper than ${DEEPEST}` };
    const found = excerpt(this.#candidate, this.#failedCandidate);
    if (this.#failedOriginal < 0) {
      const message = `${at} has no counterpart in what is left of the original: ${found}`;
      return { at, message };
    }
    const expected = excerpt(this.#original, this.#failedOriginal);
    return { at, message: `${at} is ${found}, the original has ${expected}` };
  }

  #fail(o: number, c: number): false {
    this.#failedOriginal = o;
    this.#failedCandidate = c;
    return false;
  }

  /** Whether the value at `c` is contained in the value at `o`. */
  #value(o: number, c: number, depth: number): boolean {
    if (depth > DEEPEST) {
      this.#tooDeep = true;
      return this.#fail(o, c);
    }
    const kind = this.#candidate.charCodeAt(c);
    if (kind === OPEN_BRACE || kind === OPEN_BRACKET) {
      if (this.#original.charCodeAt(o) !== kind) return this.#fail(o, c);
      return kind === OPEN_BRACE ? this.#object(o, c, depth) : this.#array(o, c, depth);
    }
    return this.#scalar(o, c) || this.#fail(o, c);
  }

  #scalar(o: number, c: number): boolean {
    const { text, end } = this.#read(c);
    if (this.#original.startsWith(text, o) && endsValue(this.#original, o, text.length)) {
      this.#originalEnd = o + text.length;
      this.#candidateEnd = end;
      return true;
    }
    if (text.charCodeAt(0) !== QUOTE || this.#original.charCodeAt(o) !== QUOTE) return false;
    const from = valueEnd(this.#original, o);
    // Without an escape in either they differ. What a long one says is only read once.
    const written = this.#original.slice(o, from);
    const known = this.#long.get(c);
    const isEscaped = written.includes('\\') || (known?.isEscaped ?? text.includes('\\'));
    if (!isEscaped || JSON.parse(written) !== (known?.said ?? JSON.parse(text))) return false;
    this.#originalEnd = from;
    this.#candidateEnd = end;
    return true;
  }

  /** The scalar at `c`: one that is long is read once, however many items it is held against. */
  #read(c: number): { readonly text: string; readonly end: number } {
    const known = this.#long.size > 0 ? this.#long.get(c) : undefined;
    if (known !== undefined) return known;
    const end = valueEnd(this.#candidate, c);
    const text = this.#candidate.slice(c, end);
    if (end - c <= LONG) return { text, end };
    const isEscaped = text.includes('\\');
    const said: unknown = isEscaped ? JSON.parse(text) : text.slice(1, -1);
    const read = { text, end, isEscaped, said };
    this.#long.set(c, read);
    return read;
  }

  #array(o: number, c: number, depth: number): boolean {
    let oItem = skipSpace(this.#original, o + 1);
    let cItem = skipSpace(this.#candidate, c + 1);
    while (this.#candidate.charCodeAt(cItem) !== CLOSE_BRACKET) {
      let tried = 0;
      for (;;) {
        if (this.#original.charCodeAt(oItem) === CLOSE_BRACKET) {
          // With one item to compare, its own difference says more than that none was left.
          return tried === 1 ? false : this.#fail(-1, cItem);
        }
        const found = this.#value(oItem, cItem, depth + 1);
        const end = found ? this.#originalEnd : valueEnd(this.#original, oItem);
        oItem = next(this.#original, end);
        tried++;
        if (found) break;
      }
      cItem = next(this.#candidate, this.#candidateEnd);
    }
    return this.#close(oItem, cItem, CLOSE_BRACKET);
  }

  #object(o: number, c: number, depth: number): boolean {
    let oKey = skipSpace(this.#original, o + 1);
    let cKey = skipSpace(this.#candidate, c + 1);
    while (this.#candidate.charCodeAt(cKey) !== CLOSE_BRACE) {
      let named = false;
      for (;;) {
        if (this.#original.charCodeAt(oKey) === CLOSE_BRACE) {
          return named ? false : this.#fail(-1, cKey);
        }
        const same = this.#scalar(oKey, cKey);
        const keyEnd = same ? this.#originalEnd : valueEnd(this.#original, oKey);
        const oValue = afterColon(this.#original, keyEnd);
        const found =
          same && this.#value(oValue, afterColon(this.#candidate, this.#candidateEnd), depth + 1);
        named ||= same;
        oKey = next(this.#original, found ? this.#originalEnd : valueEnd(this.#original, oValue));
        if (found) break;
      }
      cKey = next(this.#candidate, this.#candidateEnd);
    }
    return this.#close(oKey, cKey, CLOSE_BRACE);
  }

  /** Steps over what is left of the original's container. */
  #close(o: number, c: number, bracket: number): true {
    let at = o;
    while (this.#original.charCodeAt(at) !== bracket) {
      const end = valueEnd(this.#original, at);
      const after = skipSpace(this.#original, end);
      at =
        this.#original[after] === ':'
          ? skipSpace(this.#original, after + 1)
          : next(this.#original, end);
    }
    this.#originalEnd = at + 1;
    this.#candidateEnd = c + 1;
    return true;
  }
}

/** Start of the next entry after one that ends at `end`, or the closing bracket. */
function next(text: string, end: number): number {
  const at = skipSpace(text, end);
  return text.charCodeAt(at) === COMMA ? skipSpace(text, at + 1) : at;
}

function afterColon(text: string, keyEnd: number): number {
  return skipSpace(text, skipSpace(text, keyEnd) + 1);
}

/** Whether a scalar of `length` that matches at `start` is whole there: `12` is not in `123`. */
function endsValue(text: string, start: number, length: number): boolean {
  if (text.charCodeAt(start) === QUOTE) return true;
  return valueEnd(text, start) === start + length;
}

function excerpt(text: string, start: number): string {
  return text.slice(start, Math.min(valueEnd(text, start), start + 80));
}

/** JSON path of the value (or the key) that starts at `offset`, found in one pass over what is before it. */
function pathTo(text: string, offset: number, sequence: boolean): string {
  const steps: (number | string)[] = sequence ? [0] : [];
  /** Whether each open container is an object. */
  const open: boolean[] = [];
  let isKey = false;
  for (let at = skipSpace(text, 0); at < text.length; ) {
    const code = text.charCodeAt(at);
    let end = at + 1;
    if (isKey && code === QUOTE) {
      end = valueEnd(text, at);
      steps[steps.length - 1] = keyStep(text.slice(at, end));
      if (offset < end) break;
      // Over the colon.
      end = skipSpace(text, end) + 1;
      isKey = false;
    } else if (offset <= at) {
      break;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      isKey = code === OPEN_BRACE;
      open.push(isKey);
      steps.push(isKey ? '' : 0);
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      open.pop();
      steps.pop();
      isKey = false;
    } else if (code === COMMA) {
      isKey = open.at(-1) === true;
      if (!isKey) addOne(steps);
    } else {
      end = valueEnd(text, at);
    }
    at = skipSpace(text, end);
    // The next value of a sequence has no comma before it.
    if (sequence && open.length === 0 && at < text.length) addOne(steps);
  }
  return `$${steps.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join('')}`;
}

function keyStep(written: string): string {
  return `.${String(JSON.parse(written)).slice(0, 40)}`;
}

function addOne(steps: (number | string)[]): void {
  const last = steps.at(-1);
  if (typeof last === 'number') steps[steps.length - 1] = last + 1;
}
