/** Several processes, and processes that are killed: what was recorded stays recorded. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openCassette } from '../../src/model/cassette.ts';
import { temporaryFolder } from '../support/folder.ts';
import { recordedCall } from './cassette-support.ts';

const script = join(import.meta.dirname, 'cassette-recorder.ts');

interface Recorder {
  readonly child: ChildProcess;
  /** Numbers of the calls that were said to be recorded. */
  readonly done: number[];
  readonly ended: Promise<number | null>;
}

function start(file: string, name: string, count: number, bytes: number): Recorder {
  const words = ['--import', 'tsx', script, file, name, String(count), String(bytes)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const done: number[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    done.push(...text.trim().split('\n').map(Number));
  });
  return { child, done, ended: new Promise((end) => child.on('close', end)) };
}

/** Whether the call has an answer that is its own. */
function holds(file: string, name: string, done: readonly number[]): void {
  const cassette = openCassette(file, 'replay');
  for (const index of done) {
    const call = recordedCall(index % 2 === 0 ? name : 'shared', index);
    const outcome = cassette.outcomeOf(call);
    const text = outcome?.kind === 'reply' ? outcome.reply.text : '';
    expect(text.startsWith(`${call.request.prompt}: `), `call ${index} of ${name}`).toBe(true);
  }
}

const COUNT = 40;

test('two processes that record into one cassette lose nothing', async () => {
  const file = join(temporaryFolder(), 'answers.jsonl');
  const names = ['a', 'b'];
  const recorders = names.map((name) => start(file, name, COUNT, 1_500_000));
  expect(await Promise.all(recorders.map(({ ended }) => ended))).toEqual([0, 0]);
  for (const [index, { done }] of recorders.entries()) {
    expect(done).toHaveLength(COUNT);
    holds(file, names[index] ?? '', done);
  }
  const cassette = openCassette(file, 'replay');
  expect(cassette.size).toBe((2 * COUNT) / 2 + COUNT / 2);
  // All had the same answer to what they all asked, so at most a repeated line is told of.
  for (const notice of cassette.notices) expect(notice).toContain('another answer to the call');
  expect(readFileSync(file, 'utf8').match(/"cassette":1/g)).toHaveLength(1);
}, 60_000);

test('kill -9 while recording leaves a cassette that can be read, and recorded into', async () => {
  const file = join(temporaryFolder(), 'answers.jsonl');
  const killed: Recorder[] = [];
  for (let round = 0; round < 2; round++) {
    const recorder = start(file, `killed-${round}`, 100_000, 6_000_000);
    // After a few answers, at whatever it is doing.
    await expect.poll(() => recorder.done.length, { timeout: 20_000 }).toBeGreaterThan(4 + round);
    recorder.child.kill('SIGKILL');
    expect(await recorder.ended).toBeNull();
    killed.push(recorder);
  }
  const next = start(file, 'next', 10, 1000);
  expect(await next.ended).toBe(0);
  expect(next.done).toHaveLength(10);
  holds(file, 'next', next.done);
  for (const [round, { done }] of killed.entries()) holds(file, `killed-${round}`, done);
}, 60_000);
