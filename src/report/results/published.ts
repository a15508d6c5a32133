import { z } from 'zod';
import type { Comparison } from '../comparison.ts';
import type { Fidelity } from '../run-figures.ts';

/** What a snapshot says of itself in its manifest, so that later pages can list it and compare with it. */

const figure = z.number().nullable();

const headline = z.object({
  config: z.string(),
  /** Hash of the config; null of a table of live runs. */
  hash: z.string().nullable(),
  outcomes: figure,
  resolved: figure,
  verdict: z.string().nullable(),
  /** Shares of 1. */
  difference: figure,
  low: figure,
  high: figure,
  gross: figure,
  unique: figure,
  net: figure,
  pooled_pct: figure,
  mean_pct: figure,
  median_pct: figure,
  sent_change_pct: figure,
  signs_disagree: z.boolean(),
  counted: z.number(),
  fired_cells: z.number(),
  evidence_total: figure,
  evidence_kept: figure,
  solved: figure,
  grounded: figure,
  grounded_with_expand: figure,
});

export const publishedBlock = z.object({
  /** Counts up from 1 over the snapshots of a folder. */
  order: z.int(),
  date: z.string(),
  name: z.string(),
  /** File name without its ending. */
  stem: z.string(),
  kind: z.enum(['run', 'rewards']),
  /** Whom components asked; null of a table of live runs. */
  model: z.string().nullable(),
  /** Hash of what was worked on: the recordings of a run, the tasks of a table. */
  recordings: z.string(),
  baseline: z.string(),
  margin: z.number(),
  missing: z.string(),
  /** Reasons for which it would have been refused. */
  forced: z.array(z.string()),
  /** File of live rewards beside the run. */
  rewards: z.string().nullable(),
  configs: z.array(headline),
});

export type Published = z.output<typeof publishedBlock>;
export type Headline = z.output<typeof headline>;

/** The figures of a comparison that later snapshots are held against. */
export function headlinesOf(
  { configs }: Comparison,
  fidelity: ReadonlyMap<string, Fidelity>,
  hashes: ReadonlyMap<string, string>,
): Headline[] {
  return configs.map(({ config, rate, reward, savings }) => {
    const evidence = fidelity.get(config);
    return {
      config,
      hash: hashes.get(config) ?? null,
      outcomes: rate?.outcomes ?? null,
      resolved: rate?.resolved ?? null,
      verdict: reward?.verdict.word ?? null,
      difference: reward?.verdict.difference ?? null,
      low: reward?.verdict.interval.low ?? null,
      high: reward?.verdict.interval.high ?? null,
      gross: savings.gross ?? null,
      unique: savings.unique ?? null,
      net: savings.net ?? null,
      pooled_pct: savings.pooledPercent ?? null,
      mean_pct: savings.meanPercent ?? null,
      median_pct: savings.medianPercent ?? null,
      sent_change_pct: savings.sent.percent ?? null,
      signs_disagree: savings.signsDisagree,
      counted: savings.counted,
      fired_cells: savings.firedCells,
      evidence_total: evidence?.total ?? null,
      evidence_kept: evidence?.kept ?? null,
      solved: evidence?.solved ?? null,
      grounded: evidence?.grounded ?? null,
      grounded_with_expand: evidence?.groundedWithExpand ?? null,
    };
  });
}

/** Share of the evidence that is kept, in %; null where it was not measured or there is none. */
export function keptPercentOf({ evidence_kept, evidence_total }: Headline): number | null {
  if (evidence_kept === null || evidence_total === null || evidence_total === 0) return null;
  return (100 * evidence_kept) / evidence_total;
}
