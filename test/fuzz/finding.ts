/** What a run broke: the property that did not hold, in words. */
export class Finding extends Error {
  override readonly name = 'Finding';
}

/** @throws Finding */
export function insist(holds: boolean, what: () => string): void {
  if (!holds) throw new Finding(what());
}
