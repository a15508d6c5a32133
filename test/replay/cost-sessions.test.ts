import { describe, expect, test } from 'vitest';
import type { DialectName } from '../../src/transcript/message.ts';
import { type HandSession, handSessions, interleaved } from './cost-sessions.ts';
import { costOf, type Step, tiers } from './cost-support.ts';

type Rules = 'marked' | 'inSteps' | 'exact';

interface Provider {
  readonly dialect: DialectName;
  readonly rules: Rules;
  readonly models: readonly [string, string];
}

const providers: readonly Provider[] = [
  { dialect: 'anthropic', rules: 'marked', models: ['claude-sonnet-4-5', 'claude-opus-4-1'] },
  {
    dialect: 'bedrock',
    rules: 'marked',
    models: ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'anthropic.claude-opus-4-1-v1:0'],
  },
  // A router's chat wire in front of a Claude model: the model's rules hold.
  {
    dialect: 'openai-chat',
    rules: 'marked',
    models: ['aws/claude-sonnet-4-5', 'aws/claude-sonnet-4'],
  },
  { dialect: 'openai-chat', rules: 'inSteps', models: ['gpt-4.1', 'gpt-4o'] },
  { dialect: 'openai-responses', rules: 'inSteps', models: ['gpt-5', 'o4-mini'] },
  { dialect: 'gemini', rules: 'exact', models: ['gemini-2.5-flash', 'gemini-3-flash'] },
];

function expected(session: Omit<HandSession, 'bust'>, rules: Rules): (number | undefined)[][] {
  if (rules === 'marked') return session.marked.map((row) => [...row]);
  return session[rules].map(([fresh, read]) => [fresh, read, undefined, undefined]);
}

describe.each(providers)('$dialect, $models.0', ({ dialect, rules, models }) => {
  const [model, other] = models;
  // A chat wire of a router carries no marks on its tools, and Bedrock's chat form no top-level prompt.
  test.each(handSessions)('$name', (session) => {
    const cost = costOf(session.steps, { dialect, model });
    expect(tiers(cost, 'after')).toEqual(expected(session, rules));
    if (session.bust === undefined) return;
    expect(cost.requests.reduce((sum, { bust }) => sum + bust, 0)).toBe(session.bust[rules]);
  });

  test(interleaved.name, () => {
    const steps = interleaved.steps.map(
      (step, index): Step => ({
        ...step,
        model: index % 2 === 0 ? model : other,
      }),
    );
    expect(tiers(costOf(steps, { dialect, model }), 'after')).toEqual(expected(interleaved, rules));
  });
});
