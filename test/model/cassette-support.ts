import * as fc from 'fast-check';
import type { CassetteCall } from '../../src/model/cassette-call.ts';
import type { ModelReply, ModelRequest, TurnReply, TurnRequest } from '../../src/model/model.ts';

/** A call by whoever makes it and its number. */
export function recordedCall(name: string, index: number): CassetteCall & { kind: 'prompt' } {
  const prompt = `call ${index} of ${name}`;
  const request = { purpose: 'summarize', system: 's', maxOutputTokens: 9, sample: 0 } as const;
  return { kind: 'prompt', model: 'model', request: { ...request, prompt } };
}

/** An answer that shows to which prompt it belongs, with characters of several bytes. */
export function recordedText(prompt: string, bytes: number): string {
  return `${prompt}: ${'ü\n{"key":"x'.repeat(Math.ceil(bytes / 12))}`;
}

/** Any string, lone surrogates too. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\ud800', 'a\r\nb\u2028', '{"key":"', '{"cassette":1,"id":"x"}', 'ü'),
);
/** JSON as bodies have it, also in spellings that parsing loses. */
const json = fc.oneof(
  fc.json({ maxDepth: 3 }),
  fc.constantFrom(
    '[{"role":"user","content":"hi"}]',
    '[ 1.0, 12345678901234567890 ]',
    '{"a":1,"a":2}',
    '"text"',
    '[1e3]',
    '{"json_text":"[1]"}',
    '[]',
  ),
);
const common = {
  purpose: fc.constantFrom('summarize' as const, 'extract' as const, 'agreement' as const),
  maxOutputTokens: fc.integer({ min: 1, max: 9999 }),
  sample: fc.integer({ min: 0, max: 3 }),
};
const modelRequest: fc.Arbitrary<ModelRequest> = fc.record({
  ...common,
  system: text,
  prompt: text,
});
const turnRequest: fc.Arbitrary<TurnRequest> = fc.record(
  { ...common, messages: json, system: json, tools: json },
  { requiredKeys: ['purpose', 'maxOutputTokens', 'sample', 'messages'] },
);
const model = fc.constantFrom('stub', 'claude-haiku-4-5', 'gpt-4.1', 'meta-llama/Llama-3.1-8B');
const parameters = fc.option(
  fc.dictionary(
    fc.constantFrom('temperature', 'top_p', 'seed'),
    fc.oneof(fc.integer(), fc.boolean(), fc.constantFrom('low', 'high')),
  ),
  { nil: undefined },
);

export const cassetteCalls: fc.Arbitrary<CassetteCall> = fc.oneof(
  fc.record({ kind: fc.constant('prompt' as const), model, parameters, request: modelRequest }),
  fc.record({
    kind: fc.constant('turn' as const),
    model,
    parameters,
    wire: fc.constantFrom('anthropic' as const, 'openai-chat' as const),
    request: turnRequest,
  }),
);

const reply = {
  text,
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  cacheReadTokens: fc.nat(),
  cacheWriteTokens: fc.nat(),
};
const requiredKeys = ['text', 'inputTokens', 'outputTokens'] as const;

export const modelReplies: fc.Arbitrary<ModelReply> = fc.record(reply, {
  requiredKeys: [...requiredKeys],
});
export const turnReplies: fc.Arbitrary<TurnReply> = fc.record(
  { ...reply, toolCalls: fc.array(fc.record({ id: text, name: text, arguments: text })) },
  { requiredKeys: [...requiredKeys, 'toolCalls'] },
);
