import { describe, expect, it } from 'vitest';
import type { TurnRequest } from '../../src/model/model.ts';
import { stubModel } from '../../src/model/stub.ts';

const { signal } = new AbortController();
const EXPAND = 'context_guru_expand';
const declared = (...names: string[]) => JSON.stringify(names.map((name) => ({ name })));
const use = (name: string, input: object) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'a', name, input }],
});
const user = (content: string) => ({ role: 'user', content });
const question = (text: string) => user(`Answer.\n<question>\n${text}\n</question>`);

async function turn(entries: readonly object[], rest: Partial<TurnRequest> = {}) {
  const { turns } = stubModel('stub');
  if (turns === undefined) throw new Error('takes no requests');
  const { text, toolCalls } = await turns.ask(
    {
      purpose: 'agreement',
      messages: JSON.stringify(entries),
      maxOutputTokens: 100,
      sample: 0,
      ...rest,
    },
    signal,
  );
  return { text, calls: toolCalls.map(({ name, arguments: written }) => ({ name, written })) };
}

describe('the stub as an agent', () => {
  it('goes on with its tool, on the newest name that is left', async () => {
    const list = [user('See src/a.ts.'), use('read', { path: 'src/a.ts' }), user('needs src/b.ts')];
    expect(await turn(list)).toEqual({
      text: '',
      calls: [{ name: 'read', written: '{"path":"src/b.ts"}' }],
    });
    expect((await turn([...list, use('read', { path: 'src/b.ts' })])).calls).toEqual([]);
    expect((await turn([user('See src/a.ts.')], { tools: declared('open') })).calls).toEqual([
      { name: 'open', written: '{"input":"src/a.ts"}' },
    ]);
    expect((await turn([user('See src/a.ts.')])).text).not.toBe('');
  });

  it('checks after a change as it did before', async () => {
    const list = [
      user('See src/a.ts.'),
      {
        role: 'assistant',
        content: [
          ...use('run', { command: 'test' }).content,
          ...use('read', { path: 'b' }).content,
        ],
      },
      user('failed in src/c.ts'),
      use('edit', { path: 'src/c.ts', text: 'better' }),
      user('edited'),
    ];
    expect((await turn(list)).calls).toEqual([
      { name: 'run', written: '{"command":"test"}' },
      { name: 'read', written: '{"path":"b"}' },
    ]);
    // Nothing to repeat, and no name left to go on with.
    expect((await turn(list.slice(2))).calls).toEqual([]);
  });

  it('gets back what markers hide where nothing is left, once', async () => {
    const list = [user('Gone: <<cg:0123456789abcdef>>')];
    const expand = { name: EXPAND, written: '{"hash":"0123456789abcdef"}' };
    expect((await turn(list, { tools: declared(EXPAND) })).calls).toEqual([expand]);
    const again = [...list, use(EXPAND, { hash: '0123456789abcdef' }), user('nothing')];
    expect((await turn(again, { tools: declared(EXPAND) })).calls).toEqual([]);
    expect((await turn(list)).calls).toEqual([]);
  });

  it('asks questions that it can answer from the text, and not without', async () => {
    const text = 'the owner of the ledger is account-4711 and\nthe port of it is port_8443 today';
    const reply = await stubModel('stub-vague').ask(
      {
        purpose: 'probe',
        system: '',
        prompt: `Questions to write: 2\n\n<text>\n${text}\n</text>`,
        maxOutputTokens: 500,
        sample: 0,
      },
      signal,
    );
    const probes: { question: string; answer: string }[] = JSON.parse(reply.text);
    expect(probes.map(({ answer }) => answer)).toEqual(['account-4711', 'port_8443']);
    for (const probe of probes) {
      const asked = question(probe.question);
      const options = { purpose: 'probe', tools: declared('read') } as const;
      expect(await turn([user(text), asked], options)).toEqual({ text: probe.answer, calls: [] });
      expect((await turn([user('Gone.'), asked], options)).text).toBe('UNKNOWN');
      const hidden = [user('Gone: <<cg:0123456789abcdef>>'), asked];
      const expand = { purpose: 'probe', tools: declared(EXPAND) } as const;
      expect((await turn(hidden, expand)).calls[0]?.name).toBe(EXPAND);
    }
    expect((await turn([question('What else?')], { purpose: 'probe' })).text).toBe('UNKNOWN');
  });
});
