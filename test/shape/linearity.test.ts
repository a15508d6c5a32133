import { type Profiler, Session } from 'node:inspector/promises';
import * as v8 from 'node:v8';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireMessage } from '../../src/shape/rule.ts';
import { type ShapeDialect, type ShapeRequest, validate } from '../../src/shape/validate.ts';
import { wire } from './examples/example.ts';

// Optimized code does not count what it runs. Each test file has a process of its own.
v8.setFlagsFromString('--no-opt');

/** Repeats of the pattern in the shorter list. */
const SIZE = 100;

/** Characters of code that may run whatever the length of the list. */
const CONSTANT = 3000;

const text = 'Look at src/parser.ts, line 40.';

/** Exchanges of each dialect, legal and not, that a list is built from. */
const pieces: {
  readonly [Dialect in ShapeDialect]: (id: string) => readonly (readonly object[])[];
} = {
  anthropic: (id) => {
    const call = { type: 'tool_use', id, name: 'grep', input: {} };
    const result = { type: 'tool_result', tool_use_id: id, content: text };
    const program = { type: 'server_tool_use', id: `s${id}`, name: 'code_execution', input: {} };
    const called = { ...call, caller: { tool_id: `s${id}` } };
    const thinking = { type: 'thinking', thinking: text, signature: id };
    return [
      [{ role: 'user', content: text }],
      [{ role: 'system', content: text }],
      [
        { role: 'assistant', content: [thinking, call] },
        { role: 'user', content: [result] },
      ],
      [{ role: 'assistant', content: [call, { ...call, id: 'same' }] }],
      [{ role: 'user', content: [result, { ...result, tool_use_id: 'same' }] }],
      [
        { role: 'assistant', content: [program, called] },
        { role: 'user', content: [result] },
      ],
    ];
  },
  'openai-chat': (id) => [
    [{ role: 'user', content: text }],
    [
      { role: 'assistant', content: null, tool_calls: [{ id, function: { arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: text },
    ],
    [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'same', function: { arguments: '{}' } }],
      },
    ],
    [{ role: 'tool', tool_call_id: 'same', content: text }],
  ],
  'openai-responses': (id) => [
    [{ role: 'user', content: text }],
    [{ type: 'reasoning', id: `rs_${id}` }],
    [
      { type: 'function_call', call_id: id, id: `fc_${id}` },
      { type: 'function_call_output', call_id: id, output: text },
    ],
    [{ type: 'custom_tool_call', call_id: 'same' }],
    [{ type: 'custom_tool_call_output', call_id: 'same', output: text }],
  ],
  gemini: (id) => [
    [{ role: 'user', parts: [{ text }] }],
    [
      { role: 'model', parts: [{ functionCall: { name: 'f' }, thoughtSignature: id }] },
      { role: 'user', parts: [{ functionResponse: { name: 'f' } }] },
    ],
    [{ role: 'model', parts: [{ text }] }],
  ],
  bedrock: (id) => [
    [{ role: 'user', content: [{ text }] }],
    [
      { role: 'assistant', content: [{ toolUse: { toolUseId: id, input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: id, content: [{ text }] } }] },
    ],
    [{ role: 'assistant', content: [{ text }] }],
  ],
};

const models: { readonly [Dialect in ShapeDialect]?: string } = {
  anthropic: 'claude-opus-5-5',
  gemini: 'gemini-3-pro',
};

/** A list of `repeats` times the pattern, each with ids of its own. */
function listOf(dialect: ShapeDialect, pattern: readonly number[], repeats: number): WireMessage[] {
  const messages: WireMessage[] = [];
  for (let repeat = 0; repeat < repeats; repeat++) {
    pattern.forEach((choice, at) => {
      const options = pieces[dialect](`i${repeat}_${at}`);
      messages.push(...wire(options[choice % options.length] ?? []));
    });
  }
  return messages;
}

function isOracle({ url }: Profiler.ScriptCoverage): boolean {
  return url.includes('/src/shape/');
}

/**
 * How much code a function ran: characters times how often. The profiler leaves a block out where it ran as often as
 * what is around it, so that ranges cannot just be added up.
 */
function executed({ ranges }: Profiler.FunctionCoverage): number {
  const around: Profiler.CoverageRange[] = [];
  let total = 0;
  for (const range of ranges) {
    while ((around.at(-1)?.endOffset ?? Number.POSITIVE_INFINITY) <= range.startOffset)
      around.pop();
    const outer = around.at(-1)?.count ?? 0;
    total += (range.count - outer) * (range.endOffset - range.startOffset);
    around.push(range);
  }
  return total;
}

// The profiler counts blocks only of functions that were compiled while it runs, so it runs from the start.
const session = new Session();
beforeAll(async () => {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(() => session.disconnect());

/** How much of its code each function of the oracle ran: deterministic, unlike time. */
async function operations(request: ShapeRequest): Promise<ReadonlyMap<string, number>> {
  await session.post('Profiler.takePreciseCoverage');
  validate(request);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const counts = new Map<string, number>();
  for (const { url, functions } of result.filter(isOracle)) {
    for (const called of functions) {
      const name = `${called.functionName} at ${called.ranges[0]?.startOffset} of ${url}`;
      if (called.isBlockCoverage) counts.set(name, executed(called));
    }
  }
  return counts;
}

describe('validating', () => {
  it.each(Object.keys(pieces) as ShapeDialect[])(
    'a list of %s is linear in its length',
    async (dialect) => {
      const patterns = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(patterns, fc.boolean(), async (pattern, rewritten) => {
          const request = (repeats: number): ShapeRequest => {
            const messages = listOf(dialect, pattern, repeats);
            const model = models[dialect];
            const context = model === undefined ? {} : { model };
            if (!rewritten) return { dialect, messages, context };
            return {
              dialect,
              messages,
              context,
              before: listOf(dialect, [...pattern, 0], repeats),
            };
          };
          const once = await operations(request(SIZE));
          const twice = await operations(request(2 * SIZE));
          expect(twice.size).toBeGreaterThan(10);
          for (const [name, count] of twice) {
            expect(count, name).toBeLessThan(2.1 * (once.get(name) ?? 0) + CONSTANT);
          }
        }),
        { numRuns: 8, seed: 7 },
      );
    },
  );
});
