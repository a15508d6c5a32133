import type { Transcript } from '../../transcript/transcript.ts';
import type { Cell } from '../cells.ts';
import type { Selection } from '../manifest.ts';
import type { CellsToMeasure } from '../measure-cells.ts';
import { type CellsJob, idOf, type SharedTranscript } from './bullmq-protocol.ts';

/** A job, and what the starter keeps of it until its result is written. */
export interface CellsUnit {
  /** Of the job; the same whenever the same run comes to these cells. */
  readonly id: string;
  /** The cells to measure, without their messages. */
  readonly left: readonly Cell[];
  readonly job: Omit<CellsJob, 'run' | 'transcript'>;
}

/**
 * The jobs of one transcript: the cells of each sample that are left. They share what is computed of its
 * messages, and a control needs the cell of its sample that it matches. Where the agent's model is asked, all
 * samples are one job: they share its answers.
 */
export function unitsOf(
  work: CellsToMeasure,
  run: string,
  { configs, settings }: Selection,
): CellsUnit[] {
  const numbers = new Map(configs.map((config, number) => [config.name, number]));
  const groups = new Map<number, Cell[]>();
  for (const cell of work.cells) {
    const group = settings.asking === undefined ? cell.sample : 0;
    groups.set(group, [...(groups.get(group) ?? []), cell]);
  }
  return [...groups.values()].flatMap((cells): CellsUnit[] => {
    const left = cells.filter(({ id }) => !work.isFinished(id));
    if (left.length === 0) return [];
    const finished = cells.filter(({ id }) => work.isFinished(id)).map(({ id }) => id);
    const budgets = finished.flatMap((id): [string, number[]][] => {
      const budget = work.budgetOf(id);
      return budget === undefined ? [] : [[id, [...budget]]];
    });
    return [
      {
        id: idOf([run, ...cells.map(({ id }) => id)]),
        left: left.map(withoutMessages),
        job: {
          cells: cells.map(({ config, sample, id }) => ({
            config: numbers.get(config.name) ?? 0,
            sample,
            id,
          })),
          finished,
          budgets: Object.fromEntries(budgets),
        },
      },
    ];
  });
}

function withoutMessages(cell: Cell): Cell {
  return { ...cell, transcript: { ...cell.transcript, requests: [] } };
}

/** Where workers find a transcript themselves. */
export function sharedTranscript(transcript: Transcript): SharedTranscript {
  const { task, trial, lineage, hash, source } = transcript;
  return { kind: 'path', task, trial, lineage, hash, ...source };
}
