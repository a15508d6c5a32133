import { describe, expect, it } from 'vitest';
import {
  bindsThinking,
  enforcesThoughtSignatures,
  keepsAllThinking,
  prefillOf,
  refusesMixedTurns,
} from '../../src/shape/models.ts';

describe('the table of models', () => {
  it.each([
    ['claude-2.1', 'accepted', false, false],
    ['claude-instant-v1', 'accepted', false, false],
    ['claude-3-5-sonnet-20241022', 'accepted', false, false],
    ['anthropic.claude-3-opus-20240229-v1:0', 'accepted', false, false],
    ['claude-opus-4-20250514', 'accepted', false, false],
    ['claude-opus-4-1@20250805', 'accepted', false, false],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'accepted', false, false],
    ['claude-opus-4-5-20251101', 'accepted', true, false],
    ['claude-haiku-4-5', 'accepted', false, false],
    ['openrouter/anthropic/claude-opus-4.6', 'refused', true, false],
    ['litellm_proxy/claude-sonnet-4-6', 'refused', true, false],
    ['aws/claude-sonnet-5', 'refused', true, true],
    ['claude-opus-5-5', 'refused', true, true],
    ['claude-fable-5-1', 'refused', true, true],
    ['claude-opus-4-10', 'refused', true, false],
    ['gpt-4o', 'unknown', false, false],
    ['gemini-3-pro', 'unknown', false, false],
  ])('%s', (model, prefill, keeps, binds) => {
    expect(prefillOf(model)).toBe(prefill);
    expect(keepsAllThinking(model)).toBe(keeps);
    expect(bindsThinking(model)).toBe(binds);
  });

  it('says nothing of a model that is not given', () => {
    expect(prefillOf(undefined)).toBe('unknown');
    expect(bindsThinking(undefined)).toBe(false);
    expect(keepsAllThinking(undefined)).toBe(false);
    expect(enforcesThoughtSignatures(undefined)).toBe(false);
    expect(refusesMixedTurns(undefined)).toBe(false);
  });

  it('enforces thought signatures from Gemini 3', () => {
    expect(enforcesThoughtSignatures('models/gemini-3-flash-preview')).toBe(true);
    expect(enforcesThoughtSignatures('gemini-3.1-pro')).toBe(true);
    expect(enforcesThoughtSignatures('vertex_ai/gemini-10-pro')).toBe(true);
    expect(enforcesThoughtSignatures('gemini-2.5-pro')).toBe(false);
  });

  it('knows the Bedrock families that take no text beside a result', () => {
    expect(refusesMixedTurns('us.meta.llama3-3-70b-instruct-v1:0')).toBe(true);
    expect(refusesMixedTurns('mistral.mistral-large-2407-v1:0')).toBe(true);
    expect(refusesMixedTurns('anthropic.claude-sonnet-4-5')).toBe(false);
  });
});
