import { HarnessError, nearestName } from '../../errors.ts';

/** Header by which a client asks for a misbehaviour, e.g. `x-stub-misbehave: 429:2`. */
export const MISBEHAVE_HEADER = 'x-stub-misbehave';

/** How the server treats one request for a reply. */
export type Misbehaviour =
  /** Not at all. */
  | { readonly kind: 'ok' }
  /** The provider's error of this HTTP status; `retryAfter` in seconds, or an HTTP date. */
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number | string }
  /** The right answer, this many milliseconds late. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** No answer, the connection stays open. */
  | { readonly kind: 'hang' }
  /** The connection is closed before a byte of the answer. */
  | { readonly kind: 'drop' }
  /** The right answer, closed in the middle of its body. */
  | { readonly kind: 'cut' }
  /** Status 200 and a body that is no JSON. */
  | { readonly kind: 'malformed' }
  /** Status 200 and JSON of another kind. */
  | { readonly kind: 'schema' }
  /** Status 200 without a body. */
  | { readonly kind: 'empty' }
  /** The right answer, without a word in it. */
  | { readonly kind: 'blank' };

const PLAIN = ['ok', 'hang', 'drop', 'cut', 'malformed', 'schema', 'empty', 'blank'] as const;

const STEP = /^([a-z]+|\d{3})(?::([\d.]+))?(?:\*(\d{1,4}))?$/;

/**
 * Reads a script such as `429:2,slow:500,ok*3,drop`: one step a request, in order of arrival. A number is a
 * status (with the seconds of its `retry-after`), `slow` has its milliseconds, `*3` repeats a step.
 * @throws HarnessError `usage`
 */
export function parseMisbehaviour(script: string): readonly Misbehaviour[] {
  return script.split(',').flatMap((word) => {
    const [, name = '', amount, times = '1'] = STEP.exec(word.trim()) ?? [];
    const step = stepOf(name, amount === undefined ? undefined : Number(amount));
    if (step === undefined) throw unknownStep(word.trim());
    return Array.from({ length: Number(times) }, () => step);
  });
}

function stepOf(name: string, amount: number | undefined): Misbehaviour | undefined {
  if (Number.isNaN(amount)) return undefined;
  const kind = PLAIN.find((known) => known === name);
  if (kind !== undefined) return amount === undefined ? { kind } : undefined;
  if (name === 'slow') return amount === undefined ? undefined : { kind: 'slow', ms: amount };
  const status = /^\d{3}$/.test(name) ? Number(name) : 0;
  if (status < 400 || status > 599) return undefined;
  return { kind: 'status', status, ...(amount === undefined ? {} : { retryAfter: amount }) };
}

function unknownStep(word: string): HarnessError {
  const name = word.replace(/[:*].*/, '');
  const nearest = nearestName(name, [...PLAIN, 'slow']);
  const hint = nearest === undefined || nearest === name ? '' : `; did you mean ${nearest}?`;
  return new HarnessError(
    'usage',
    `no step '${word}': expected a status from 400 to 599 (429, or 429:2 with a retry-after of 2 s), slow:MS or one of ${PLAIN.join(', ')}, each with *N to repeat it${hint}`,
  );
}
