import type { CellResult } from '../../rows/result.ts';
import { redactionOf } from '../../text/redact.ts';
import { visibleLines } from '../../text/visible.ts';
import type { Message } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { messageText } from '../show/block-text.ts';
import type { ReplayedCell } from '../show/cell.ts';
import { RequestViews } from '../show/request-view.ts';
import { DetailStore } from './details/detail-store.ts';
import { TranscriptDetails } from './details/transcript-details.ts';
import type { Replayed } from './report-input.ts';
import { SourcesTally } from './savings-sources.ts';
import { type CurveChoice, recordingKey, type SessionCurve } from './session-curves.ts';

export interface CollectorOptions {
  /** Rows of the report, with names that are fit to be shown. */
  readonly rows: readonly CellResult[];
  readonly choice: CurveChoice;
  /** Bytes that before and after may take. */
  readonly room: number;
  /** Recordings that will be replayed. */
  readonly recordings: number;
  /** False under `--no-redact`. */
  readonly redact: boolean;
}

type OpenCurve = SessionCurve & { readonly after: SessionCurve['after'][number][] };

/**
 * Takes from each replayed cell what a report shows of it, so that no more than the cells of one recording
 * are in memory.
 */
export class ReplayCollector {
  readonly #options: CollectorOptions;
  readonly #store: DetailStore;
  readonly #sources = new SourcesTally();
  readonly #curves = new Map<string, OpenCurve>();
  #cells = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#store = new DetailStore(options.room, options.recordings);
  }

  /** A recording whose cells follow; `done` keeps what was taken from them. */
  recording(transcript: Transcript): {
    add(place: number, cell: ReplayedCell): void;
    done(): void;
  } {
    const { redact, rows } = this.#options;
    const secrets = redact ? redactionOf(textsOf(transcript)) : (text: string) => text;
    const details = new TranscriptDetails(transcript, (text) => visibleLines(secrets(text)));
    return {
      add: (place, cell) => {
        const row = rows[place];
        if (row === undefined) return;
        this.#cells++;
        const views = new RequestViews(cell);
        const all = cell.replay.requests.map(({ index }) => views.at(index));
        details.add(place, cell, all);
        this.#sources.add(row.config, cell, all);
        this.#addCurve(place, row, cell);
      },
      done: () => {
        const own = details.rows.flatMap((place) => rows[place] ?? []);
        if (own.length > 0) this.#store.add(details, priorityOf(own));
      },
    };
  }

  /**
   * @param spell makes names of tools fit to be shown
   * @param notes what was not replayed, and why
   */
  result(spell: (name: string) => string, notes: readonly string[]): Replayed {
    const { configs, recordings } = this.#options.choice;
    const order = [...recordings];
    const curves = [...this.#curves]
      .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
      .map(([, curve]) => ({
        ...curve,
        after: curve.after.toSorted(
          (a, b) => configs.indexOf(a.config) - configs.indexOf(b.config),
        ),
      }));
    return {
      cells: this.#cells,
      curves,
      sources: this.#sources.result(spell),
      details: this.#store.blocks(),
      notes: [...notes, ...this.#store.notes()],
    };
  }

  #addCurve(place: number, row: CellResult, { replay }: ReplayedCell): void {
    const { choice } = this.#options;
    const key = recordingKey(row);
    if (row.sample !== 0 || !choice.recordings.has(key) || !choice.configs.includes(row.config)) {
      return;
    }
    const { task, trial, lineage } = row;
    const before = replay.requests.map(({ tokensBefore }) => tokensBefore);
    const curve = this.#curves.get(key) ?? { task, trial, lineage, before, after: [] };
    this.#curves.set(key, curve);
    if (curve.after.some(({ config }) => config === row.config)) return;
    const tokens = replay.requests.map(
      ({ tokensAfter, expansion }) => tokensAfter + (expansion?.tokens ?? 0),
    );
    curve.after.push({ config: row.config, row: place, tokens });
  }
}

/** How much a reader will want to see before and after of these cells. */
export function priorityOf(rows: readonly CellResult[]): number {
  return rows.reduce(
    (sum, { evidenceLost = 0, evidenceRecoverable = 0, violationsAdded = 0, fired = 0 }) =>
      sum + 4 * evidenceLost + evidenceRecoverable + 20 * violationsAdded + (fired > 0 ? 1 : 0),
    0,
  );
}

/** Each distinct message of the recording, as text. */
function* textsOf({ requests }: Transcript): Generator<string> {
  const seen = new Set<Message>();
  for (const { messages, action } of requests) {
    for (const message of action === undefined ? messages : [...messages, action]) {
      if (seen.has(message)) continue;
      seen.add(message);
      yield messageText(message);
    }
  }
}
