/** A choice: what it saves, and what it loses or costs; undefined where that was not measured. */
export interface Choice {
  readonly name: string;
  readonly saved: number;
  /** The same measures, in the same order, for every choice; less is better. */
  readonly costs: readonly (number | undefined)[];
}

/**
 * Names of the choices that no other one beats: none saves at least as much at no higher cost in any
 * measure that both have, and is better in one of them (the Pareto frontier).
 */
export function frontierOf(choices: readonly Choice[]): ReadonlySet<string> {
  return new Set(
    choices
      .filter((choice) => !choices.some((other) => beats(other, choice)))
      .map(({ name }) => name),
  );
}

function beats(one: Choice, other: Choice): boolean {
  if (one.saved < other.saved) return false;
  let better = one.saved > other.saved;
  for (const [index, cost] of one.costs.entries()) {
    const compared = other.costs[index];
    if (cost === undefined || compared === undefined) continue;
    if (cost > compared) return false;
    if (cost < compared) better = true;
  }
  return better;
}
