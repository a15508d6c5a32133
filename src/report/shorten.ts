/** Shares of the width that the beginning of a name keeps, the most readable first. */
const SPLITS = [0.4, 0.6, 0.2, 0.8, 0.1, 0.9];

/** What a name of a matrix, `summarize:keep_last=3:min_tokens=500`, may leave out of its settings, the least first. */
const SPELLINGS: readonly ((name: string) => string)[] = [
  (name) => name,
  // `summarize:kl=3:mt=500`
  (name) =>
    name.replace(
      /:([\w.]+)=/g,
      (_, key: string) => `:${key.replace(/([^_.])[^_.]*[_.]?/g, '$1')}=`,
    ),
  // `summarize:3:500`
  (name) => name.replace(/:[\w.]+=/g, ':'),
];

/**
 * Names of at most `width` characters, and still all different: cut in the middle, with shorter names of settings
 * where they have some; where nothing keeps them apart, a number does.
 */
export function shortenNames(names: readonly string[], width: number): string[] {
  const count = new Set(names).size;
  const isWhole = names.every((name) => name.length <= width);
  for (const spell of isWhole ? [] : SPELLINGS) {
    const spelled = names.map(spell);
    const fits = spelled.every((name) => name.length <= width);
    for (const split of fits ? [1] : SPLITS) {
      const shortened = spelled.map((name) => cut(name, width, split));
      if (new Set(shortened).size === count) return shortened;
    }
  }
  if (isWhole) return [...names];
  const numberWidth = String(names.length).length + 2;
  return names.map((name, index) => {
    if (name.length <= width) return name;
    return `${cut(name, width - numberWidth, 0.4)} #${String(index + 1)}`;
  });
}

function cut(name: string, width: number, split: number): string {
  if (name.length <= width) return name;
  const head = Math.max(1, Math.round((width - 1) * split));
  return `${name.slice(0, head)}…${name.slice(name.length - (width - 1 - head))}`;
}
