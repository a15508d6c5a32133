import { describe, expect, test } from 'vitest';
import { contextOfBody } from '../../src/shape/context.ts';
import { type Violation, validate } from '../../src/shape/validate.ts';
import type { Request, Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { hasShared, needsShared, readAll, shared } from '../recordings/support.ts';
import { type ExplainedViolation, explainedViolations } from './explained-violations.ts';

/** Formats that can be read; their recordings are requests that a provider took. */
const folders = ['llm-request-log', 'claude-code-jsonl', 'tau-bench', 'mini-swe-agent'];

type Found = Omit<ExplainedViolation, 'reason'>;

function violationsOf({ dialect, model }: Transcript, request: Request): readonly Violation[] {
  const { envelope, messages } = request;
  const around =
    envelope === undefined
      ? {}
      : contextOfBody(dialect, JSON.parse(dialectOf(dialect).encode([], envelope)));
  const named = request.model ?? model;
  const context = named === undefined ? around : { ...around, model: named };
  const found = validate({ dialect, messages, context }, { mode: 'prefix' });
  return found.filter(({ severity }) => severity === 'error');
}

describe.skipIf(!hasShared)(`the requests of the public recordings${needsShared}`, () => {
  test('break no rule but where the list of explanations says so', async () => {
    const found: Found[] = [];
    let requests = 0;
    for (const folder of folders) {
      const { transcripts } = await readAll([folder], { cwd: shared });
      expect(transcripts.length, folder).toBeGreaterThan(0);
      for (const transcript of transcripts) {
        for (const [request, recorded] of transcript.requests.entries()) {
          requests++;
          const broken = violationsOf(transcript, recorded);
          for (const rule of new Set(broken.map((violation) => violation.rule))) {
            const messages = broken
              .filter((one) => one.rule === rule)
              .map(({ message }) => message);
            found.push({ file: transcript.source.file, request, rule, messages });
          }
        }
      }
    }
    expect(found).toEqual(explainedViolations.map(({ reason: _, ...violation }) => violation));
    expect(requests).toBeGreaterThan(2500);
  });

  test('a violation in one of them is found', async () => {
    const { transcripts } = await readAll(['tau-bench'], { cwd: shared });
    const [transcript] = transcripts;
    const request = transcript?.requests.find(({ messages }) =>
      messages.slice(0, -1).some(({ role }) => role === 'tool'),
    );
    if (transcript === undefined || request === undefined) throw new Error('no request');
    const torn = { ...request, messages: request.messages.filter(({ role }) => role !== 'tool') };
    expect(violationsOf(transcript, torn).map(({ rule }) => rule)).toContain('OC-PAIR-1');
  });
});

test('each explanation says why', () => {
  for (const { reason } of explainedViolations) expect(reason.length).toBeGreaterThan(40);
});
