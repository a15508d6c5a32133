import { expect, test } from 'vitest';
import type { ModelChoice } from '../../src/model/endpoint.ts';
import { missingModels, missingOf } from '../../src/model/preflight.ts';

const INCOMING: ModelChoice = { source: 'incoming', provider: 'anthropic', auth: 'x-api-key' };
const ASKERS = [
  { name: 'cg-summarize: summarize', choice: INCOMING },
  { name: 'cg-code: extract', choice: { ...INCOMING, source: 'config' as const } },
];
const TRANSCRIPTS = [
  { model: 'claude-sonnet-4-5', dialect: 'anthropic' },
  { model: 'claude-sonnet-4-5', dialect: 'anthropic' },
  { model: 'claude-opus-4-1', dialect: 'anthropic' },
  { model: 'gpt-4.1', dialect: 'openai-chat' },
  { model: undefined, dialect: 'openai-chat' },
];

test('everything that is missing is said at once, once each', () => {
  const problems = missingOf(ASKERS, TRANSCRIPTS, {});
  expect(problems).toEqual([
    'no key for api.anthropic.com: set ANTHROPIC_API_KEY, or model.api_key in the config (for cg-summarize: summarize; to ask claude-sonnet-4-5, claude-opus-4-1)',
    'no key for api.openai.com: set OPENAI_API_KEY, or model.api_key in the config (for cg-summarize: summarize; to ask gpt-4.1)',
    'the recording names no model: give --assume-model MODEL, or use model.source: config (for cg-summarize: summarize)',
    'model.source is config, but no model is named: set model.model or CHEAP_MODEL (for cg-code: extract)',
  ]);
  const error = missingModels(problems, 'record');
  expect(error?.code).toBe('model.missing');
  expect(error?.message).toMatch(/^--model record cannot start/);
  for (const problem of problems) expect(error?.message).toContain(`\n  - ${problem}`);
});

test('nothing is missing where there are keys and names, or nobody asks', () => {
  const keys = { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'b' };
  expect(missingOf(ASKERS.slice(0, 1), TRANSCRIPTS.slice(0, 4), keys)).toEqual([]);
  expect(missingOf([], TRANSCRIPTS, {})).toEqual([]);
  expect(missingModels([], 'live')).toBeUndefined();
});
