/**
 * `record-fixtures`: lets the scripted agent work through its ten tasks and writes what it sent, one
 * capture line a model call, to `<out>/<task>.jsonl`. The same bytes on any machine.
 */
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { HarnessError, nearestName } from '../errors.ts';
import { makeFolder } from '../sweep/run-files.ts';
import { cannotWrite } from '../text/write-error.ts';
import { writeWhole } from '../text/write-whole.ts';
import { fixtureTasks } from './fixtures/catalog.ts';
import { seeded } from './fixtures/seeded.ts';
import { Session } from './fixtures/session.ts';
import type { FixtureTask } from './fixtures/task.ts';
import { Workspace } from './fixtures/workspace.ts';

const projectsFolder = fileURLToPath(new URL('../../fixtures/projects/', import.meta.url));

export interface RecordFixturesOptions {
  /** Folder of the transcripts, by default the project's `fixtures/transcripts`. */
  readonly out?: string;
  /** Compare with what is there, and write nothing. */
  readonly check?: boolean;
  /** Names of the tasks to record; all of them by default. */
  readonly tasks?: readonly string[];
}

/** What was recorded of one task. */
export interface RecordedFixture {
  readonly task: string;
  readonly file: string;
  readonly requests: number;
  readonly reward: 0 | 1;
  /** What the task's check printed. */
  readonly checkOutput: string;
  /** `different` and `missing` occur with `check` only; `line` is the first line that differs. */
  readonly state:
    | { readonly kind: 'written' }
    | { readonly kind: 'same' }
    | { readonly kind: 'missing' }
    | { readonly kind: 'different'; readonly line: number };
}

export interface RecordFixturesResult {
  readonly fixtures: readonly RecordedFixture[];
  /** False when `check` found a difference. */
  readonly ok: boolean;
  /** What to print, one line a task. */
  readonly lines: readonly string[];
}

/**
 * Records the tasks, one after the other. Rejects with a HarnessError: `usage` for an unknown task,
 * `output.write` where a file cannot be written, `harness.internal` where a script met what it did not expect.
 */
export async function recordFixtures(
  options: RecordFixturesOptions = {},
): Promise<RecordFixturesResult> {
  const out = options.out ?? fileURLToPath(new URL('../../fixtures/transcripts/', import.meta.url));
  const fixtures: RecordedFixture[] = [];
  for (const task of selectTasks(options.tasks)) {
    const { text, requests, reward, checkOutput } = await recordTask(task);
    const file = path.join(out, `${task.name}.jsonl`);
    const state = options.check ? await compare(file, text) : await write(file, text);
    fixtures.push({ task: task.name, file, requests, reward, checkOutput, state });
  }
  return {
    fixtures,
    ok: fixtures.every(({ state }) => state.kind === 'written' || state.kind === 'same'),
    lines: fixtures.map(describeFixture),
  };
}

function selectTasks(names: readonly string[] | undefined): readonly FixtureTask[] {
  if (names === undefined || names.length === 0) return fixtureTasks;
  const known = fixtureTasks.map(({ name }) => name);
  return names.map((name) => {
    const task = fixtureTasks.find((candidate) => candidate.name === name);
    if (task !== undefined) return task;
    const nearest = nearestName(name, known);
    const hint =
      nearest === undefined ? `use one of ${known.join(', ')}` : `did you mean ${nearest}?`;
    throw new HarnessError('usage', `unknown fixture task '${name}': ${hint}`);
  });
}

/** Runs one task in a folder of its own; the text of its transcript, the reward on the last line. */
async function recordTask(
  task: FixtureTask,
): Promise<{ text: string; requests: number; reward: 0 | 1; checkOutput: string }> {
  const project = path.join(projectsFolder, task.name);
  const generated = task.generate?.(seeded(task.name)) ?? {};
  const workspace = await Workspace.open(task.name, path.join(project, 'start'), generated);
  try {
    const session = new Session(task, workspace);
    await task.script(session);
    const { passed, output } = await workspace.check(path.join(project, 'check.mjs'));
    const reward = passed ? 1 : 0;
    const last = session.captured.length - 1;
    const lines = session.captured.map((call, index) =>
      JSON.stringify(index === last ? { ...call, reward } : call),
    );
    return { text: `${lines.join('\n')}\n`, requests: lines.length, reward, checkOutput: output };
  } finally {
    await workspace.close();
  }
}

async function write(file: string, text: string): Promise<RecordedFixture['state']> {
  const [what, elsewhere] = ['the transcript', 'choose another --out'];
  await makeFolder(path.dirname(file)).catch((cause: unknown) => {
    throw cannotWrite(file, cause, elsewhere, what);
  });
  await writeWhole(file, text, { what, elsewhere });
  return { kind: 'written' };
}

async function compare(file: string, text: string): Promise<RecordedFixture['state']> {
  let committed: string;
  try {
    committed = await fs.readFile(file, 'utf8');
  } catch {
    return { kind: 'missing' };
  }
  if (committed === text) return { kind: 'same' };
  const before = committed.split('\n');
  const line = text.split('\n').findIndex((recorded, index) => recorded !== before[index]);
  return { kind: 'different', line: line === -1 ? before.length : line + 1 };
}

function describeFixture({ task, file, requests, reward, state }: RecordedFixture): string {
  const recorded = `${task}: ${requests} requests, reward ${reward}`;
  switch (state.kind) {
    case 'written':
      return `${recorded}, written`;
    case 'same':
      return `${recorded}, as committed`;
    case 'missing':
      return `${recorded}, but ${file} is missing; run record-fixtures without --check`;
    case 'different':
      return `${recorded}, but ${file}:${state.line} differs from what was recorded now`;
  }
}
