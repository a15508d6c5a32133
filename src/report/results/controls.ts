/** Controls of equal budget and the configs that they match. */

const CONTROL = /^control-[^@]+@(.+)$/s;

/** The config whose budget a control has; undefined of what is no control. */
export function controlledBy(config: string): string | undefined {
  return CONTROL.exec(config)?.[1];
}

/** Every config with its controls behind it; controls of a config that is not here keep their place at the end. */
export function withControlsBeside<Item extends { readonly config: string }>(
  items: readonly Item[],
): Item[] {
  const names = new Set(items.map(({ config }) => config));
  const matchOf = ({ config }: Item) => {
    const match = controlledBy(config);
    return match !== undefined && names.has(match) ? match : undefined;
  };
  return items
    .filter((item) => matchOf(item) === undefined)
    .flatMap((item) => [item, ...items.filter((other) => matchOf(other) === item.config)]);
}
