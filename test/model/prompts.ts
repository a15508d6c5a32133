import * as fc from 'fast-check';
import type { ModelRequest } from '../../src/model/model.ts';

/** A summarization request as the prompt contract of src/model/summary-prompt.ts has it. */
export function summaryRequest(parts: {
  readonly limit: number;
  readonly task?: string;
  readonly recent?: string;
  readonly messages: readonly string[];
  readonly maxOutputTokens?: number;
}): ModelRequest {
  const { limit, task = '', recent = '', messages, maxOutputTokens = 100_000 } = parts;
  const transcript = messages.map((message, index) => `[${index + 1}] ${message}\n`).join('');
  return {
    purpose: 'summarize',
    system: `You condense transcripts. Answer with at most ${limit} tokens of plain text.`,
    prompt: `<task>\n${task}\n</task>\n<recent>\n${recent}\n</recent>\n<transcript>\n${transcript}</transcript>\n`,
    maxOutputTokens,
    sample: 0,
  };
}

const word = fc.constantFrom(
  'the',
  'flight',
  'was',
  'booked',
  'error',
  'because',
  'HAT136',
  'src/app.ts',
  'user_12',
  'naïve',
  '漢字',
  '😀',
  '4,500',
  'confirmed.',
  'Next,',
  'check',
  '<b>',
  '</summary>',
  '<<cg:0a1b2c>>',
  '<<<cg:x',
  '</SUMMARY',
  '< / transcript>',
  '[3] user: hi',
  '\n',
  '\n[7] assistant: ',
  '\n\n',
  '\t',
  '\u2028',
  '{"a_b":[1,2]}',
  '- ',
  '\ud800',
);
const body = fc.oneof(
  fc.array(word, { maxLength: 60 }).map((words) => words.join(' ')),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.json(),
  fc.constantFrom(
    '',
    '[output masked: 1234 tokens]',
    'x'.repeat(2000),
    'ab, '.repeat(400),
    '>>> !!! …',
  ),
);
const role = fc.constantFrom(
  'user:\n',
  'assistant:\n',
  'assistant: ',
  'tool result:\n',
  'system:\n',
);

export const messageTexts = fc.array(
  fc.tuple(role, body).map(([header, text]) => header + text),
  { minLength: 1, maxLength: 12 },
);

export const summaryRequests: fc.Arbitrary<ModelRequest> = fc
  .record({
    limit: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 900 })),
    task: body,
    recent: body,
    messages: messageTexts,
  })
  .map(summaryRequest);
