/** Shares of the width that the beginning of a name keeps, the most readable first. */
const SPLITS = [0.4, 0.6, 0.2, 0.8, 0.1, 0.9];

/** `summarize:keep_last=3:min_tokens=500`, as a matrix names its configs, becomes `summarize:kl=3:mt=500`. */
function withShortKeys(name: string): string {
  return name.replace(/:([\w.]+)=/g, (_, key: string) => {
    const letters = key.split(/[_.]+/).map((word) => word.slice(0, 1));
    return `:${letters.join('')}=`;
  });
}

/** The same as `summarize:3:500`. */
function withoutKeys(name: string): string {
  return name.replace(/:[\w.]+=/g, ':');
}

/**
 * Names of at most `width` characters, and still all different: cut in the middle, or with less of the settings
 * that a matrix puts into them; where nothing keeps them apart, a number does.
 */
export function shortenNames(names: readonly string[], width: number): string[] {
  const spellings = [withShortKeys, withoutKeys].map((spell) => names.map(spell));
  const whole = spellings.filter((spelled) => spelled.every((name) => name.length <= width));
  for (const spelled of [names, ...whole, ...spellings]) {
    for (const split of SPLITS) {
      const shortened = spelled.map((name) => cut(name, width, split));
      if (new Set(shortened).size === new Set(names).size) return shortened;
    }
  }
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
