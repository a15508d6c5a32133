import { z } from 'zod';
import { plain } from '../../compaction/located.ts';
import { Problems } from '../../compaction/problems.ts';
import { LARGEST_YAML, readYamlMapping } from '../../compaction/yaml-document.ts';
import { addIssues } from '../../compaction/zod-places.ts';
import { HarnessError } from '../../errors.ts';
import { wholeText } from '../../text/whole-file.ts';

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

/** Reads `sweeps/gate.yaml`. Rejects with `config.*` with file, line and key, `input.missing` or `input.size`. */
export async function readThresholds(file: string): Promise<GateThresholds> {
  const text = await wholeText(file, { what: 'the thresholds', limit: 4 * LARGEST_YAML });
  const problems = new Problems();
  const document = readYamlMapping(text, file, problems, 'contract: {runs: 100, seed: 1}');
  const result = document === undefined ? undefined : schema.safeParse(plain(document));
  if (document !== undefined && result?.success === false) {
    addIssues(result.error, schema, document, problems);
  }
  problems.throwIfAny();
  if (result?.success === true) return result.data;
  throw new HarnessError('config.syntax', 'expected a mapping with contract and cells', {
    at: { file },
  });
}
