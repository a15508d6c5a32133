import { describe, expect, it } from 'vitest';
import { contextOfBody } from '../../src/shape/context.ts';

describe('the context of a body', () => {
  it('is what its rules need, under the names of the wire', () => {
    const fields = {
      thinking: { type: 'enabled' },
      system: [{ type: 'text', text: 's' }],
      tools: [{ name: 'grep' }],
    };
    const body = { model: 'claude-opus-5-5', messages: [], max_tokens: 5, ...fields };
    expect(contextOfBody('anthropic', body)).toEqual({ model: 'claude-opus-5-5', ...fields });
    expect(contextOfBody('openai-chat', body)).toEqual({ model: 'claude-opus-5-5' });
  });

  it('says of a Responses request that its history lies with the provider', () => {
    const body = { model: 'gpt-5', input: [], previous_response_id: 'resp_1', store: true };
    expect(contextOfBody('openai-responses', body)).toEqual({
      model: 'gpt-5',
      previous_response_id: 'resp_1',
    });
  });

  it('says of a Bedrock request that it has no toolConfig', () => {
    expect(contextOfBody('bedrock', { messages: [], inferenceConfig: {} })).toEqual({
      toolConfig: null,
    });
    expect(contextOfBody('bedrock', { messages: [], toolConfig: { tools: [] } })).toEqual({
      toolConfig: { tools: [] },
    });
  });

  it('is empty where only the list is given', () => {
    expect(contextOfBody('bedrock', { messages: [] })).toEqual({});
    expect(contextOfBody('bedrock', [])).toEqual({});
    expect(contextOfBody('gemini', { contents: [] })).toEqual({});
  });
});
