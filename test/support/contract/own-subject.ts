import * as fc from 'fast-check';
import { z } from 'zod';
import { loadComponent } from '../../../src/compaction/own-component.ts';
import { keepsNothing } from './reuse.ts';
import type { Subject } from './subjects.ts';

/**
 * A component of a user's own, by the path of its file. Its settings are drawn from its schema, every key
 * optional, so that defaults are met too; what reuse it promises is not known, so none is asked.
 */
export async function ownSubject(path: string): Promise<Subject> {
  const { entry } = await loadComponent(path);
  const settings = drawnFrom(entry.schema).filter((drawn) => entry.schema.safeParse(drawn).success);
  return {
    name: entry.name,
    settings,
    reuse: keepsNothing,
    bind: (drawn) => {
      const outcome = entry.bind(entry.name, drawn);
      if (!outcome.ok) throw outcome.error;
      return outcome.bound;
    },
  };
}

const described = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})).default({}),
});

const property = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
});

/** Small settings first, since a component that never acts is not held to anything. */
function drawnFrom(schema: z.ZodType): fc.Arbitrary<object> {
  const { properties } = described.parse(
    z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }),
  );
  const keys: Record<string, fc.Arbitrary<unknown>> = {};
  for (const [key, value] of Object.entries(properties)) {
    const drawn = drawnValue(property.parse(value));
    if (drawn !== undefined) keys[key] = drawn;
  }
  return fc.record(keys, { requiredKeys: [] });
}

function drawnValue({
  type,
  enum: choices,
  minimum = 0,
  maximum = Number.POSITIVE_INFINITY,
}: z.output<typeof property>): fc.Arbitrary<unknown> | undefined {
  if (choices !== undefined && choices.length > 0) return fc.constantFrom(...choices);
  if (type === 'boolean') return fc.boolean();
  if (type !== 'integer' && type !== 'number') return undefined;
  const least = Math.max(minimum, 0);
  const values = [least, least + 1, least + 2, least + 20, least + 200];
  return fc.constantFrom(...values.filter((value) => value <= maximum));
}
