import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelReply, ModelRequest } from '../../src/model/model.ts';
import { type StubName, stubModel, stubNames } from '../../src/model/stub.ts';
import { containsIdentifier, identifiersIn } from '../../src/text/identifiers.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { summaryRequest, summaryRequests } from './prompts.ts';

const { signal } = new AbortController();

function ask(name: StubName, request: ModelRequest): Promise<ModelReply> {
  return stubModel(name).ask(request, signal);
}

function statedLimit(request: ModelRequest): number {
  return Number(/at most (\d+) tokens/.exec(request.system)?.[1]);
}

describe.each(stubNames)('%s', (name) => {
  it('stays within the stated length, says something, and counts exactly', async () => {
    await fc.assert(
      fc.asyncProperty(summaryRequests, async (request) => {
        const reply = await ask(name, request);
        expect(reply.text.trim()).not.toBe('');
        expect(countTokens(reply.text)).toBeLessThanOrEqual(statedLimit(request));
        expect(reply.outputTokens).toBe(countTokens(reply.text));
        expect(reply.inputTokens).toBe(countTokens(request.system) + countTokens(request.prompt));
      }),
      { numRuns: 500 },
    );
  });

  it('writes nothing that reads as a marker, a tag of the prompt or the header of a message', async () => {
    await fc.assert(
      fc.asyncProperty(summaryRequests, async (request) => {
        const { text } = await ask(name, request);
        expect(text).not.toMatch(/<<cg:/i);
        expect(text).not.toMatch(/<\s*\/?\s*(?:summary|task|recent|transcript)\b/i);
        expect(text).not.toMatch(/^\s*\[\d+\]/m);
      }),
      { numRuns: 500 },
    );
  });

  it('does not begin with a quoted header, however short it must be', async () => {
    for (const limit of [3, 6, 12]) {
      const messages = [
        'user:\n> [3] assistant: I quoted what had been said about the door before.',
      ];
      expect((await ask(name, summaryRequest({ limit, messages }))).text).not.toMatch(/^\[/);
    }
  });

  it('gives the same reply whatever it was asked before', async () => {
    const used = stubModel(name);
    await fc.assert(
      fc.asyncProperty(summaryRequests, async (request) => {
        expect(await used.ask(request, signal)).toEqual(await ask(name, request));
      }),
    );
  });

  it('gives the same reply to prompts that go on where others began, ended or had the same twice', async () => {
    const message = fc.nat(9).map((n) => `user:\nThe door at place_${n} is red.`);
    // Kept, moved on, cut, or with another message put in: what prompts of one session do.
    const change = fc.record({ from: fc.nat(4), cut: fc.nat(3), more: fc.array(message) });
    const used = stubModel(name);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 6 }), async (changes) => {
        let messages: string[] = [];
        for (const { from, cut, more } of changes) {
          messages = [...messages.slice(from, messages.length - cut), ...more];
          const request = summaryRequest({ limit: 60, messages });
          expect(await used.ask(request, signal)).toEqual(await ask(name, request));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('is empty only for a blank transcript', async () => {
    const { text } = await ask(name, {
      ...summaryRequest({ limit: 50, messages: [] }),
      prompt: '<task>\nwork\n</task>\n<transcript>\n \n\n</transcript>',
    });
    expect(text).toBe('');
  });

  it('keeps to maxOutputTokens where that is less than the stated length', async () => {
    const messages = ['red', 'green', 'blue'].map(
      (word) => `user:\nThe door at ${word}_1 is ${word}.`,
    );
    const asked = async (maxOutputTokens: number): Promise<number> =>
      (await ask(name, summaryRequest({ limit: 500, messages, maxOutputTokens }))).outputTokens;
    expect(await asked(15)).toBeLessThanOrEqual(15);
    expect(await asked(500)).toBeGreaterThan(15);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const request = summaryRequest({ limit: 50, messages: ['user:\nhello'] });
    await expect(
      stubModel(name).ask(request, AbortSignal.abort(new Error('stopped'))),
    ).rejects.toThrow('stopped');
  });

  it('answers any other prompt within its limit', async () => {
    await fc.assert(
      fc.asyncProperty(summaryRequests, fc.integer({ min: 1, max: 50 }), async (request, limit) => {
        const other: ModelRequest = { ...request, purpose: 'probe', maxOutputTokens: limit };
        const reply = await ask(name, other);
        expect(reply.outputTokens).toBeLessThanOrEqual(limit);
        expect(await ask(name, other)).toEqual(reply);
      }),
    );
  });
});

describe('stub', () => {
  const noise = Array.from(
    { length: 40 },
    (_, index) =>
      `tool result:\n${'Nothing of note was seen in this place, and the log went on as before. '.repeat(4)}entry ${index}`,
  );

  it('keeps what the task asks about, a decision and an error, and drops the rest', async () => {
    const request = summaryRequest({
      limit: 120,
      task: 'Find out why the parser rejects umlauts in config/locale.yaml.',
      recent: 'assistant: I am going to look at the parser again.',
      messages: [
        ...noise.slice(0, 20),
        'tool result:\nError: the parser rejects umlauts at src/parser/scan.ts',
        'assistant:\nWe decided to normalize umlauts in normalizeText before the parser runs.',
        ...noise.slice(20),
      ],
    });
    const { text } = await ask('stub', request);
    expect(text).toContain('src/parser/scan.ts');
    expect(text).toContain('normalizeText');
    expect(text.split('Nothing of note').length).toBeLessThanOrEqual(3);
    expect(text.indexOf('scan.ts')).toBeLessThan(text.indexOf('normalizeText'));
  });

  it('changes with the task', async () => {
    const messages = [
      ...noise,
      'user:\nThe violin is out of tune.',
      'user:\nThe kettle is out of water.',
    ];
    const about = async (task: string): Promise<string> =>
      (await ask('stub', summaryRequest({ limit: 14, task, messages }))).text;
    expect(await about('Fill the kettle')).toContain('kettle');
    expect(await about('Tune the violin')).toContain('violin');
  });

  it('names identifiers that its sentences leave out', async () => {
    const request = summaryRequest({
      limit: 150,
      messages: [
        ...noise,
        ...Array.from(
          { length: 8 },
          (_, n) =>
            `tool result:\n{"rows":"${'0,'.repeat(150)}","id":"res_${n}x","on":"${'1,'.repeat(150)}"}`,
        ),
      ],
    });
    const lines = (await ask('stub', request)).text.split('\n');
    expect(lines.at(-1)).toMatch(/^Identifiers: .*res_\dx/);
  });

  it('says only what the transcript says', async () => {
    await fc.assert(
      fc.asyncProperty(summaryRequests, async (request) => {
        const { text } = await ask('stub', request);
        for (const { value } of identifiersIn(text.replace(/‹/g, ' '))) {
          expect(containsIdentifier(request.prompt, value) || request.prompt.includes(value)).toBe(
            true,
          );
        }
      }),
    );
  });

  it('uses the length it has where the transcript is long', async () => {
    for (const limit of [100, 300, 600]) {
      const messages = Array.from(
        { length: 200 },
        (_, n) =>
          `assistant:\nStep ${n} changed module_${n} so that case ${n * 7} of suite_${n % 9} now passes.`,
      );
      const { outputTokens } = await ask('stub', summaryRequest({ limit, messages }));
      expect(outputTokens).toBeGreaterThan(limit * 0.85);
    }
  });

  it('reads a long transcript in linear time, and a grown one for what is new', async () => {
    const messages = Array.from(
      { length: 3000 },
      (_, n) =>
        `assistant:\nStep ${n}: opened src/part_${n}.ts, and ${'found nothing new there. '.repeat(8)}`,
    );
    const model = stubModel('stub');
    const start = process.cpuUsage();
    await model.ask(summaryRequest({ limit: 400, messages }), signal);
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
    const again = process.cpuUsage();
    await model.ask(summaryRequest({ limit: 400, messages: [...messages, 'user:\nmore'] }), signal);
    expect(process.cpuUsage(again).user / 1000).toBeLessThan(1000);
  });
});

describe('stub-vague', () => {
  it('has no identifier of its input', async () => {
    await fc.assert(
      fc.asyncProperty(summaryRequests, async (request) => {
        const { text } = await ask('stub-vague', request);
        for (const { value } of identifiersIn(`${request.system}\n${request.prompt}`)) {
          expect(text.includes(value)).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is as long as stub, up to one token', async () => {
    await fc.assert(
      fc.asyncProperty(summaryRequests, async (request) => {
        const exact = (await ask('stub', request)).outputTokens;
        const vague = (await ask('stub-vague', request)).outputTokens;
        expect(vague).toBeLessThanOrEqual(exact);
        expect(vague).toBeGreaterThanOrEqual(exact - 1);
      }),
    );
  });
});

it('extracts the last section of a prompt that asks for no summary and no program', async () => {
  const request: ModelRequest = {
    purpose: 'probe',
    system: '',
    prompt: 'Do this.\n<goal>first</goal>\n<output>second\nthird</output>\nThanks.',
    maxOutputTokens: 100,
    sample: 0,
  };
  expect((await ask('stub', request)).text).toBe('second\nthird');
  expect((await ask('stub', { ...request, prompt: 'One.\n\nTwo.\n' })).text).toBe('Two.');
});

const tauBench = join(
  process.env.CG_SHARED ?? '../shared',
  'transcripts/tau-bench/sierra-research__tau-bench/historical_trajectories__gpt-4o-airline.json',
);

it.skipIf(!existsSync(tauBench))(
  "keeps more of a real conversation's identifiers than chance (skipped without ../shared)",
  async () => {
    const runs: unknown = JSON.parse(readFileSync(tauBench, 'utf8'));
    if (!Array.isArray(runs)) throw new Error('expected a list of runs');
    let kept = 0;
    let total = 0;
    for (const run of runs.slice(0, 20)) {
      const texts: string[] = run.traj.flatMap((message: { role: string; content: unknown }) =>
        typeof message.content === 'string' && message.role !== 'system'
          ? [`${message.role === 'tool' ? 'tool result' : message.role}:\n${message.content}`]
          : [],
      );
      const cut = Math.floor(texts.length * 0.7);
      const later = identifiersIn(texts.slice(cut).join('\n')).map(({ value }) => value);
      const earlier = texts.slice(0, cut).join('\n');
      const wanted = [...new Set(later)].filter((value) => containsIdentifier(earlier, value));
      const request = summaryRequest({
        limit: 300,
        task: texts[0] ?? '',
        recent: texts.slice(cut).slice(0, 2).join('\n'),
        messages: texts.slice(0, cut),
      });
      const { text } = await ask('stub', request);
      kept += wanted.filter((value) => containsIdentifier(text, value)).length;
      total += wanted.length;
    }
    expect(total).toBeGreaterThan(100);
    expect(kept / total).toBeGreaterThan(0.3);
  },
);
