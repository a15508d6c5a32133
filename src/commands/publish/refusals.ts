import type { CellResult } from '../../rows/result.ts';
import { isFinished } from '../../rows/result.ts';
import type { Manifest } from '../../sweep/manifest.ts';

/** Why a run should not be published, a reason a line; empty where nothing speaks against it. */
export function refusals(
  manifest: Manifest,
  rows: readonly CellResult[],
  unknownConfigs: readonly string[],
): string[] {
  const { status, counts, revision, problems, configs, shard } = manifest;
  const reasons: string[] = [];
  const failed = rows.filter((row) => !isFinished(row)).length;
  const finished = rows.length - failed;
  if (shard !== undefined) {
    reasons.push(`it is shard ${shard.index}/${shard.count} of a sweep: merge the shards first`);
  }
  if (failed > 0) reasons.push(`${failed} of ${rows.length} cells failed`);
  if (status === 'running' || status === 'interrupted') {
    reasons.push(`the run is not finished (${status})`);
  } else if (counts === undefined || counts.finished !== finished) {
    const expected = counts === undefined ? 'an unknown number' : String(counts.finished);
    reasons.push(`the file has ${finished} finished cells, the manifest says ${expected}`);
  }
  if (revision === undefined) reasons.push('the revision that ran is not known');
  else if (revision.dirty) reasons.push('the revision that ran had uncommitted changes');
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) reasons.push(`${errors} inputs could not be read`);
  const named = new Set(configs.map(({ name }) => name));
  const foreign = new Set(rows.map(({ config }) => config).filter((name) => !named.has(name)));
  if (foreign.size > 0) {
    reasons.push(`configs that the manifest does not have: ${[...foreign].join(', ')}`);
  }
  if (unknownConfigs.length > 0) {
    reasons.push(
      `configs that no document of sweeps/ gives with the same settings: ${unknownConfigs.join(', ')}`,
    );
  }
  return reasons;
}
