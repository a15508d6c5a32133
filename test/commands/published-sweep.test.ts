import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { expect, test } from 'vitest';
import { readRows } from '../../src/rows/csv.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cli, onlyFile, shared } from './cli.ts';

const folder = join(shared, 'transcripts/tau-bench');

interface Recorded {
  readonly task_id: number;
  readonly trial: number;
  readonly reward: number;
  readonly traj: readonly RecordedMessage[];
}

interface RecordedMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?:
    | readonly { readonly function: { name: string; arguments: string } }[]
    | null;
}

const encoding = new Tiktoken(o200k);
const counted = new Map<string, number>();

/** Tokens of a text by js-tiktoken itself; its merge is slow, so each distinct text is encoded once. */
function tokensOf(text: string): number {
  const known = counted.get(text) ?? encoding.encode(text, [], []).length;
  counted.set(text, known);
  return known;
}

function tokensOfMessage({ content, tool_calls }: RecordedMessage): number {
  let tokens = tokensOf(content ?? '');
  for (const { function: call } of tool_calls ?? []) {
    tokens += tokensOf(call.name) + tokensOf(call.arguments);
  }
  return tokens;
}

/** One request for each assistant message: all messages before it. */
function expected({ traj }: Recorded): { requests: number; tokens: number } {
  let requests = 0;
  let tokens = 0;
  let before = 0;
  for (const message of traj) {
    if (message.role === 'assistant') {
      requests++;
      tokens += before;
    }
    before += tokensOfMessage(message);
  }
  return { requests, tokens };
}

test.runIf(existsSync(folder))(
  `every trajectory in ${folder} gives two rows with the counts of an independent reading`,
  async () => {
    const out = temporaryFolder();
    const pattern = join(folder, '**/*.json');
    const { code } = await cli(
      'sweep',
      '--config',
      'cg-summarize',
      '--transcripts',
      pattern,
      '--out',
      out,
    );
    expect(code).toBe(0);
    const rows = await readRows(onlyFile(out, '.csv'));
    const baseline = rows.filter(({ config }) => config === 'baseline');
    expect([baseline.length, rows.length - baseline.length]).toEqual([200, 200]);
    expect(baseline.filter(({ reward }) => reward === 1)).toHaveLength(84);
    for (const row of baseline) expect(row.evidenceKept).toBe(row.evidenceTotal);
    const grounded = rows.filter(({ config }) => config !== 'baseline');
    // Everything that is dropped is stashed behind a marker, so the upper bound loses nothing.
    expect(grounded.filter(({ rewardWithExpand }) => rewardWithExpand === 1)).toHaveLength(84);
    for (const { reward, recordedReward, evidenceLost } of grounded) {
      expect(reward).toBeLessThanOrEqual(recordedReward ?? 0);
      expect(evidenceLost).toBe(0);
    }

    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const recorded = names
      .filter((name) => name.endsWith('.json'))
      .flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded[]);
    const reading = (task: string, trial: string, requests?: number, tokens?: number) =>
      `${task} ${trial} ${requests} ${tokens}`;
    const independent = recorded.map((one) => {
      const { requests, tokens } = expected(one);
      return reading(`${one.task_id}`, `${one.trial}`, requests, tokens);
    });
    const ours = baseline.map(({ task, trial, requests, tokensBefore }) =>
      // A task's name gets its file where two recordings have the same one.
      reading(task.replace(/ \(.*\)$/, ''), trial, requests, tokensBefore),
    );
    expect(ours.toSorted()).toEqual(independent.toSorted());
    for (const row of rows) expect(row.note).toBe('ok');
  },
);
