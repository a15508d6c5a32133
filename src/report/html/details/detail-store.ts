import { escapeJson } from '../markup.ts';
import type { DetailBlock } from '../report-input.ts';
import type { TranscriptDetails } from './transcript-details.ts';

/** Longest text in characters, the first that makes a recording fit its share. */
const LONGEST = [20_000, 4_000, 800];

/** A recording never gets less than this, in bytes: what is shown of it should be worth opening. */
const SMALLEST_SHARE = 200_000;

interface Stored extends DetailBlock {
  readonly order: number;
  readonly priority: number;
  readonly bytes: number;
}

/**
 * Keeps the details of as many recordings as a report has room for: of too many, those of the highest
 * priority. Never holds more than its room and one recording.
 */
export class DetailStore {
  readonly #room: number;
  readonly #share: number;
  #stored: Stored[] = [];
  #bytes = 0;
  #added = 0;
  #shortened = 0;
  #dropped = 0;

  /**
   * @param room in bytes
   * @param recordings how many are expected
   */
  constructor(room: number, recordings: number) {
    this.#room = room;
    this.#share = Math.max(SMALLEST_SHARE, room / Math.max(1, recordings));
  }

  add(details: TranscriptDetails, priority: number): void {
    const order = this.#added++;
    let json = '';
    let bytes = 0;
    for (const [attempt, longest] of LONGEST.entries()) {
      json = details.json(longest);
      bytes = Buffer.byteLength(escapeJson(json));
      if (attempt === 1) this.#shortened++;
      if (bytes <= this.#share) break;
    }
    this.#stored.push({ order, priority, bytes, rows: details.rows, json });
    this.#bytes += bytes;
    while (this.#bytes > this.#room) this.#dropLeast();
  }

  /** Those that are kept, in the order in which they were added. */
  blocks(): DetailBlock[] {
    return this.#stored
      .toSorted((a, b) => a.order - b.order)
      .map(({ rows, json }) => ({ rows, json }));
  }

  /** What was left out, as sentences; none where nothing was. */
  notes(): string[] {
    const kept = this.#stored.length;
    return [
      ...(this.#dropped === 0
        ? []
        : [
            `Before and after are in this report for ${kept} of ${this.#added} recordings: those with most evidence missing, so that the file stays under its size limit. The command show has the others.`,
          ]),
      ...(this.#shortened === 0
        ? []
        : ['Long texts of some recordings are cut in the middle more than usual to save room.']),
    ];
  }

  #dropLeast(): void {
    const least = this.#stored.reduce((worst, one) =>
      one.priority < worst.priority || (one.priority === worst.priority && one.order > worst.order)
        ? one
        : worst,
    );
    this.#stored = this.#stored.filter((one) => one !== least);
    this.#bytes -= least.bytes;
    this.#dropped++;
  }
}
