import { setFlagsFromString } from 'node:v8';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestOfView, sharedOfViews } from '../../src/transcript/list-views.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Request } from '../../src/transcript/transcript.ts';

function messageOf(hash: string): Message {
  return { role: 'user', blocks: [], raw: hash, identity: { hash, memo: new Map() } };
}

describe('requests that share one array', () => {
  test('property: have the list and the facts that they were made of', () => {
    const facts = fc.record(
      { time: fc.nat(), cost: fc.nat(), model: fc.string() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.array(facts, { maxLength: 20 }), (more, made) => {
        const items = made.map((_, index) => messageOf(`${index}`));
        const requests = made.map((rest, index) =>
          requestOfView(items, index, { segment: 0, ...rest }),
        );
        for (let added = 0; added < more; added++) items.push(messageOf(`more ${added}`));
        for (const [index, request] of requests.entries()) {
          expect(request).toEqual({ segment: 0, ...made[index] });
          expect(request.messages).toEqual(items.slice(0, index));
          expect(request.messages).toBe(request.messages);
          const next = requests[index + 1]?.messages ?? request.messages;
          expect(sharedOfViews(request.messages, next)).toBe(index);
        }
      }),
      { seed: 11, numRuns: 200 },
    );
  });

  test('have one hidden class, where they have the same facts', () => {
    setFlagsFromString('--allow-natives-syntax');
    const haveSameMap = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (
      a: Request,
      b: Request,
    ) => boolean;
    const items = ['a', 'b', 'c'].map(messageOf);
    const [one, other] = [1, 2].map((length) =>
      requestOfView(items, length, { segment: 0, time: length, model: 'm' }),
    );
    if (one === undefined || other === undefined) throw new Error('two were made');
    expect(haveSameMap(one, other)).toBe(true);
    expect(haveSameMap(one, requestOfView(items, 1, { segment: 0 }))).toBe(false);
  });
});
