import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Config } from '../../src/compaction/config.ts';
import { loadConfigs } from '../../src/compaction/preset.ts';
import { readRecordings } from '../../src/recordings/read.ts';
import type { LockHolder } from '../../src/sweep/lock.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';

/** An OpenAI chat of `turns` calls of a tool, each answered with about `size` tokens of its own. */
export function chat(task: string, turns: number, size: number): object[] {
  const messages: object[] = [
    { role: 'system', content: 'You are careful.' },
    { role: 'user', content: `Please find the fault in ${task}.` },
  ];
  for (let turn = 0; turn < turns; turn++) {
    const call = {
      name: 'read_file',
      arguments: JSON.stringify({ path: `src/${task}-${turn}.ts` }),
    };
    const id = `call_${turn}`;
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: call }],
    });
    const line = `value ${turn} of ${task} is in order here\n`;
    messages.push({ role: 'tool', tool_call_id: id, content: line.repeat(Math.ceil(size / 9)) });
  }
  messages.push({ role: 'assistant', content: `Fixed ${task}.` });
  return messages;
}

/** Writes a recording in the tau-bench form: trajectories with rewards. */
export function writeTrajectories(
  file: string,
  trajectories: readonly {
    task: string | number;
    reward: number;
    traj: readonly object[];
    trial?: number;
  }[],
): void {
  mkdirSync(dirname(file), { recursive: true });
  const entries = trajectories.map(({ task, reward, traj, trial = 0 }) => ({
    task_id: task,
    trial,
    reward,
    info: {},
    traj,
  }));
  writeFileSync(file, JSON.stringify(entries));
}

/** `count` recordings that are long enough for `cg-summarize-small`; every other one is solved. */
export function writeRecordings(folder: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const traj = chat(`module-${index}`, 12, 400);
    writeTrajectories(join(folder, `recording-${index}.json`), [
      { task: index, reward: index % 2, traj },
    ]);
  }
}

export async function readAll(patterns: readonly string[], cwd: string): Promise<Transcript[]> {
  const all: Transcript[] = [];
  for await (const { transcripts } of readRecordings(patterns, { cwd })) all.push(...transcripts);
  return all;
}

export async function configsNamed(...names: string[]): Promise<Config[]> {
  const { configs } = await loadConfigs({ names, sets: [], folder: 'sweeps' });
  return configs;
}

/** A process that runs; the others of `dead` do not. */
export function holder(pid: number, dead: readonly number[] = []): LockHolder {
  return { pid, host: 'here', isAlive: (other) => !dead.includes(other) };
}
