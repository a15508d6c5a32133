import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import { HarnessError, nearestName } from '../../errors.ts';

const count = z.number().int().min(0);
const points = z.number().min(0);

const schema = z.strictObject({
  contract: z.strictObject({ runs: count.min(1), seed: z.number().int() }),
  cells: z.strictObject({
    violations_recorded: count,
    violations_added: count,
    reverted_by_shape: count,
    pooled_points: points,
    cell_points: points,
    evidence_points: points,
    reward_points: points,
  }),
});

export type GateThresholds = z.output<typeof schema>;

/** Reads `sweeps/gate.yaml`. Throws HarnessError `config.*` with file and key. */
export async function readThresholds(file: string): Promise<GateThresholds> {
  let value: unknown;
  try {
    value = parse(await readFile(file, 'utf8'));
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new HarnessError('config.syntax', message, { cause, at: { file } });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // A misspelt key is also a missing one; the misspelling says more.
  const { issues } = result.error;
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const key = (issue?.path ?? []).join('.');
  if (issue?.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    const names = [...Object.keys(schema.shape), ...Object.keys(schema.shape.cells.shape)];
    const nearest = nearestName(unknown, names);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    throw new HarnessError('config.key', `unknown threshold ${unknown}${hint}`, {
      at: { file, key },
    });
  }
  throw new HarnessError('config.value', `${key}: ${issue?.message ?? 'wrong'}`, {
    at: { file, key },
  });
}
