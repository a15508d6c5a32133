import { createHash } from 'node:crypto';
import { withoutMarks } from '../../text/redact-placeholder.ts';
import type { Transcript } from '../../transcript/transcript.ts';

/** Most characters that a part of a name takes. */
const LONGEST = { task: 60, trial: 20, lineage: 20 };

/**
 * Names for the files of an import, made of what a transcript is called and a hash of it, e.g.
 * `fix-parser-0-main-1a2b3c4d.jsonl`: fit for every system, the same in every import, and never two alike
 * even where capitals do not count.
 */
export class FileNames {
  readonly #taken = new Set<string>();

  nameOf({ task, trial, lineage, source }: Transcript): string {
    // The marks of placeholders are others in every import.
    const whole = withoutMarks(JSON.stringify([task, trial, lineage, source.session]));
    const hash = createHash('sha256').update(whole, 'utf8').digest('hex').slice(0, 8);
    const parts = [
      slug(task, LONGEST.task) || 'transcript',
      slug(trial, LONGEST.trial),
      slug(lineage, LONGEST.lineage),
      hash,
    ];
    const stem = parts.filter((part) => part !== '').join('-');
    for (let number = 1; ; number++) {
      const name = `${stem}${number === 1 ? '' : `-${number}`}.jsonl`;
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

/** ASCII letters, digits, `_` and `-`: no folder, no extension, no name that a system keeps for itself. */
function slug(text: string, longest: number): string {
  return withoutMarks(text)
    .replace(/[^A-Za-z0-9_]+/g, '-')
    .slice(0, longest)
    .replace(/^-+|-+$/g, '');
}
