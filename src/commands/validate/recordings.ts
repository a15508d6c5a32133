/** Checks the requests of recordings: captures, agents' session files, benchmark results. */
import { describePlace } from '../../errors.ts';
import { readRecordings } from '../../recordings/read.ts';
import { contextOfBody } from '../../shape/context.ts';
import type { ShapeMode } from '../../shape/rule.ts';
import { type Violation, validate } from '../../shape/validate.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { dialectOf } from '../../wire/catalog.ts';
import type { CheckedList } from './report.ts';

/** What the recordings under a path hold. */
export interface CheckedRecordings {
  readonly lists: readonly CheckedList[];
  /** What could not be read, in words. */
  readonly unreadable: readonly string[];
  /** Those of them that are broken, and not merely something else than a recording. */
  readonly broken: readonly string[];
}

/**
 * One entry a transcript. A request repeats its predecessor's messages, so each violation is named once,
 * at the first request that has it.
 */
export async function checkRecordings(
  path: string,
  { mode, cwd }: { readonly mode: ShapeMode; readonly cwd: string },
): Promise<CheckedRecordings> {
  const lists: CheckedList[] = [];
  const unreadable: string[] = [];
  const broken: string[] = [];
  for await (const { transcripts, problems } of readRecordings([path], { cwd })) {
    for (const transcript of transcripts) lists.push(checkTranscript(transcript, mode));
    for (const { severity, code, at, message } of problems) {
      if (severity !== 'error') continue;
      const line = `${describePlace(at)}: ${message}`;
      unreadable.push(line);
      if (code !== 'input.format') broken.push(line);
    }
  }
  return { lists, unreadable, broken };
}

function checkTranscript(transcript: Transcript, mode: ShapeMode): CheckedList {
  const { dialect, source, task, trial, lineage } = transcript;
  const violations: (Violation & { readonly request: number })[] = [];
  const seen = new Set<string>();
  let longest = 0;
  for (const [index, request] of transcript.requests.entries()) {
    const { messages, envelope } = request;
    longest = Math.max(longest, messages.length);
    const body: unknown =
      envelope === undefined ? {} : JSON.parse(dialectOf(dialect).encode([], envelope));
    const model = request.model ?? transcript.model;
    const context = { ...contextOfBody(dialect, body), ...(model === undefined ? {} : { model }) };
    for (const violation of validate({ dialect, messages, context }, { mode })) {
      const { rule, message, block, detail } = violation;
      const key = JSON.stringify([rule, message, block, detail]);
      if (seen.has(key)) continue;
      seen.add(key);
      violations.push({ ...violation, request: index });
    }
  }
  const name = [task, trial, lineage === 'main' ? '' : lineage].filter((part) => part !== '');
  const file = `${source.file} (${name.join(' · ')})`;
  return { file, dialect, mode, messages: longest, violations };
}
