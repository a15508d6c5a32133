import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizedLines } from '../../../src/recordings/formats/normalized-write.ts';
import { addsUp } from '../../../src/recordings/loss.ts';
import { readRecordings } from '../../../src/recordings/read.ts';
import { toTranscript } from '../../../src/recordings/transcripts.ts';
import type { Message } from '../../../src/transcript/message.ts';
import type { Envelope, Request, Transcript, Usage } from '../../../src/transcript/transcript.ts';
import { dialectOf } from '../../../src/wire/catalog.ts';
import {
  damagedPlans,
  dialectNames,
  sessionOf,
  validPlans,
} from '../../support/arbitraries/sessions.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { hasShared, needsShared, readAll, readFiles, shared } from '../support.ts';

const text = (transcript: Transcript) => [...normalizedLines(transcript)].join('');

/** All of a transcript but for where it was read. */
function content({ source, requests, ...rest }: Transcript) {
  return {
    ...rest,
    session: source.session,
    requests: requests.map(({ messages, action, envelope, ...facts }) => ({
      ...facts,
      envelope,
      raws: messages.map(({ raw }) => raw),
      hashes: messages.map(({ identity }) => identity.hash),
      action: action?.raw,
    })),
  };
}

const count = fc.nat({ max: 1_000_000 });
const usage: fc.Arbitrary<Usage> = fc
  .tuple(
    fc.record(
      { inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count },
      { requiredKeys: [] },
    ),
    fc.boolean(),
  )
  // The hash of a transcript depends on the order of the keys.
  .map(([figures, backwards]) =>
    backwards ? Object.fromEntries(Object.entries(figures).reverse()) : figures,
  );

const name = fc.oneof(
  fc.constantFrom('main', '../../etc', 'a/b', 'CON', '🎉', '\ud800', 'a"b\\c\n'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
);

const facts = fc.record(
  {
    model: name,
    time: fc.integer({ min: 0, max: 2e12 }),
    usage,
    cost: fc.double({ min: 0, max: 10, noNaN: true }),
  },
  { requiredKeys: [] },
);

const labels = fc.record(
  {
    task: name,
    trial: name,
    lineage: name,
    session: name,
    agent: name,
    model: name,
    reward: fc.double({ min: 0, max: 1, noNaN: true }),
    cost: fc.double({ min: 0, max: 10, noNaN: true }),
    retries: fc.nat(5),
  },
  { requiredKeys: ['task', 'trial', 'lineage', 'session', 'retries'] },
);

/** What JavaScript would spell otherwise, in bodies around the list. */
const SURROUNDINGS = [
  '{"model":"m","messages":[',
  '{ "n": 12345678901234567890, "n": 1e3,\n "x": "\\ud800\\/",\t"messages" : [ ',
];

/** Transcripts of every dialect: lists that grow, shrink, repeat, and have surroundings or none. */
const transcripts: fc.Arbitrary<Transcript> = fc
  .constantFrom(...dialectNames)
  .chain((dialect) =>
    fc.record({
      plan: fc.oneof(validPlans(dialect), damagedPlans(dialect)),
      labels,
      calls: fc.array(
        fc.record({
          list: fc.nat(20),
          segment: fc.nat(2),
          around: fc.option(fc.nat(1), { nil: undefined }),
          action: fc.option(fc.nat(40), { nil: undefined }),
          facts,
        }),
        { minLength: 1, maxLength: 8 },
      ),
    }),
  )
  .map(({ plan, labels: { session: id, ...named }, calls }) => {
    const session = sessionOf(plan);
    const all = session.lists.flat();
    const envelopes = SURROUNDINGS.map(
      (head): Envelope => ({
        head,
        separator: ',',
        gaps: [',', ',\n'],
        tail: '],"tools":[{"name":"a"}]}',
        tools: '[{"name":"a"}]',
      }),
    );
    const requests = calls.map(({ list, segment, around, action, facts: known }): Request => {
      const messages = session.lists[list % Math.max(1, session.lists.length)] ?? [];
      const envelope = around === undefined ? undefined : envelopes[around];
      const done = action === undefined ? undefined : all[action % Math.max(1, all.length)];
      return {
        segment,
        messages,
        ...known,
        ...(envelope === undefined ? {} : { envelope }),
        ...(done === undefined ? {} : { action: done }),
      };
    });
    return toTranscript({
      ...named,
      source: { file: 'there.json', format: 'made', session: id },
      dialect: session.dialect,
      requests,
    });
  });

describe('the normalized format', () => {
  test('gives back the same transcripts, of every dialect, several in one file too', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(transcripts, { minLength: 1, maxLength: 3 }), async (written) => {
        const file = written.map(text).join('');
        const { transcripts: read, problems, losses } = await readFiles({ 'a.jsonl': file });
        expect(problems).toEqual([]);
        for (const { dialect } of written) seen.add(dialect);
        // Names that two transcripts share are told apart after reading.
        const named = read.map((transcript, index) => ({
          ...transcript,
          task: written[index]?.task ?? '',
        }));
        expect(named.map(content)).toEqual(written.map(content));
        expect(losses.map(addsUp)).toEqual([true]);
        expect(losses[0]?.read).toBe(file.split('\n').length - 1);
        expect(Buffer.from(file, 'utf8').toString('utf8')).toBe(file);
      }),
      { numRuns: 60, seed: 11 },
    );
    expect([...seen].sort()).toEqual([...dialectNames].sort());
  });

  test('writes each distinct message once', () => {
    fc.assert(
      fc.property(transcripts, (transcript) => {
        const lines = [...normalizedLines(transcript)];
        const distinct = new Set<Message>(
          transcript.requests.flatMap(({ messages, action }) => [...messages, action ?? []].flat()),
        );
        expect(lines.filter((line) => line.startsWith('{"type":"message"'))).toHaveLength(
          distinct.size,
        );
      }),
      { numRuns: 60, seed: 12 },
    );
  });

  test('a request that keeps the list before it shares that list', async () => {
    const [message] = dialectOf('anthropic').parseList(
      '[{"role":"user","content":"a"}]',
      new (await import('../../../src/transcript/intern.ts')).MessageTable(),
    );
    const messages = message === undefined ? [] : [message];
    const source = { file: 'x', format: 'y', session: 'z' };
    const draft = { task: 't', trial: '0', lineage: 'main', source, dialect: 'anthropic' as const };
    const requests = [
      { segment: 0, messages },
      { segment: 0, messages },
    ];
    const whole = toTranscript({ ...draft, requests, retries: 0 });
    const { transcripts: read } = await readFiles({ 'a.jsonl': text(whole) });
    expect(read[0]?.requests[1]?.messages).toBe(read[0]?.requests[0]?.messages);
    expect(read[0]?.hash).toBe(whole.hash);
  });
});

