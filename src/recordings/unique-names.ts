import type { Transcript } from '../transcript/transcript.ts';
import { stemOf } from './transcripts.ts';

/** Keeps `(task, trial, lineage)` unique over a run, so that rows can be told apart. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /**
   * The transcripts, with session, file or a number added to the task where a name is taken. The
   * lineages of one session keep one task.
   */
  claim(transcripts: readonly Transcript[]): readonly Transcript[] {
    const families: Transcript[][] = [];
    const latest = new Map<
      string,
      { readonly family: Transcript[]; readonly lineages: Set<string> }
    >();
    for (const transcript of transcripts) {
      const { task, trial, lineage, source } = transcript;
      const key = JSON.stringify([task, trial, source.session]);
      const known = latest.get(key);
      if (known !== undefined && !known.lineages.has(lineage)) {
        known.family.push(transcript);
        known.lineages.add(lineage);
      } else {
        const family = [transcript];
        families.push(family);
        latest.set(key, { family, lineages: new Set([lineage]) });
      }
    }
    const renamed = new Map<Transcript, string>();
    for (const family of families) {
      const task = this.#claimFamily(family);
      for (const member of family) renamed.set(member, task);
    }
    return transcripts.map((transcript) => {
      const task = renamed.get(transcript) ?? transcript.task;
      return task === transcript.task ? transcript : { ...transcript, task };
    });
  }

  #claimFamily(family: readonly Transcript[]): string {
    const [first] = family;
    if (first === undefined) return '';
    for (const task of candidates(first)) {
      const names = family.map(({ trial, lineage }) => JSON.stringify([task, trial, lineage]));
      if (names.some((name) => this.#taken.has(name))) continue;
      for (const name of names) this.#taken.add(name);
      return task;
    }
    return first.task;
  }
}

function* candidates({ task, source }: Transcript): Generator<string> {
  yield task;
  yield `${task} (${source.session})`;
  yield `${task} (${stemOf(source.file)})`;
  yield `${task} (${source.file})`;
  for (let number = 2; ; number++) yield `${task} (${source.file} ${number})`;
}
