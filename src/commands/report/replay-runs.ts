import { priorityOf, ReplayCollector } from '../../report/html/replay-collector.ts';
import type { ReportInput } from '../../report/html/report-input.ts';
import { curveChoice, recordingKey } from '../../report/html/session-curves.ts';
import type { RequestLines } from '../../report/parquet-requests.ts';
import { startProgress } from '../../report/progress.ts';
import type { CellResult } from '../../rows/result.ts';
import { pushAll } from '../../text/long-lists.ts';
import type { Environment } from '../environment.ts';
import type { ReportOptions } from './options.ts';
import { replayRun, type WantedRow } from './replay-run.ts';
import type { LoadedRun, RunRow } from './runs.ts';

/** A report stays under this, in bytes. */
const LARGEST = 9_800_000;

/** Of it, what everything but before and after takes at most: rows, drawings, tables, script. */
const APART = 1_600_000;

/** Cells that are replayed for the page alone; `--parquet` has all replayed. */
const MOST_REPLAYED = 1_500;

interface ReplayPlan {
  readonly figures: Pick<ReportInput, 'comparison' | 'totals'>;
  readonly lines: RequestLines | undefined;
  readonly options: ReportOptions;
  spell(text: string): string;
}

/** Replays what the page and the file of requests need of all runs; says what was left out. */
export async function replayAll(
  runs: readonly LoadedRun[],
  merged: readonly RunRow[],
  rows: readonly CellResult[],
  { figures, lines, options, spell }: ReplayPlan,
  environment: Environment,
) {
  const { cwd, signal, stderr, variables, now } = environment;
  const chosen = lines === undefined ? mostTelling(rows) : undefined;
  const places = new Map<LoadedRun, WantedRow[]>(runs.map((run) => [run, []]));
  for (const [place, { run, row }] of merged.entries()) {
    const shown = rows[place];
    if (shown !== undefined && (chosen?.has(recordingKey(shown)) ?? true)) {
      places.get(run)?.push({ place, row });
    }
  }
  const wanted = [...places.values()].flat();
  const rowBytes = Buffer.byteLength(JSON.stringify(rows.slice(0, 6_000)));
  const collector = new ReplayCollector({
    rows,
    choice: curveChoice(rows, figures.totals),
    room: LARGEST - APART - Math.min(3_000_000, rowBytes),
    recordings: new Set(wanted.map(({ place }) => recordingKey(rows[place] ?? NO_ROW))).size,
    redact: options.redact,
  });
  const notes: string[] =
    chosen === undefined || wanted.length === merged.length
      ? []
      : [
          `Of ${merged.length} cells ${wanted.length} were replayed for before and after and for the sources of savings: those of the recordings with most evidence missing.`,
        ];
  const { CI, TERM } = variables;
  const progress = startProgress({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTerminal && TERM !== 'dumb' && (CI ?? '') === '',
    columns: stderr.columns,
    now,
  });
  let done = 0;
  try {
    for (const [run, own] of places) {
      const sink = {
        recording: (transcript: Parameters<ReplayCollector['recording']>[0]) => {
          const taker = collector.recording(transcript);
          return {
            add: (place: number, cell: Parameters<typeof taker.add>[1]) => {
              taker.add(place, cell);
              const { row, config } = merged[place] ?? {};
              if (row !== undefined && config !== undefined) lines?.add({ ...row, config }, cell);
            },
            done: () => taker.done(),
          };
        },
      };
      const onCell = () => progress.update(++done, wanted.length, 0);
      pushAll(notes, await replayRun(run.manifest, own, sink, { cwd, signal, now, onCell }));
    }
  } finally {
    progress.stop();
  }
  return collector.result(spell, notes.map(spell));
}

const NO_ROW = { task: '', trial: '', lineage: '', transcriptHash: '' };

/** The recordings that a page of limited size shows; undefined: all. */
function mostTelling(rows: readonly CellResult[]): ReadonlySet<string> | undefined {
  if (rows.length <= MOST_REPLAYED) return undefined;
  const groups = new Map<string, CellResult[]>();
  for (const row of rows) {
    const key = recordingKey(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const ordered = [...groups].toSorted(([, a], [, b]) => priorityOf(b) - priorityOf(a));
  const chosen = new Set<string>();
  let cells = 0;
  for (const [key, own] of ordered) {
    cells += own.length;
    if (cells > MOST_REPLAYED && chosen.size > 0) break;
    chosen.add(key);
  }
  return chosen;
}
