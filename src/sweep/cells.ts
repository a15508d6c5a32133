import { createHash } from 'node:crypto';
import type { Config } from '../compaction/config.ts';
import { SUMMARIZE_PROMPT_VERSION } from '../compaction/summarize-prompt.ts';
import { type AskingPlan, askingIdentity } from '../replay/asking.ts';
import type { TokenizerName } from '../text/tokens.ts';
import type { Transcript } from '../transcript/transcript.ts';

/** What holds for every cell of a sweep and can change its figures. */
export interface SweepSettings {
  readonly tokenizer: TokenizerName;
  /**
   * Who answers: `stub`, `stub-vague`, `none`, `live`, or `recorded`, which is a cassette that is being
   * written or read: both give the same figures.
   */
  readonly model: string;
  /** What tells a cassette from another one; absent without one. */
  readonly cassette?: string;
  /** What else answers where the cassette does not, if that changes figures. */
  readonly onMiss?: 'stub' | 'skip';
  /** Next-action agreement and probes; absent: neither is measured. */
  readonly asking?: AskingPlan;
  /** Repetitions of each cell; 1 or more. */
  readonly samples: number;
  /** False under `--no-guard`: rewrites that cannot be sent are measured all the same. */
  readonly guard: boolean;
  /** Model to assume where the recording names none. */
  readonly assumeModel?: string;
  /** True: the agent has the expand tool, where its config declares it. */
  readonly expand?: boolean;
}

/** One transcript under one config with one model and one sample: one row. */
export interface Cell {
  readonly transcript: Transcript;
  readonly config: Config;
  readonly sample: number;
  readonly id: string;
}

/** Raised whenever the harness itself gives other figures for the same input. */
export const MEASUREMENT_VERSION = 5;

/** Versions of the prompts that components send, by component. */
export const promptVersions: Readonly<Record<string, number>> = {
  summarize: SUMMARIZE_PROMPT_VERSION,
};

/** Whether expand is served, as cell ids and manifests say it. */
export function expandMode({ expand }: Pick<SweepSettings, 'expand'>): 'on' | 'off' {
  return expand === true ? 'on' : 'off';
}

/**
 * Cells in the order of the file: transcripts in source order, within each the configs in the order
 * given (baseline first), within each the samples.
 */
export class CellFactory {
  readonly #configs: readonly Config[];
  readonly #settings: SweepSettings;
  readonly #seen = new Map<string, number>();

  constructor(configs: readonly Config[], settings: SweepSettings) {
    this.#configs = configs;
    this.#settings = settings;
  }

  cellsOf(transcript: Transcript): Cell[] {
    const cells: Cell[] = [];
    const occurrence = this.#occurrence(transcript);
    for (const config of this.#configs) {
      for (let sample = 0; sample < this.#settings.samples; sample++) {
        const id = cellId({ transcript, config, sample, occurrence }, this.#settings);
        cells.push({ transcript, config, sample, id });
      }
    }
    return cells;
  }

  /** A recording can hold the very same lineage twice; each is a row of its own. */
  #occurrence(transcript: Transcript): number {
    const { task, trial, lineage, source, hash } = transcript;
    const key = JSON.stringify([task, trial, lineage, source.file, source.session, hash]);
    const count = this.#seen.get(key) ?? 0;
    this.#seen.set(key, count + 1);
    return count;
  }
}

/**
 * SHA-256, 20 hexadecimal digits, over everything that can change the figures of the cell, and over
 * what tells it from every other cell. The config's hash holds the components' versions and settings.
 */
export function cellId(
  cell: Omit<Cell, 'id'> & { readonly occurrence: number },
  settings: SweepSettings,
): string {
  const { transcript, config, sample, occurrence } = cell;
  const { tokenizer, model, guard, assumeModel } = settings;
  const identity = [
    MEASUREMENT_VERSION,
    [config.name, config.hash],
    transcript.hash,
    [transcript.task, transcript.trial, transcript.lineage],
    [transcript.source.file, transcript.source.session, occurrence],
    [tokenizer, model, assumeModel ?? null, guard, expandMode(settings), sample],
    modelIdentity(settings),
    transcript.model ?? null,
    promptVersions,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 20);
}

/** What beside `model` decides which answers a sweep gets. */
export function modelIdentity({ cassette, onMiss, asking }: SweepSettings): unknown {
  return [cassette ?? null, onMiss ?? null, askingIdentity(asking)];
}