describe('a normalized file that is not whole', () => {
  const one = fc.sample(transcripts, { numRuns: 1, seed: 4 })[0];
  const whole = one === undefined ? '' : text(one);
  const lines = whole.split('\n').slice(0, -1);

  test('is told with its line, wherever it is torn, and the other transcripts go on', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: whole.length - 2 }), async (cut) => {
        const torn = whole.slice(0, cut);
        const {
          transcripts: read,
          problems,
          losses,
        } = await readFiles({
          'a.jsonl': `${whole}${torn}\n${whole}`,
        });
        expect(read.map(({ hash }) => hash)).toEqual([one?.hash, one?.hash]);
        const places = problems.map(({ at, severity }) => [at.file, severity]);
        expect(places).toEqual([['a.jsonl', 'error']]);
        const line = lines.length + torn.split('\n').length;
        // Cut between two lines, it is missed at the line before.
        expect([line, line - 1]).toContain(problems[0]?.at.line);
        expect(losses.map(addsUp)).toEqual([true]);
        expect(losses[0]?.read).toBe(2 * lines.length);
      }),
      { numRuns: 40, seed: 5 },
    );
  });

  test.each([
    ['another version', { version: 2 }, /expected version 1 .*found 2; .*update the harness/],
    ['no version', { version: undefined }, /found no version/],
    ['an unknown dialect', { dialect: 'cohere' }, /"dialect": found "cohere"/],
  ])('%s is an error that says so', async (_, change, message) => {
    const head = JSON.stringify({ ...JSON.parse(lines[0] ?? ''), ...change });
    const { transcripts: read, problems } = await readFiles({
      'a.jsonl': `${[head, ...lines.slice(1)].join('\n')}\n${whole}`,
    });
    expect(read).toHaveLength(1);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ severity: 'error', at: { line: 1 } });
    expect(problems[0]?.message).toMatch(message);
  });

  test.each([
    ['a line of another type', { type: 'note' }, /expected a line of a transcript/],
    [
      'a number without a line',
      { type: 'request', segment: 0, keep: 0, add: [999] },
      /"add": found 999/,
    ],
    [
      'more kept than there was',
      { type: 'request', segment: 0, keep: 99, add: [] },
      /"keep": found 99/,
    ],
    ['an end too early', { type: 'end', requests: 0 }, /expected 0 requests/],
    ['a message that is none', { type: 'message', raw: '{' }, /JSON/],
  ])('%s is an error that says so', async (_, line, message) => {
    const place = lines.length - 1;
    const file = [...lines.slice(0, place), JSON.stringify(line), ...lines.slice(place)];
    const { transcripts: read, problems } = await readFiles({ 'a.jsonl': `${file.join('\n')}\n` });
    expect(read).toEqual([]);
    expect(problems.map(({ at }) => at.line)).toEqual([place + 1]);
    expect(problems[0]?.message).toMatch(message);
  });
});

describe.skipIf(!hasShared)(`every public recording that is read${needsShared}`, () => {
  test('gives the same transcripts through the normalized format', async () => {
    const folder = temporaryFolder();
    const hashes = new Map<string, string>();
    for await (const { transcripts: read } of readRecordings(['.'], { cwd: shared })) {
      for (const transcript of read) {
        hashes.set(
          JSON.stringify([transcript.task, transcript.trial, transcript.lineage]),
          transcript.hash,
        );
        writeFileSync(join(folder, `${hashes.size}.jsonl`), text(transcript));
      }
    }
    expect(hashes.size).toBeGreaterThan(300);
    const { transcripts: again, problems } = await readAll(['.'], { cwd: folder });
    expect(problems).toEqual([]);
    const found = new Map(
      again.map(({ task, trial, lineage, hash }) => [JSON.stringify([task, trial, lineage]), hash]),
    );
    expect(found).toEqual(hashes);
  }, 120_000);
});
