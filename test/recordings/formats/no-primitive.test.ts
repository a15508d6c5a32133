import { expect, test } from 'vitest';
import { isObject } from '../../../src/wire/json-object.ts';
import { jsonl, readFiles } from '../support.ts';
import { agentSamples } from './agent-samples.ts';
import { sampleFiles } from './samples.ts';

/** An object that JavaScript can make no text and no number of. */
const NO_PRIMITIVE = { toString: null, valueOf: null };

/** Every value that differs from `value` in one place, where `by` stands. */
function* replacements(value: unknown, by: unknown): Generator<unknown> {
  yield by;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      for (const inner of replacements(item, by)) yield value.with(index, inner);
    }
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      for (const inner of replacements(item, by)) yield { ...value, [key]: inner };
    }
  }
}

test.each([...sampleFiles, ...agentSamples])(
  '$format ($file): an object of no primitive value in any place is read or told of',
  async ({ file, value }) => {
    let count = 0;
    for (const changed of replacements(value, NO_PRIMITIVE)) {
      // Each second place: neighbours are read alike.
      if (count++ % 2 > 0) continue;
      const isLines = file.endsWith('.jsonl') && Array.isArray(changed);
      const text = isLines ? jsonl(...changed) : JSON.stringify(changed);
      const { transcripts, problems } = await readFiles({ [file]: text }, [file]);
      expect(transcripts.length + problems.length).toBeGreaterThan(0);
      expect(problems.filter(({ code }) => code === 'harness.internal')).toEqual([]);
    }
    expect(count).toBeGreaterThan(5);
  },
);

test('an exchange whose address or header is no text is read', async () => {
  const body = { model: 'gpt-x', messages: [{ role: 'user', content: 'go' }] };
  for (const [url, name] of [
    [NO_PRIMITIVE, 'x'],
    ['https://api.openai.com/v1/chat/completions', NO_PRIMITIVE],
  ]) {
    const headers = [{ name, value: '1' }, [NO_PRIMITIVE, '2']];
    const { transcripts } = await readFiles({
      'proxy.json': JSON.stringify({
        request: { method: 'POST', url, headers, body },
        response: {},
      }),
    });
    expect(transcripts).toHaveLength(1);
  }
});
