import { describe, expect, it } from 'vitest';
import type { DialectName } from '../../src/transcript/message.ts';
import { readToolDeclarations, writeToolDeclaration } from '../../src/wire/tool-declarations.ts';

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tool = { name: 'read_file', description: 'Reads a file.', schema };
const named = { name: 'read_file', description: 'Reads a file.' };

const spellings: { readonly [Name in DialectName]: unknown } = {
  anthropic: [
    { ...named, input_schema: schema, cache_control: { type: 'ephemeral' } },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
  ],
  'openai-chat': [{ type: 'function', function: { ...named, parameters: schema, strict: true } }],
  'openai-responses': [
    { type: 'function', ...named, parameters: schema, strict: false },
    { type: 'web_search' },
    { type: 'local_shell' },
  ],
  gemini: [
    {
      functionDeclarations: [
        {
          ...named,
          parameters: { ...schema, type: 'OBJECT', properties: { path: { type: 'STRING' } } },
        },
      ],
    },
    { googleSearch: {} },
  ],
  bedrock: {
    tools: [{ toolSpec: { ...named, inputSchema: { json: schema } } }, { cachePoint: {} }],
    toolChoice: { auto: {} },
  },
};

const dialects = Object.keys(spellings) as DialectName[];

describe('tool declarations', () => {
  it.each(dialects)('of %s are read; those of the provider’s own tools are left out', (dialect) => {
    const json = JSON.stringify(spellings[dialect]);
    expect(readToolDeclarations(json, dialect)).toEqual([tool]);
  });

  it.each(['anthropic', 'openai-chat'] as const)('are written for %s and read again', (wire) => {
    const json = `[${writeToolDeclaration(tool, wire)}]`;
    expect(readToolDeclarations(json, wire)).toEqual([tool]);
  });

  it('of tools that take free text get one argument', () => {
    const free = {
      type: 'object',
      properties: { input: { type: 'string' } },
      required: ['input'],
    };
    const responses = JSON.stringify([{ type: 'custom', name: 'apply_patch', description: 'x' }]);
    const chat = JSON.stringify([{ type: 'custom', custom: { name: 'apply_patch' } }]);
    expect(readToolDeclarations(responses, 'openai-responses')).toEqual([
      { name: 'apply_patch', description: 'x', schema: free },
    ]);
    expect(readToolDeclarations(chat, 'openai-chat')).toEqual([
      { name: 'apply_patch', schema: free },
    ]);
  });

  it('without a schema take an object, and have the names of translated calls', () => {
    const [read] = readToolDeclarations('[{"functionDeclarations":[{"name":"a.b:c"}]}]', 'gemini');
    if (read === undefined) throw new Error('not read');
    expect(JSON.parse(writeToolDeclaration(read, 'anthropic'))).toEqual({
      name: 'a_b_c',
      input_schema: { type: 'object', properties: {} },
    });
    expect(JSON.parse(writeToolDeclaration({ name: 'x', schema: {} }, 'openai-chat'))).toEqual({
      type: 'function',
      function: { name: 'x', parameters: { type: 'object' } },
    });
  });

  it.each(['null', '{}', '[1,"a",null,{}]', 'not JSON', '[{"function":5}]'])(
    'are none in %s',
    (json) => {
      for (const dialect of dialects) expect(readToolDeclarations(json, dialect)).toEqual([]);
    },
  );
});
