import type { Envelope } from '../transcript/transcript.ts';
import { isObject } from '../wire/json-object.ts';

/** Members of a Responses body that name a history which the provider keeps, and puts before the list. */
const HISTORIES = ['previous_response_id', 'conversation'] as const;

/**
 * Which history that the provider keeps the call goes on with, as `previous_response_id "resp_1"`; undefined
 * where the list that was logged is all that the model read.
 */
export function historyKept({ head, tail }: Envelope): string | undefined {
  const isNamed = HISTORIES.some((name) => [head, tail].some((text) => text.includes(`"${name}"`)));
  if (!isNamed) return undefined;
  // Where the input is a lone text, no bracket of a list stands around its place.
  const list = head.trimEnd().endsWith('[') ? '' : 'null';
  const body: unknown = JSON.parse(`${head}${list}${tail}`);
  if (!isObject(body)) return undefined;
  for (const name of HISTORIES) {
    const value = body[name];
    const id = isObject(value) ? value.id : value;
    if (typeof id === 'string') return `${name} ${JSON.stringify(id)}`;
  }
  return undefined;
}
