import { findTranscript } from '../../../src/commands/show/find-transcript.ts';
import { loadConfig } from '../../../src/commands/show/load-config.ts';
import { replayCell } from '../../../src/commands/show/replay-cell.ts';
import type { ReplayedCell } from '../../../src/report/show/cell.ts';
import { root } from '../../commands/cli.ts';

const TASK = 'parse-subtitle-cues';

/** A fixture under a config of `sweeps/`. */
export async function cellOf(config: string, task: string = TASK): Promise<ReplayedCell> {
  const environment = { cwd: root, variables: {} };
  const wanted = { task, trial: undefined, lineage: undefined };
  const file = `fixtures/transcripts/${task}.jsonl`;
  const { transcript } = await findTranscript([file], wanted, root, () => {});
  const loaded = await loadConfig(config, [], environment);
  return replayCell(transcript, loaded, { model: 'stub', expand: false }, environment);
}
