import { type SecretKind, type SecretPattern, secretPatterns } from './redact-patterns.ts';
import {
  hasTerminalCodes,
  nestedView,
  plainView,
  terminalViews,
  unescapedView,
  type View,
} from './redact-views.ts';

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

/**
 * The readings of a text in which secrets may stand: as it is, with its escapes undone, and each of them as
 * a terminal would show it.
 */
export function viewsOf(base: View): readonly View[] {
  const unescaped = unescapedView(base.text);
  const views = unescaped === undefined ? [base] : [base, nestedView(unescaped, base)];
  const shown = views.flatMap((view) =>
    terminalViews(view.text).map((inner) => nestedView(inner, view)),
  );
  return [...views, ...shown];
}

/** The secrets of a text, in order; none overlaps another. */
export function secretsIn(
  text: string,
  patterns: readonly SecretPattern[] = secretPatterns,
): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const views = viewsOf(plainView(text));
  const hasCodes = views.length > 2;
  for (const [index, view] of views.entries()) {
    for (const pattern of patterns) {
      for (const { start, end, kind = pattern.kind } of pattern.find(view.text)) {
        const secret = view.text.slice(start, end);
        // With an escape in it, it is read as what the escape stands for, and codes as a terminal does.
        if (index === 0 && secret.includes('\\')) continue;
        if (hasCodes && hasTerminalCodes(secret)) continue;
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
  const endOf = ({ view, to }: FoundSecret) => view.end(to);
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
