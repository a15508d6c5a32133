/** Globs over paths with `/`: `*`, `**`, `?`, `[abc]`, `[!abc]` and `{one,two}`. */

const MAGIC = /[*?[\]{}]/;

export function hasGlob(pattern: string): boolean {
  return MAGIC.test(pattern);
}

/** The folder before the first component with a wildcard, and the rest. */
export function splitGlob(pattern: string): { readonly base: string; readonly glob: string } {
  const parts = pattern.split('/');
  const first = parts.findIndex((part) => MAGIC.test(part));
  const base = parts.slice(0, first).join('/');
  const root = pattern.startsWith('/') ? '/' : '.';
  return { base: base === '' ? root : base, glob: parts.slice(first).join('/') };
}

/** A test of relative paths; `**` as a whole component stands for any number of folders. */
export function toMatcher(glob: string): (path: string) => boolean {
  const sources = expandBraces(glob).map((single) => {
    const parts = single.split('/');
    return parts
      .map((part, index) => {
        const isLast = index === parts.length - 1;
        if (part === '**') return isLast ? '.*' : '(?:[^/]+/)*';
        return componentSource(part) + (isLast ? '' : '/');
      })
      .join('');
  });
  const pattern = new RegExp(`^(?:${sources.join('|')})$`, 'su');
  return (path) => pattern.test(path);
}

/** At most this many alternatives; more would be a typo rather than a choice of files. */
const MAX_ALTERNATIVES = 1000;

function expandBraces(glob: string): readonly string[] {
  const done: string[] = [];
  const pending = [glob];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const group = /\{([^{}]*)\}/.exec(next);
    const inside = group?.[1];
    if (group === null || inside === undefined || done.length + pending.length > MAX_ALTERNATIVES) {
      done.push(next);
      continue;
    }
    const before = next.slice(0, group.index);
    const after = next.slice(group.index + group[0].length);
    for (const choice of inside.split(',')) pending.push(`${before}${choice}${after}`);
  }
  return done;
}

function componentSource(part: string): string {
  return part.replace(/\*+|\?|\[(!?)([^\]]+)\]|[\s\S]/gu, (token, not, set) => {
    if (token.startsWith('*')) return '[^/]*';
    if (token === '?') return '[^/]';
    if (typeof set === 'string') {
      const inside = setSource(set);
      return not === '!' ? `[^/${inside}]` : `[${inside}]`;
    }
    return token.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  });
}

/** The inside of a set, `a-z_`, as one of a regular expression; a range that ends before it begins holds nothing. */
function setSource(set: string): string {
  return set.replace(/(.)-(.)|[\s\S]/gu, (token, first, last) => {
    if (typeof first !== 'string' || typeof last !== 'string') return spelled(token);
    const [from, to] = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
    return from <= to ? `${spelled(first)}-${spelled(last)}` : '';
  });
}

/** A character by its number, which no set reads as anything else. */
function spelled(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
