/**
 * Recorded answers of models, one JSON line each, appended and never changed: so a run can be repeated
 * offline and free. Files can be joined with `cat`. Of several answers to one call the first counts; a call
 * that failed may be answered later, and then the answer counts.
 */
import { createHash, randomBytes } from 'node:crypto';
import { HarnessError } from '../errors.ts';
import { type CassetteCall, keyOf } from './cassette-call.ts';
import {
  type CassetteEntry,
  type CassetteOutcome,
  entryLine,
  headerLine,
  readLine,
} from './cassette-entry.ts';
import { CassetteFile, type FileLine } from './cassette-file.ts';
import { describeMiss, type RecordedCall } from './cassette-miss.ts';

export type CassetteMode = 'record' | 'replay';

export interface CassetteOptions {
  /** Name of a cassette that is made; by default one that no other has. */
  readonly id?: string;
  /** What a new cassette says of itself in its first line. */
  readonly about?: string;
  /** An answer that holds one of these texts is used and not written. */
  readonly secrets?: () => readonly string[];
}

/** Shortest text that is looked for as a secret. */
const SHORTEST_SECRET = 6;

interface Known {
  readonly line: Pick<FileLine, 'number' | 'start' | 'length'>;
  readonly kind: CassetteCall['kind'];
  readonly outcome: CassetteOutcome;
}

/**
 * Opens a cassette; under `record`, one that is not there is made.
 * @throws HarnessError `input.missing`, `input.format` where the file holds something else, `output.write`
 */
export function openCassette(
  file: string,
  mode: CassetteMode,
  options: CassetteOptions = {},
): Cassette {
  const { id = randomBytes(8).toString('hex'), about } = options;
  const first = mode === 'record' ? headerLine({ id, about }) : undefined;
  const opened = CassetteFile.open(file, first);
  const cassette = new Cassette(opened, options);
  if (!cassette.isOne) {
    opened.close();
    const message = 'no line of this file is of a cassette: give another --cassette';
    throw new HarnessError('input.format', message, { at: { file } });
  }
  if (mode === 'record' && !cassette.hasName) cassette.name({ id, about });
  return cassette;
}

export class Cassette {
  readonly #file: CassetteFile;
  readonly #secrets: () => readonly string[];
  readonly #known = new Map<string, Known>();
  readonly #ids = new Set<string>();
  readonly #notices: string[] = [];
  /** Lines that were told of, or taken though not ended. */
  readonly #told = new Set<number>();
  readonly #underWay = new Map<string, Promise<CassetteOutcome>>();
  /** Calls that failed since this cassette was opened. */
  readonly #failedHere = new Set<string>();
  #missed = 0;
  #unreadable = 0;

  constructor(file: CassetteFile, { secrets = () => [] }: CassetteOptions) {
    this.#file = file;
    this.#secrets = secrets;
    this.#catchUp();
  }

  get file(): string {
    return this.#file.path;
  }

