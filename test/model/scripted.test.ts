import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import type { ModelRequest } from '../../src/model/model.ts';
import { type ScriptStep, scriptedModel } from '../../src/model/scripted.ts';
import { countTokens } from '../../src/text/tokens.ts';

const { signal } = new AbortController();
const request: ModelRequest = {
  purpose: 'summarize',
  system: 'Be brief.',
  prompt: 'What now?',
  maxOutputTokens: 10,
  sample: 0,
};

function* generated(): Generator<ScriptStep> {
  yield 'one';
  yield { kind: 'reply', text: 'two' };
}

describe('scriptedModel', () => {
  it.each([
    ['a list', ['one', { kind: 'reply', text: 'two' }] as const],
    ['a generator', generated()],
    ['an iterator', { next: generated().next.bind(generated()) }],
  ])('replies from %s, then fails and says so', async (_name, script) => {
    const model = scriptedModel(script);
    expect((await model.ask(request, signal)).text).toBe('one');
    expect(await model.ask(request, signal)).toEqual({
      text: 'two',
      inputTokens: countTokens('Be brief.') + countTokens('What now?'),
      outputTokens: countTokens('two'),
    });
    await expect(model.ask(request, signal)).rejects.toMatchObject({
      code: 'model.reply',
      message: expect.stringContaining('2 steps'),
    });
  });

  it('replies from a function of request and call number, and keeps the requests', async () => {
    const model = scriptedModel(({ prompt }, callIndex) => `${callIndex}: ${prompt}`, {
      name: 'echo',
      contextWindow: undefined,
    });
    const second = { ...request, prompt: 'And now?' };
    expect((await model.ask(request, signal)).text).toBe('0: What now?');
    expect((await model.ask(second, signal)).text).toBe('1: And now?');
    expect(model.calls).toEqual([request, second]);
    expect(model.name).toBe('echo');
    expect(model.contextWindow).toBeUndefined();
    expect(scriptedModel([], { contextWindow: 9000 }).contextWindow).toBe(9000);
    expect(scriptedModel([])).toMatchObject({ name: 'scripted', contextWindow: 200_000 });
  });

  it('fails with the given error, or as a broken transport', async () => {
    const error = new HarnessError('model.timeout', 'too late');
    const model = scriptedModel([{ kind: 'fail', error }, { kind: 'fail' }, 'well again']);
    await expect(model.ask(request, signal)).rejects.toBe(error);
    await expect(model.ask(request, signal)).rejects.toMatchObject({ code: 'model.transport' });
    expect((await model.ask(request, signal)).text).toBe('well again');
  });

  it('hangs until the signal aborts', async () => {
    const controller = new AbortController();
    const answer = scriptedModel([{ kind: 'hang' }]).ask(request, controller.signal);
    const first = await Promise.race([
      answer,
      new Promise((resolve) => setTimeout(() => resolve('still waiting'), 20)),
    ]);
    expect(first).toBe('still waiting');
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
  });

  it('does not take a step under an aborted signal', async () => {
    const model = scriptedModel(['one']);
    await expect(model.ask(request, AbortSignal.abort(new Error('before')))).rejects.toThrow(
      'before',
    );
    expect(model.calls).toEqual([]);
    expect((await model.ask(request, signal)).text).toBe('one');
  });

  it('gives blank replies that are not empty', async () => {
    const { text } = await scriptedModel([{ kind: 'blank' }]).ask(request, signal);
    expect(text.trim()).toBe('');
    expect(text).not.toBe('');
  });

  it('gives the same nonsense of the length asked for', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2000), async (bytes) => {
        const model = scriptedModel([
          { kind: 'nonsense', bytes },
          { kind: 'nonsense', bytes },
        ]);
        const { text } = await model.ask(request, signal);
        expect(Buffer.byteLength(text)).toBe(bytes);
        expect((await model.ask(request, signal)).text).toBe(text);
      }),
    );
  });
});
