import { beforeAll, describe, expect, test } from 'vitest';
import { shapeCheck } from '../../src/replay/shape-check.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { temporaryFolder } from '../support/folder.ts';
import { readAll, writeRecordings } from '../support/sweeps.ts';

const folder = temporaryFolder();
let transcript: Transcript;
let messages: readonly Message[];

beforeAll(async () => {
  writeRecordings(folder, 1);
  const [first] = await readAll(['.'], folder);
  if (first === undefined) throw new Error('no data');
  transcript = first;
  messages = first.requests.at(-1)?.messages ?? [];
});

function judge(before: readonly Message[], after: readonly Message[]): readonly string[] {
  const request = transcript.requests.at(-1);
  if (request === undefined) throw new Error('no request');
  return shapeCheck(transcript, request, transcript.model).added(before, after);
}

describe('the guard of a sweep', () => {
  test('lets a list through that can be sent', () => {
    expect(judge(messages, messages)).toEqual([]);
    const dialect = dialectOf(transcript.dialect);
    const summary = dialect.userText('What was done so far.', new MessageTable());
    expect(judge(messages, [...messages.slice(0, 2), summary, ...messages.slice(-2)])).toEqual([]);
  });

  test('names the rule that a torn exchange breaks', () => {
    const call = messages.findIndex(({ role }) => role === 'assistant');
    const torn = messages.filter((_, index) => index !== call);
    const rules = judge(messages, torn);
    expect(rules.length).toBeGreaterThan(0);
  });

  test('does not hold against a rewrite what the recording broke already', () => {
    const call = messages.findIndex(({ role }) => role === 'assistant');
    const torn = messages.filter((_, index) => index !== call);
    expect(judge(torn, torn)).toEqual([]);
  });
});
