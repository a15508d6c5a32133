import { HarnessError, nearestName } from '../../errors.ts';
import type { Problem } from '../../recordings/problem.ts';
import { readRecordings } from '../../recordings/read.ts';
import type { Transcript } from '../../transcript/transcript.ts';

export interface Wanted {
  readonly task: string;
  readonly trial: string | undefined;
  readonly lineage: string | undefined;
}

export interface FoundTranscript {
  readonly transcript: Transcript;
  /** Others of the task that the trial and lineage do not rule out. */
  readonly others: readonly Transcript[];
}

const LISTED = 8;

/**
 * Looks through the recordings for a task; of several trials and lineages that are not ruled out, the first.
 * What could not be read goes to `onProblems`. Rejects with `input.missing` where there is none, naming the
 * nearest.
 */
export async function findTranscript(
  patterns: readonly string[],
  wanted: Wanted,
  cwd: string,
  onProblems: (problems: readonly Problem[]) => void,
): Promise<FoundTranscript> {
  const ofTask: Transcript[] = [];
  const tasks = new Set<string>();
  for await (const { transcripts, problems } of readRecordings(patterns, { cwd })) {
    if (problems.length > 0) onProblems(problems);
    for (const transcript of transcripts) {
      tasks.add(transcript.task);
      if (transcript.task === wanted.task) ofTask.push(transcript);
    }
  }
  if (ofTask.length === 0) throw unknownTask(wanted.task, tasks);
  const trials = ofTask.map(({ trial }) => trial);
  const ofTrial = ofTask.filter(({ trial }) => trial === (wanted.trial ?? trial));
  if (ofTrial.length === 0) throw unknown('trial', wanted.trial ?? '', wanted.task, trials);
  const lineages = ofTrial.map(({ lineage }) => lineage);
  const [transcript, ...others] = ofTrial.filter(
    ({ lineage }) => lineage === (wanted.lineage ?? lineage),
  );
  if (transcript === undefined) {
    throw unknown('lineage', wanted.lineage ?? '', wanted.task, lineages);
  }
  return { transcript, others };
}

function unknownTask(task: string, tasks: ReadonlySet<string>): HarnessError {
  if (tasks.size === 0) {
    const message = `no task '${task}': no recording could be read; name others with --transcripts`;
    return new HarnessError('input.missing', message);
  }
  const message = `no task '${task}' in these recordings; ${expected(task, [...tasks])}`;
  return new HarnessError('input.missing', message);
}

function unknown(
  option: 'trial' | 'lineage',
  value: string,
  task: string,
  names: readonly string[],
): HarnessError {
  const message = `--${option} is '${value}', which task '${task}' has not; ${expected(value, [...new Set(names)])}`;
  return new HarnessError('input.missing', message);
}

function expected(name: string, names: readonly string[]): string {
  const begun = names.find((one) => name !== '' && one.startsWith(name));
  const nearest = begun ?? (name.length > 2 ? nearestName(name, names) : undefined);
  const hint = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : '';
  return `expected one of ${names.slice(0, LISTED).join(', ')}${more}${hint}`;
}
