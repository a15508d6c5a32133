import { asArray, asObject, type JsonObject } from '../../json-values.ts';

/** A content block with its index. */
export interface Part {
  readonly block: JsonObject;
  readonly index: number;
}

/** The blocks of a message; none where its content is a string. */
export function partsOf(items: readonly JsonObject[]): readonly Part[] {
  return asArray(items[0]?.content).map((block, index) => ({ block: asObject(block), index }));
}
