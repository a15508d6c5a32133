import { countEvidence } from '../replay/evidence-totals.ts';
import type { RequestReplay } from '../replay/result.ts';
import { writeCell } from '../rows/cell-text.ts';
import type { CellResult, Counts } from '../rows/result.ts';
import { type ParquetType, parquetFile } from './parquet.ts';
import type { ReplayedCell } from './show/cell.ts';

type Value = string | number | boolean | undefined;

/** One column of the file of requests. */
interface RequestColumn {
  readonly name: string;
  readonly type: ParquetType;
  readonly about: string;
  value(line: Line): Value;
}

/** One request of one cell. */
interface Line {
  readonly row: CellResult;
  readonly cell: ReplayedCell;
  readonly replay: RequestReplay;
}

const text = (name: string, about: string, value: (line: Line) => string | undefined) => {
  const spelled = (line: Line) => {
    const found = value(line);
    return found === undefined ? undefined : writeCell(found);
  };
  return { name, type: 'STRING', about, value: spelled } as const;
};
const whole = (name: string, about: string, value: (line: Line) => number | undefined) =>
  ({ name, type: 'INT32', about, value }) as const;

/** Columns of the file of requests, in order. */
export const requestColumns: readonly RequestColumn[] = [
  text('task', 'As in the rows.', ({ row }) => row.task),
  text('config', 'As in the rows.', ({ row }) => row.config),
  text('trial', 'As in the rows.', ({ row }) => row.trial),
  text('lineage', 'As in the rows.', ({ row }) => row.lineage),
  whole('sample', 'As in the rows.', ({ row }) => row.sample),
  text('cell_id', 'The row that the request belongs to.', ({ row }) => row.cellId),
  whole('request', 'Number of the request, from 0.', ({ replay }) => replay.index),
  whole(
    'segment',
    "Number of the segment: the agent's own compaction starts a new one.",
    (line) => {
      return line.cell.transcript.requests[line.replay.index]?.segment;
    },
  ),
  {
    name: 'time_ms',
    type: 'DOUBLE',
    about: 'Start of the recorded call, milliseconds since the epoch.',
    value: ({ cell, replay }) => cell.transcript.requests[replay.index]?.time,
  },
  whole('messages_before', 'Messages as recorded.', ({ cell, replay }) => {
    return cell.transcript.requests[replay.index]?.messages.length;
  }),
  whole('messages_after', 'Messages as they would be sent.', ({ cell, replay }) => {
    return cell.sent[replay.index]?.length;
  }),
  whole('tokens_before', 'Tokens as recorded.', ({ replay }) => replay.tokensBefore),
  whole(
    'tokens_after',
    'Tokens as they would be sent, with what expand gives back.',
    ({ replay }) => {
      return replay.tokensAfter + (replay.expansion?.tokens ?? 0);
    },
  ),
  {
    name: 'changed',
    type: 'BOOLEAN',
    about: 'Whether it was rewritten.',
    value: ({ replay }) => replay.changed,
  },
  whole('decisions', 'Steps that rewrote it by a new decision.', ({ replay }) => {
    return replay.steps.filter((step) => step.kind === 'changed' && !step.reused).length;
  }),
  whole('model_calls', 'Calls that components made at it.', ({ replay }) => {
    return replay.steps.flatMap(({ calls }) => calls).length;
  }),
  whole('model_input_tokens', 'What these calls read.', ({ replay }) => {
    return sum(replay.steps.flatMap(({ calls }) => calls).map(({ inputTokens }) => inputTokens));
  }),
  whole('model_output_tokens', 'What these calls wrote.', ({ replay }) => {
    return sum(replay.steps.flatMap(({ calls }) => calls).map(({ outputTokens }) => outputTokens));
  }),
  text('gates', 'Why components left it alone, as name:count.', ({ replay }) => {
    return tally(replay.steps.flatMap((step) => (step.kind === 'skipped' ? step.gate : [])));
  }),
  text('refusals', 'Why rewrites were taken back, as name:count.', ({ replay }) => {
    return tally(
      replay.steps.flatMap((step) => [
        ...(step.refusals ?? []),
        ...(step.kind === 'reverted' ? [step.reason] : []),
      ]),
    );
  }),
  whole(
    'evidence_total',
    'Identifiers that its action used; null where the action is not known.',
    (line) => {
      return evidenceOf(line)?.total;
    },
  ),
  whole(
    'evidence_kept',
    'Of these, still in the rewritten request.',
    (line) => evidenceOf(line)?.kept,
  ),
  whole('evidence_recoverable', 'Only behind a marker.', (line) => evidenceOf(line)?.recoverable),
  whole('evidence_lost', 'Neither.', (line) => evidenceOf(line)?.lost),
  whole('violations_before', 'Breaches by the recorded request.', ({ replay }) => {
    return replay.violationsBefore;
  }),
  whole('violations_added', 'Breaches that only the rewritten one has.', ({ replay }) => {
    return replay.violationsAdded.length;
  }),
];

/** The columns of the file of requests, filled cell by cell; texts are spelled as in the CSV. */
export class RequestLines {
  readonly #values: Value[][] = requestColumns.map(() => []);

  /** @param row of the cell, with the name that its config has in the report */
  add(row: CellResult, cell: ReplayedCell): void {
    for (const replay of cell.replay.requests) {
      for (const [index, column] of requestColumns.entries()) {
        this.#values[index]?.push(column.value({ row, cell, replay }));
      }
    }
  }

  get count(): number {
    return this.#values[0]?.length ?? 0;
  }

  file(): Uint8Array {
    return parquetFile(
      requestColumns.map(({ name, type }, index) => ({
        name,
        type,
        values: this.#values[index] ?? [],
      })),
    );
  }
}

function evidenceOf({ replay }: Line) {
  return replay.evidence === undefined ? undefined : countEvidence(replay.evidence.used);
}

function tally(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return spelledCounts(counts);
}

function spelledCounts(counts: Counts): string {
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, count]) => `${name}:${count}`)
    .join(';');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
