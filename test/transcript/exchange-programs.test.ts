import { expect, test } from 'vitest';
import { safeCuts } from '../../src/transcript/exchanges.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import { anthropic } from '../../src/wire/anthropic.ts';

/** Positions inside the list before which it may be cut. */
function cutsOf(...messages: readonly object[]): readonly number[] {
  const list = anthropic.parseList(JSON.stringify(messages), new MessageTable());
  return safeCuts(list).flatMap((isSafe, at) => (isSafe && at > 0 && at < list.length ? [at] : []));
}

const task = { role: 'user', content: 'Fix it.' };
const next = { role: 'user', content: 'go on' };
const program = { type: 'server_tool_use', id: 's', name: 'code_execution', input: {} };
const call = { type: 'tool_use', id: 'a', name: 'run', input: {} };
const result = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }],
};
const ended = { type: 'code_execution_tool_result', tool_use_id: 's', content: {} };

test('a program and its result, turns later, are not torn apart', () => {
  const started = { role: 'assistant', content: [program, call] };
  const over = { role: 'assistant', content: [ended] };
  expect(cutsOf(task, started, result, over, next)).toEqual([1, 4]);
});

test('a program and the call that it makes are one turn in two messages', () => {
  const started = { role: 'assistant', content: [program] };
  const calling = { role: 'assistant', content: [call] };
  expect(cutsOf(task, started, calling, result)).toEqual([1]);
});

test('thinking and what it leads to are one turn in two messages', () => {
  const thought = {
    role: 'assistant',
    content: [{ type: 'thinking', thinking: 'x', signature: 's' }],
  };
  const calling = { role: 'assistant', content: [call] };
  expect(cutsOf(task, thought, calling, result, next)).toEqual([1, 4]);
});

test('two answers in a row may be parted', () => {
  const answer = { role: 'assistant', content: 'yes' };
  expect(cutsOf(task, answer, answer, next)).toEqual([1, 2, 3]);
});
