/**
 * The one error class of the harness. `code` is stable and machine-readable, `message` says what was
 * found, what was expected and what to do, `at` says where.
 */

/** Stable error codes. `harness.*` exits 1, everything else is bad usage, config or input: exit 2. */
export type ErrorCode =
  | 'usage'
  | 'config.missing'
  | 'config.syntax'
  | 'config.key'
  | 'config.value'
  | 'config.component'
  | 'input.missing'
  | 'input.empty'
  | 'input.syntax'
  | 'input.format'
  | 'input.schema'
  | 'input.encoding'
  | 'input.archive'
  | 'input.size'
  | 'input.changed'
  | 'input.shard'
  | 'model.missing'
  | 'model.timeout'
  | 'model.transport'
  | 'model.reply'
  | 'cassette.miss'
  | 'budget.exhausted'
  | 'component.timeout'
  | 'component.contract'
  | 'control.budget'
  | 'stash.missing'
  | 'output.conflict'
  | 'output.write'
  | 'redis.refused'
  | 'worker.failed'
  | 'harness.internal';

/** A place in a file: `line` and `column` count from 1; `key` is a dotted config key. */
export interface Place {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
}

export class HarnessError extends Error {
  override readonly name = 'HarnessError';
  readonly code: ErrorCode;
  readonly at: Place | undefined;

  constructor(code: ErrorCode, message: string, options: { cause?: unknown; at?: Place } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.at = options.at;
  }

  /** `file:line:column: message`, the form that editors and CI logs link. */
  describe(): string {
    const place = describePlace(this.at);
    return place === '' ? this.message : `${place}: ${this.message}`;
  }
}

/** `file:line:column` with the parts that are known; empty when nothing is known. */
export function describePlace(at: Place | undefined): string {
  if (at === undefined) return '';
  return [at.file, at.line, at.line === undefined ? undefined : at.column]
    .filter((part) => part !== undefined)
    .join(':');
}

/** The message of anything thrown, for a row's note or a log line. */
export function messageOf(error: unknown): string {
  if (error instanceof HarnessError) return error.describe();
  return error instanceof Error ? error.message : String(error);
}

/** The code of anything thrown; a foreign error is the harness's own failure. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof HarnessError ? error.code : 'harness.internal';
}

/** The operating system's name of what went wrong, e.g. `ENOENT`; undefined of any other error. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/**
 * The candidate nearest to `name` by edit distance (optimal string alignment), when it is near enough
 * to be a likely typo: at most a third of its length, and at least one edit for short names.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  if (best === undefined) return undefined;
  const limit = Math.max(2, Math.ceil(Math.max(name.length, best.candidate.length) / 3));
  return best.distance <= limit ? best.candidate : undefined;
}

function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min((previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