  /**
   * Tells this cassette from another one, for `cell_id`. It stays the same while answers are added, since
   * an answer that is there is never replaced by another.
   */
  get identity(): string {
    const parts = this.hasName ? [...this.#ids].toSorted() : [...this.#known.keys()].toSorted();
    if (this.hasName && parts.length === 1) return parts[0] ?? '';
    return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
  }

  /** Calls that have an outcome. */
  get size(): number {
    return this.#known.size;
  }

  /** What was odd about the file, one line each: torn, edited or contradicting lines. */
  get notices(): readonly string[] {
    return this.#notices;
  }

  /** Calls of a replay that were not here, and that something else answered or nothing. */
  get missed(): number {
    return this.#missed;
  }

  noteMiss(): void {
    this.#missed++;
  }

  get hasName(): boolean {
    return this.#ids.size > 0;
  }

  /** False where there is something, and nothing of it is of a cassette. */
  get isOne(): boolean {
    return this.hasName || this.size > 0 || this.#unreadable === 0;
  }

  /** Writes a header into a file that has none. */
  name(header: { readonly id: string; readonly about: string | undefined }): void {
    this.#file.append(headerLine(header));
    this.#catchUp();
  }

  close(): void {
    this.#file.close();
  }

  outcomeOf(call: CassetteCall): CassetteOutcome | undefined {
    return this.#known.get(keyOf(call))?.outcome;
  }

  /**
   * The recorded reply, else what `ask` comes to, which is recorded. Calls that run at once are one, and what
   * another process has recorded meanwhile is used, so that all who share a cassette have the same answers.
   * A failure of an earlier run is asked again; one of this run stays one, since its cells have gone on with it, and
   * a replay gives all of them the same.
   */
  async record(
    call: CassetteCall,
    signal: AbortSignal,
    ask: () => Promise<CassetteOutcome>,
  ): Promise<CassetteOutcome> {
    const key = keyOf(call);
    for (;;) {
      signal.throwIfAborted();
      if (!this.#hasReply(key)) this.#catchUp();
      const known = this.#known.get(key)?.outcome;
      if (known?.kind === 'reply') return known;
      if (known !== undefined && this.#failedHere.has(key)) return known;
      const running = this.#underWay.get(key);
      if (running === undefined) break;
      // Whoever asks may have been stopped, or had no time left; then the next one asks.
      await settled(running, signal);
    }
    const asking = ask().then((outcome) => this.#keep(key, call, outcome));
    this.#underWay.set(key, asking);
    try {
      return await asking;
    } finally {
      this.#underWay.delete(key);
    }
  }

  /** The error of a call that is not here: the nearest recorded one, and where it differs. */
  miss(call: CassetteCall): HarnessError {
    const { message, line } = describeMiss(call, this.#calls(), this.size);
    const at = { file: this.file, ...(line === undefined ? {} : { line }) };
    return new HarnessError('cassette.miss', message, { at });
  }

  #keep(key: string, call: CassetteCall, outcome: CassetteOutcome): CassetteOutcome {
    const text = entryLine(call, outcome);
    const secrets = this.#secrets().filter(({ length }) => length >= SHORTEST_SECRET);
    if (secrets.some((secret) => text.includes(JSON.stringify(secret).slice(1, -1)))) {
      this.#notices.push(`an answer of ${call.model} holds a key, and is not recorded`);
      return outcome;
    }
    this.#file.append(text);
    this.#catchUp();
    if (outcome.kind === 'failure') this.#failedHere.add(key);
    // Another process may have been first.
    return this.#known.get(key)?.outcome ?? outcome;
  }

  #hasReply(key: string): boolean {
    return this.#known.get(key)?.outcome.kind === 'reply';
  }

  #catchUp(): void {
    for (const line of this.#file.added()) {
      if (line.text.trim() !== '') this.#take(line);
    }
  }

  #take(line: FileLine): void {
    const parts = partsOf(line);
    for (const { text, start, length } of parts) {
      const read = readLine(text);
      if (read.kind === 'header') this.#ids.add(read.header.id);
      else if (read.kind === 'entry') this.#add(read.entry, { number: line.number, start, length });
      else if (line.ended) {
        this.#unreadable++;
        this.#notices.push(`${this.file}:${line.number}: left out: ${read.why}`);
      } else if (parts.length === 1) {
        this.#unreadable++;
      }
    }
  }

  #add({ call, outcome, stated }: CassetteEntry, line: Known['line']): void {
    const key = keyOf(call);
    if (key !== stated) this.#tell(line.number, 'edited since it was recorded');
    const known = this.#known.get(key);
    const isAnswered = known?.outcome.kind === 'failure' && outcome.kind === 'reply';
    if (known === undefined || isAnswered) {
      this.#known.set(key, { line, kind: call.kind, outcome });
      return;
    }
    const isSame = JSON.stringify(known.outcome) === JSON.stringify(outcome);
    if (isSame || outcome.kind === 'failure') return;
    const first = `another answer to the call of line ${known.line.number}, which counts`;
    this.#tell(line.number, first);
  }

  #tell(line: number, what: string): void {
    if (this.#told.has(line)) return;
    this.#told.add(line);
    this.#notices.push(`${this.file}:${line}: ${what}`);
  }

  *#calls(): Generator<RecordedCall> {
    for (const { line } of this.#known.values()) {
      const read = readLine(this.#file.read(line));
      if (read.kind === 'entry') yield { call: read.entry.call, line: line.number };
    }
  }
}

/** Waits for the end of a call of somebody else; rejects with the reason when the signal aborts. */
async function settled(running: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const end = () => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    running.then(end, end);
  });
}

const LINE_START = /(?<=.)\{"(?:key":"|cassette":)/g;

/**
 * A line that is none may be several that were joined without a line end: the rest of one that was torn, and
 * whole ones.
 */
function partsOf(line: FileLine): readonly Pick<FileLine, 'text' | 'start' | 'length'>[] {
  if (readLine(line.text).kind !== 'unreadable') return [line];
  for (const { index } of line.text.matchAll(LINE_START)) {
    const rest = line.text.slice(index);
    if (readLine(rest).kind === 'unreadable') continue;
    const before = line.text.slice(0, index);
    const length = Buffer.byteLength(before);
    return [
      ...partsOf({ ...line, text: before, length }),
      { text: rest, start: line.start + length, length: Buffer.byteLength(rest) },
    ];
  }
  return [line];
}
