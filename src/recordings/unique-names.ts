import type { Transcript } from '../transcript/transcript.ts';
import { stemOf } from './transcripts.ts';

/** Keeps `(task, trial, lineage)` unique over a run, so that rows can be told apart. */
export class UniqueNames {
  readonly #taken = new Set<string>();

  /** For the transcripts of recordings that are read together, in one go or one after the other. */
  group(): GroupNames {
    return new GroupNames(this.#taken);
  }
}

/** The lineages of one session, which keep one task. */
interface Family {
  readonly members: Transcript[];
  readonly lineages: Set<string>;
  /** Known once some of them have been given out. */
  task?: string;
}

class GroupNames {
  readonly #taken: Set<string>;
  readonly #latest = new Map<string, Family>();

  constructor(taken: Set<string>) {
    this.#taken = taken;
  }

  /**
   * The transcripts, with session, file or a number added to the task where a name is taken. The
   * lineages of one session keep one task.
   */
  claim(transcripts: readonly Transcript[]): readonly Transcript[] {
    const families = new Set<Family>();
    for (const transcript of transcripts) {
      const { task, trial, lineage, source } = transcript;
      const key = JSON.stringify([task, trial, source.session]);
      let family = this.#latest.get(key);
      if (family === undefined || family.lineages.has(lineage) || !this.#fits(family, transcript)) {
        family = { members: [], lineages: new Set() };
        this.#latest.set(key, family);
      }
      family.members.push(transcript);
      family.lineages.add(lineage);
      families.add(family);
    }
    const renamed = new Map<Transcript, string>();
    for (const family of families) {
      family.task = this.#claimFamily(family);
      for (const member of family.members) renamed.set(member, family.task);
      family.members.length = 0;
    }
    return transcripts.map((transcript) => {
      const task = renamed.get(transcript) ?? transcript.task;
      return task === transcript.task ? transcript : { ...transcript, task };
    });
  }

  /** True where the family has no name yet, or its name is free for this one too. */
  #fits({ task }: Family, { trial, lineage }: Transcript): boolean {
    return task === undefined || !this.#taken.has(JSON.stringify([task, trial, lineage]));
  }

  #claimFamily({ members, task: known }: Family): string {
    const [first] = members;
    if (first === undefined) return known ?? '';
    for (const task of known === undefined ? candidates(first) : [known]) {
      const names = members.map(({ trial, lineage }) => JSON.stringify([task, trial, lineage]));
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
