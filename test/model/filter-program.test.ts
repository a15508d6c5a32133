import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { judge } from '../../src/compaction/extract/acceptance.ts';
import { codePrompt, codeSystem, noteShown } from '../../src/compaction/extract/code-prompt.ts';
import { programIn } from '../../src/compaction/extract/program-text.ts';
import { SandboxPool } from '../../src/compaction/extract/sandbox/pool.ts';
import { type OutputKind, readProgramPrompt } from '../../src/model/program-prompt.ts';
import { type StubName, stubModel } from '../../src/model/stub.ts';
import { countTokens } from '../../src/text/tokens.ts';

const pool = new SandboxPool({ size: 1 });
afterAll(() => pool.close());

const lines = (count: number, line: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => line(n)).join('\n');

/** An output of each kind, with an identifier in it that must stay. */
const outputs: readonly (readonly [OutputKind, string, string])[] = [
  [
    'json',
    JSON.stringify(Array.from({ length: 60 }, (_, n) => ({ id: `usr-${n}`, ok: n % 2 === 0 }))),
    'usr-41',
  ],
  ['ndjson', lines(60, (n) => `{"id":"usr-${n}","name":"somebody of ${n}"}`), 'usr-41'],
  [
    'test-log',
    lines(90, (n) => (n % 30 === 7 ? `FAIL case-${n}: found 1\n  expected 2` : `ok   case-${n}`)),
    'case-60',
  ],
  ['log', lines(90, (n) => `2024-01-02T03:04:${n}Z INFO did job-${n} in ${n} ms`), 'job-44'],
  ['hits', lines(90, (n) => `src/file-${n % 7}.ts:${n}: const value${n} = read();`), 'value66'],
  ['listing', lines(90, (n) => `src/deep/file-${n}.ts`), 'src/deep/file-66.ts'],
  [
    'source',
    lines(90, (n) => `${n + 1}\t${n % 9 === 0 ? `function part${n}() {` : '  work();'}`),
    'part45',
  ],
  [
    'prose',
    lines(90, (n) => `Sentence number ${n} says that item-${n} is as it should be.`),
    'item-55',
  ],
];

async function run(
  name: StubName,
  language: 'javascript' | 'starlark',
  output: string,
  keep: readonly string[],
) {
  const request = {
    purpose: 'extract',
    system: codeSystem(language),
    prompt: codePrompt([], output, keep),
    maxOutputTokens: 1500,
    sample: 0,
  } as const;
  const reply = await stubModel(name).ask(request, new AbortController().signal);
  expect(reply.outputTokens).toBe(countTokens(reply.text));
  const code = programIn(reply.text);
  const evaluation = await pool.evaluate({ language, code, input: output });
  return { request, reply, evaluation };
}

describe.each(['javascript', 'starlark'] as const)('in %s', (language) => {
  test.each(outputs)('the stub’s program for %s passes the proof', async (kind, output, name) => {
    const { request, reply, evaluation } = await run('stub', language, output, [name]);
    expect(readProgramPrompt({ ...request })).toMatchObject({ kind, language, keep: [name] });
    expect(reply.text).toContain(name);
    if (evaluation.kind === 'refused')
      throw new Error(`${evaluation.refusal}: ${evaluation.message}`);
    const verdict = judge(output, evaluation.output, evaluation.summary, {
      granularity: 'line',
      minKeepRatio: 0.05,
      identifiers: [name],
      tokens: countTokens(output),
      countTokens,
      sentTokens: (text, _tokens, summary) =>
        countTokens(`${text}\n${summary}\n<<cg:0123456789abcdef>>`),
    });
    expect(verdict).toMatchObject({ kind: 'accepted' });
    expect(evaluation.summary).toMatch(/left out/);
  });

  test.each(outputs)(
    'the program of stub-vague for %s names nothing of it',
    async (_kind, output, name) => {
      const { reply, evaluation } = await run('stub-vague', language, output, [name]);
      expect(reply.text).not.toContain(name);
      expect(evaluation.kind).toBe('done');
    },
  );
});

test('the same prompt gives the same program', async () => {
  const [, output = '', name = ''] = outputs[2] ?? [];
  const once = await run('stub', 'javascript', output, [name]);
  const again = await run('stub', 'javascript', output, [name]);
  expect(again.reply).toEqual(once.reply);
});

test('the stub counts its prompt and its program exactly, of whatever output and however much it shows', async () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme-ascii' }),
    fc.constantFrom('\n', '/', '</output>\n', '<output>\n', '  é', '"a":1,', 'foo bar_1\n', '😀'),
  );
  const some = fc.array(part, { maxLength: 12 }).map((parts) => parts.join(''));
  const stub = stubModel('stub');
  const property = fc.asyncProperty(some, fc.nat(300), async (text, copies) => {
    const output = text.repeat(copies);
    noteShown(output, countTokens(output), 'o200k_base');
    const system = codeSystem('javascript');
    const prompt = codePrompt([], output, ['a_b', '/x/y']);
    const request = {
      purpose: 'extract',
      system,
      prompt,
      maxOutputTokens: 1500,
      sample: 0,
    } as const;
    const reply = await stub.ask(request, new AbortController().signal);
    expect(reply.inputTokens).toBe(countTokens(system) + countTokens(prompt));
    expect(reply.outputTokens).toBe(countTokens(reply.text));
  });
  await fc.assert(property, { numRuns: 60, seed: 20261130 });
});
