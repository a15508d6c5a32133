/** Shares of the width that the beginning of a name keeps, the most readable first. */
const SPLITS = [0.4, 0.6, 0.2, 0.8, 0.1, 0.9];

/**
 * Names cut in the middle to at most `width` characters, and still all different: where no cut keeps
 * them apart, a number does.
 */
export function shortenNames(names: readonly string[], width: number): string[] {
  for (const split of SPLITS) {
    const shortened = names.map((name) => cut(name, width, split));
    if (new Set(shortened).size === new Set(names).size) return shortened;
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
