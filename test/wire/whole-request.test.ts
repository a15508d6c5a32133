import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { DialectName } from '../../src/transcript/message.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import type { ToolDeclaration } from '../../src/wire/tool-declarations.ts';
import { wholeRequest } from '../../src/wire/whole-request.ts';
import { conversations } from '../support/conversations.ts';

const tool = (name: string): ToolDeclaration => ({ name, schema: { type: 'object' } });

const bodies: { readonly [Name in DialectName]: object } = {
  anthropic: {
    system: [{ type: 'text', text: 'Be brief.' }],
    tools: [{ name: 'run', input_schema: { type: 'object' } }],
    messages: [{ role: 'user', content: 'Go.' }],
  },
  'openai-chat': {
    tools: [{ type: 'function', function: { name: 'run', parameters: { type: 'object' } } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Go.' },
    ],
  },
  'openai-responses': {
    instructions: 'Be brief.',
    tools: [{ type: 'function', name: 'run', parameters: { type: 'object' } }],
    input: [{ role: 'user', content: 'Go.' }],
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'run', parameters: { type: 'OBJECT' } }] }],
    contents: [{ role: 'user', parts: [{ text: 'Go.' }] }],
  },
  bedrock: {
    system: [{ text: 'Be brief.' }],
    toolConfig: { tools: [{ toolSpec: { name: 'run', inputSchema: { json: {} } } }] },
    messages: [{ role: 'user', content: [{ text: 'Go.' }] }],
  },
};

const dialects = Object.keys(bodies) as DialectName[];

describe('a whole request', () => {
  it.each(dialects)('of %s has list, system prompt and tools on both wires', (from) => {
    const table = new MessageTable();
    const { messages, envelope } = dialectOf(from).parse(JSON.stringify(bodies[from]), table);
    const texts = (to: 'anthropic' | 'openai-chat') =>
      wholeRequest(messages, { from, to, envelope, tools: [tool('expand')], table });

    const anthropic = texts('anthropic');
    expect(JSON.parse(anthropic.messages)).toEqual([{ role: 'user', content: 'Go.' }]);
    const system: unknown = JSON.parse(anthropic.system ?? '""');
    expect(JSON.stringify(system)).toContain('Be brief.');
    expect(JSON.parse(anthropic.tools ?? '[]')).toMatchObject([
      { name: 'run', input_schema: { type: 'object' } },
      { name: 'expand', input_schema: { type: 'object' } },
    ]);

    const chat = texts('openai-chat');
    expect(JSON.parse(chat.messages)).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Go.' },
    ]);
    expect(chat.system).toBeUndefined();
    expect(JSON.parse(chat.tools ?? '[]')).toMatchObject([
      { function: { name: 'run' } },
      { function: { name: 'expand' } },
    ]);
  });

  it('into its own wire is what was recorded, byte for byte', () => {
    fc.assert(
      fc.property(conversations(), ({ dialect, messages, raws }) => {
        const envelope = {
          head: '',
          separator: ',',
          tail: '',
          system: '"a\\u0062"',
          tools: '[ {"name": "x"} ]',
        };
        const own = wholeRequest(messages, {
          from: dialect,
          to: dialect,
          envelope,
          table: new MessageTable(),
        });
        expect(own).toEqual({
          messages: `[${raws.join(',')}]`,
          system: '"a\\u0062"',
          tools: '[{"name": "x"}]',
        });
      }),
      { seed: 5, numRuns: 30 },
    );
  });

  it('of any conversation is one that the other wire reads', () => {
    fc.assert(
      fc.property(conversations(), ({ dialect, messages, table }) => {
        const to = dialect === 'anthropic' ? 'openai-chat' : 'anthropic';
        const { messages: list } = wholeRequest(messages, { from: dialect, to, table });
        const read = dialectOf(to).parseList(list, table);
        const calls = (own: typeof messages) =>
          own.flatMap(({ blocks }) => blocks).filter(({ kind }) => kind === 'tool-call').length;
        expect(calls(read)).toBe(calls(messages));
      }),
      { seed: 6, numRuns: 30 },
    );
  });

  it('has no tools where none are declared, and each once', () => {
    const table = new MessageTable();
    const { messages, envelope } = dialectOf('anthropic').parse(
      JSON.stringify(bodies.anthropic),
      table,
    );
    const options = { from: 'anthropic', to: 'anthropic', table } as const;
    expect(wholeRequest(messages, options)).toEqual({
      messages: '[{"role":"user","content":"Go."}]',
    });
    const twice = wholeRequest(messages, { ...options, envelope, tools: [tool('run')] });
    expect(JSON.parse(twice.tools ?? '[]')).toHaveLength(1);
  });
});
