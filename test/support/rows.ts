import type { CellResult } from '../../src/rows/result.ts';

/** A finished row of a run with counts and evidence; `facts` replaces what matters. */
export function runRow(task: string, config: string, facts: Partial<CellResult> = {}): CellResult {
  const before = facts.tokensBefore ?? 1000;
  const after = facts.tokensAfter ?? (config === 'baseline' ? before : before / 2);
  const recorded = 'recordedReward' in facts ? facts.recordedReward : 1;
  return {
    task,
    config,
    note: 'ok',
    trial: '0',
    sample: 0,
    lineage: 'main',
    sourceFormat: 'messages',
    model: 'stub',
    tokenizer: 'o200k_base',
    cellId: `${config} ${task}`,
    configHash: config,
    transcriptHash: task,
    requests: 4,
    tokensBefore: before,
    tokensAfter: after,
    tokensSaved: before - after,
    percentSaved: (100 * (before - after)) / before,
    uniqueSaved: (before - after) / 2,
    netSaved: (before - after) / 2,
    fired: before === after ? 0 : 2,
    evidenceTotal: 10,
    evidenceKept: config === 'baseline' ? 10 : 8,
    evidenceRecoverable: config === 'baseline' ? 0 : 1,
    evidenceLost: config === 'baseline' ? 0 : 1,
    evidenceMutated: 0,
    actionsWithEvidence: 5,
    actionsSupported: config === 'baseline' ? 5 : 4,
    recordedReward: recorded,
    reward: recorded,
    rewardWithExpand: config === 'baseline' ? undefined : recorded,
    modelInputTokens: config === 'baseline' ? 0 : 30,
    modelOutputTokens: config === 'baseline' ? 0 : 12,
    ...facts,
  };
}
