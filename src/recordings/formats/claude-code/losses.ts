import type { LossReport } from '../../loss.ts';
import { NEVER_SENT } from '../../transcripts.ts';
import { type Fate, merged, skipped } from '../fates.ts';
import type { SessionRecord } from './records.ts';

export type RecordFates = Map<SessionRecord, Fate>;

export const SAME_RESPONSE = merged('one response over several records');
export const COMPACTION = merged("the agent's own compaction");
const REPEATED = merged('a record that stands elsewhere too');
const ABANDONED = skipped('on a branch that was abandoned');
const UNSENT = skipped(NEVER_SENT);

/**
 * Tells of each line what became of its record, or of the sub-agent's record that it copies.
 *
 * @param records all that were read, a copy right behind the record that holds it
 * @param unique those of them that stand for themselves
 * @param played those on the paths that were played
 */
export function tellFates(
  records: readonly SessionRecord[],
  unique: ReadonlySet<SessionRecord>,
  played: ReadonlySet<SessionRecord>,
  fates: RecordFates,
  loss: LossReport,
): void {
  const fateOf = (record: SessionRecord): Fate => {
    const known = fates.get(record);
    if (known !== undefined) return known;
    if (!unique.has(record)) return REPEATED;
    if (record.message === undefined) return skipped(`not sent to the model: ${describe(record)}`);
    return played.has(record) ? UNSENT : ABANDONED;
  };
  for (const [index, record] of records.entries()) {
    if (record.isCopy) continue;
    const next = records[index + 1];
    const fate = fateOf(next?.isCopy === true ? next : record);
    if (fate.kind === 'read') loss.read(record.file);
    else loss[fate.kind](record.file, fate.why);
  }
}

function describe({ type, subtype, isMeta }: SessionRecord): string {
  if (subtype !== undefined) return `${type} ${subtype}`;
  return isMeta ? `${type} note` : type;
}
