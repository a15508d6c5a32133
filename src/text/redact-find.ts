import { type SecretKind, type SecretPattern, secretPatterns } from './redact-patterns.ts';
import { nestedView, plainView, unescapedView, type View } from './redact-views.ts';

/** A secret in a text: units `from` to `to` of a reading of it. */
export interface FoundSecret {
  readonly kind: SecretKind;
  readonly view: View;
  readonly from: number;
  readonly to: number;
}

export function secretText({ view, from, to }: FoundSecret): string {
  return view.text.slice(from, to);
}

/** The readings of a text in which secrets may stand: as it is, and with its escapes undone. */
export function viewsOf(base: View): readonly View[] {
  const unescaped = unescapedView(base.text);
  return unescaped === undefined ? [base] : [base, nestedView(unescaped, base)];
}

/** The secrets of a text, in order; none overlaps another. */
export function secretsIn(
  text: string,
  patterns: readonly SecretPattern[] = secretPatterns,
): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const [plain, ...others] = viewsOf(plainView(text));
  for (const view of plain === undefined ? [] : [plain, ...others]) {
    for (const pattern of patterns) {
      for (const { start, end, kind = pattern.kind } of pattern.find(view.text)) {
        // With an escape in it, it is read as what the escape stands for.
        if (view === plain && view.text.slice(start, end).includes('\\')) continue;
        found.push({ kind, view, from: start, to: end });
      }
    }
  }
  return apart(found);
}

/** What several patterns found, the parts that an earlier one covers taken away. */
export function apart(found: readonly FoundSecret[]): readonly FoundSecret[] {
  if (found.length < 2) return found;
  const startOf = ({ view, from }: FoundSecret) => view.at(from);
  const endOf = ({ view, to }: FoundSecret) => view.at(to);
  const ordered = found.toSorted(
    (one, other) => startOf(one) - startOf(other) || endOf(other) - endOf(one),
  );
  const kept: FoundSecret[] = [];
  let end = 0;
  for (const secret of ordered) {
    let { from } = secret;
    while (from < secret.to && secret.view.at(from) < end) from++;
    if (from >= secret.to) continue;
    kept.push(from === secret.from ? secret : { ...secret, from });
    end = endOf(secret);
  }
  return kept;
}
