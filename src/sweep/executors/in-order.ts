import type { CellOutcome } from '../cell-outcome.ts';

/** Outcomes that wait for those before them, in bytes; about. */
const MOST_WAITING_BYTES = 64_000_000;

type Keep = (outcome: CellOutcome) => Promise<void>;

/** The outcomes of one transcript's cells. */
export interface Turn {
  /** Keeps an outcome, or holds it until it is this transcript's turn. */
  keep: Keep;
  /** No further outcome follows. */
  end(): Promise<void>;
}

interface Waiting {
  readonly outcomes: CellOutcome[];
  hasEnded: boolean;
}

/**
 * Keeps outcomes in the order in which their transcripts were begun, however they are measured: the files of a run
 * are the same then.
 */
export class InOrder {
  readonly #keep: Keep;
  /** Those that have not ended or wait; the first of them keeps at once. */
  readonly #turns: Waiting[] = [];
  #waitingBytes = 0;
  #isRoom = Promise.resolve();
  #makeRoom: () => void = () => {};

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  begin(): Turn {
    const turn: Waiting = { outcomes: [], hasEnded: false };
    this.#turns.push(turn);
    return {
      keep: (outcome) => {
        if (this.#turns[0] === turn) return this.#keep(outcome);
        turn.outcomes.push(outcome);
        this.#wait(sizeOf(outcome));
        return Promise.resolve();
      },
      end: () => {
        turn.hasEnded = true;
        return this.#goOn();
      },
    };
  }

  /** Resolves once not too much waits. */
  get room(): Promise<void> {
    return this.#isRoom;
  }

  get hasRoom(): boolean {
    return this.#waitingBytes <= MOST_WAITING_BYTES;
  }

  /** Keeps what waits, also behind a transcript that has not ended. */
  async flush(): Promise<void> {
    for (const turn of this.#turns) await this.#keepAll(turn);
  }

  async #goOn(): Promise<void> {
    for (let [first] = this.#turns; first?.hasEnded === true; [first] = this.#turns) {
      this.#turns.shift();
      const [next] = this.#turns;
      if (next !== undefined) await this.#keepAll(next);
    }
  }

  async #keepAll({ outcomes }: Waiting): Promise<void> {
    const kept = outcomes.splice(0).map((outcome) => {
      this.#waitingBytes -= sizeOf(outcome);
      return this.#keep(outcome);
    });
    if (this.hasRoom) this.#makeRoom();
    await Promise.all(kept);
  }

  #wait(bytes: number): void {
    const hadRoom = this.hasRoom;
    this.#waitingBytes += bytes;
    if (!hadRoom || this.hasRoom) return;
    this.#isRoom = new Promise((resolve) => {
      this.#makeRoom = resolve;
    });
  }
}

/** Bytes of an outcome in memory, about. */
function sizeOf({ references, charges, budget }: CellOutcome): number {
  let bytes = 2000 + 8 * (budget?.length ?? 0) + 400 * (charges?.requests.length ?? 0);
  for (const reference of references) {
    bytes += 400 + (reference.kind === 'text' ? 2 * reference.text.length : 0);
  }
  return bytes;
}
