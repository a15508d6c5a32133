import type { LossReport } from '../loss.ts';
import { NEVER_SENT } from '../transcripts.ts';

/** What became of one record. */
export type Fate =
  | { readonly kind: 'read'; readonly isSaid: boolean }
  | { readonly kind: 'merged' | 'skipped'; readonly why: string };

/** Read for what it says of the session or a call. */
export const READ: Fate = { kind: 'read', isSaid: false };
/** Read as part of the conversation. */
export const SAID: Fate = { kind: 'read', isSaid: true };
export const merged = (why: string): Fate => ({ kind: 'merged', why });
export const skipped = (why: string): Fate => ({ kind: 'skipped', why });

/**
 * The fates of a file's records, which may change until all were read: a turn that was read may turn out
 * to be one that the user took back.
 */
export class Fates {
  readonly #fates: Fate[] = [];

  /** Position of the next record. */
  get next(): number {
    return this.#fates.length;
  }

  add(fate: Fate): number {
    return this.#fates.push(fate) - 1;
  }

  set(position: number, fate: Fate): void {
    this.#fates[position] = fate;
  }

  /** Changes the fate of the records from `start` to before `end` that were read. */
  revise(start: number, end: number, fate: Fate): void {
    for (let at = start; at < end; at++) if (this.#fates[at]?.kind === 'read') this.set(at, fate);
  }

  /** Changes the fate of a record that is part of the conversation. */
  reviseSaid(position: number, fate: Fate): void {
    const known = this.#fates[position];
    if (known?.kind === 'read' && known.isSaid) this.set(position, fate);
  }

  /**
   * Says that what stands behind the last answer, at `last`, is in no request.
   * @param last undefined: there was no answer at all
   */
  endAt(last: number | undefined): void {
    const why = skipped(last === undefined ? 'no model call' : NEVER_SENT);
    for (const [at, fate] of this.#fates.entries()) {
      if (at > (last ?? -1) && fate.kind === 'read' && fate.isSaid) this.set(at, why);
    }
  }

  tell(file: string, loss: LossReport): void {
    this.tellEach(
      this.#fates.map(() => file),
      loss,
    );
  }

  /** @param files file of each record */
  tellEach(files: readonly string[], loss: LossReport): void {
    for (const [at, fate] of this.#fates.entries()) {
      const file = files[at] ?? '';
      if (fate.kind === 'read') loss.read(file);
      else if (fate.kind === 'merged') loss.merged(file, fate.why);
      else loss.skipped(file, fate.why);
    }
  }
}
