import { describe, expect, it } from 'vitest';
import type { TurnRequest } from '../../src/model/model.ts';
import { scriptedTurns, type TurnStep } from '../../src/model/scripted-turns.ts';

const { signal } = new AbortController();
const request = (entries: readonly object[], rest: Partial<TurnRequest> = {}): TurnRequest => ({
  purpose: 'agreement',
  messages: JSON.stringify(entries),
  maxOutputTokens: 100,
  sample: 0,
  ...rest,
});
const read: TurnStep = { kind: 'calls', calls: [{ name: 'read', arguments: '{"path":"a.ts"}' }] };

describe('scripted turns', () => {
  const turns = scriptedTurns([
    { needs: ['a.ts', 'urgent'], step: { kind: 'text', text: 'both' } },
    { needs: ['a.ts'], last: 'Go on', step: read },
  ]);
  const said = (...texts: string[]) => request(texts.map((content) => ({ role: 'user', content })));

  it('do what the first rule says whose content is there', async () => {
    const { text, toolCalls } = await turns.ask(said('see a.ts', 'Go on.'), signal);
    expect({ text, toolCalls }).toEqual({
      text: '',
      toolCalls: [{ id: 'call_0', name: 'read', arguments: '{"path":"a.ts"}' }],
    });
    expect(await turns.ask(said('urgent: a.ts'), signal)).toMatchObject({ text: 'both' });
    for (const lost of [said('Go on.'), said('Go on', 'a.ts')]) {
      expect(await turns.ask(lost, signal)).toMatchObject({ toolCalls: [] });
    }
    expect(turns.requests).toHaveLength(4);
  });

  it('find content in results and in arguments, on both wires', async () => {
    const lists = [
      [
        { role: 'assistant', content: [{ type: 'tool_use', name: 'x', input: { path: 'a.ts' } }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', content: [{ type: 'text', text: 'Go on' }] }],
        },
      ],
      [
        {
          role: 'assistant',
          tool_calls: [{ function: { name: 'x', arguments: '{"path":"a\\u002ets"}' } }],
        },
        { role: 'tool', content: 'Go on' },
      ],
    ];
    for (const list of lists) {
      expect(await turns.ask(request(list), signal)).toMatchObject({
        toolCalls: [{ name: 'read' }],
      });
    }
  });

  it('give the same reply to the same request, and count what was sent', async () => {
    const asked = said('a.ts', 'Go on');
    const reply = await turns.ask(asked, signal);
    expect(await turns.ask(asked, signal)).toEqual(reply);
    const longer = await turns.ask({ ...asked, system: '"Be careful."' }, signal);
    expect(longer.inputTokens).toBeGreaterThan(reply.inputTokens);
    expect(reply.outputTokens).toBeGreaterThan(0);
  });

  it('fail as they are told', async () => {
    const failing = scriptedTurns(() => ({ kind: 'fail' }));
    await expect(failing.ask(said('x'), signal)).rejects.toMatchObject({ code: 'model.transport' });
    await expect(failing.ask(said('x'), AbortSignal.abort())).rejects.toThrow();
  });
});
