import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { learnJson, redactJson } from '../../../src/commands/import/redact-json.ts';
import {
  learnTranscript,
  redactTranscript,
} from '../../../src/commands/import/redact-transcript.ts';
import { type LoadedConfig, loadConfig } from '../../../src/commands/show/load-config.ts';
import { replayCell } from '../../../src/commands/show/replay-cell.ts';
import { normalizedLines } from '../../../src/recordings/formats/normalized-write.ts';
import { KeyedRedaction } from '../../../src/text/redact-keyed.ts';
import type { Transcript } from '../../../src/transcript/transcript.ts';
import { jsonText } from '../../support/json-text.ts';
import { piecesOf, plantedSecret } from '../../text/planted-secrets.ts';
import { root } from '../cli.ts';
import { plantedSessions, transcriptOf } from './sessions.ts';

const KEY = Buffer.from('a key of the tests, which is long enough');
const redaction = (home = false) => new KeyedRedaction(KEY, { home });

function redacted(transcript: Transcript, home = false): Transcript {
  const keyed = redaction(home);
  learnTranscript(transcript, keyed);
  return redactTranscript(transcript, keyed);
}

let config: LoadedConfig;
beforeAll(async () => {
  config = await loadConfig('cg-summarize', [], { cwd: root, variables: {} });
});

async function evidenceOf(transcript: Transcript) {
  const settings = { model: 'stub', expand: false } as const;
  const { replay } = await replayCell(transcript, config, settings, { cwd: root, variables: {} });
  return {
    evidence: replay.evidence,
    fired: replay.requests.filter(({ tokensBefore, tokensAfter }) => tokensAfter < tokensBefore)
      .length,
  };
}

describe('a redacted transcript', () => {
  test('shows no planted secret, and its evidence counts are those of the recording', async () => {
    const sums = { fired: 0, total: 0, lost: 0, kept: 0 };
    await fc.assert(
      fc.asyncProperty(plantedSessions, async ({ transcript, planted }) => {
        const safe = redacted(transcript);
        const written = [...normalizedLines(safe)].join('');
        for (const one of planted) {
          for (const piece of piecesOf(one)) {
            expect(written).not.toContain(piece);
            expect(written).not.toContain(piece.replaceAll('/', '\\/'));
          }
        }
        const [before, after] = [await evidenceOf(transcript), await evidenceOf(safe)];
        expect(after.evidence).toEqual(before.evidence);
        sums.fired += before.fired;
        sums.total += before.evidence.evidence.total;
        sums.kept += before.evidence.evidence.kept;
        sums.lost += before.evidence.evidence.lost + before.evidence.evidence.recoverable;
      }),
      { numRuns: 12, seed: 2, endOnFailure: true, includeErrorInReport: false },
    );
    // Otherwise equal counts would say nothing.
    for (const sum of Object.values(sums)) expect(sum).toBeGreaterThan(20);
  }, 60_000);

  test('a seeded fault: a secret that is replaced anew each time changes the counts', async () => {
    const [session] = fc.sample(plantedSessions, { numRuns: 1, seed: 2 });
    if (session === undefined) throw new Error('no session');
    let calls = 0;
    const careless = new KeyedRedaction(KEY, { home: false });
    const original = careless.replacementsIn.bind(careless);
    careless.replacementsIn = (text, whole) =>
      original(text, whole).map((one) => ({ ...one, text: `${one.text}${calls++}` }));
    const faulty = redactTranscript(session.transcript, careless);
    expect((await evidenceOf(faulty)).evidence).not.toEqual(
      (await evidenceOf(session.transcript)).evidence,
    );
  });

  test('is the same object in what has no secret', () => {
    const clean = transcriptOf('anthropic', [
      { kind: 'user', text: 'see commit 9fceb02d0ae598e95dc970b74767f19372d61af8' },
      { kind: 'assistant', text: 'done' },
    ]);
    const safe = redacted(clean, true);
    expect(safe.requests[0]?.messages[0]).toBe(clean.requests[0]?.messages[0]);
    expect(safe.hash).toBe(clean.hash);
  });

  test('hides users in messages, names and sources on request', () => {
    const said = transcriptOf('openai-chat', [
      { kind: 'user', text: 'ls -l /home/jdoe/src\n-rw-r--r-- jdoe jdoe 12 a.ts' },
      { kind: 'assistant', text: 'it is of jdoe' },
    ]);
    const named = {
      ...said,
      task: '-home-jdoe-src',
      source: { ...said.source, file: '/home/jdoe/x' },
    };
    expect(JSON.stringify([...normalizedLines(redacted(named, true))])).not.toContain('jdoe');
    expect(JSON.stringify([...normalizedLines(redacted(named, false))])).toContain('jdoe');
  });
});

describe('redaction of JSON', () => {
  test('changes nothing without secrets, whatever the spelling', () => {
    fc.assert(
      fc.property(jsonText, (json) => {
        const keyed = redaction(true);
        learnJson(json, keyed);
        expect(redactJson(json, keyed)).toBe(json);
      }),
      { numRuns: 300 },
    );
  });

  test('changes only what is in strings: the JSON around stays, byte for byte', () => {
    fc.assert(
      fc.property(plantedSecret, jsonText, fc.nat(2), (planted, json, depth) => {
        let text = planted.shown;
        for (let level = 0; level < depth; level++) text = JSON.stringify({ t: text });
        const quoted = JSON.stringify(text);
        const keyed = redaction();
        const whole = `{"a": ${json},"n":12345678901234567890,"text":${quoted} , "a": 1.0}`;
        learnJson(whole, keyed);
        const output = redactJson(whole, keyed);
        const start = whole.indexOf(`"text":${quoted}`) + '"text":'.length;
        expect(output.slice(0, start)).toBe(whole.slice(0, start));
        expect(output.endsWith(' , "a": 1.0}')).toBe(true);
        let inner: unknown = JSON.parse(output).text;
        for (let level = 0; level < depth; level++) inner = JSON.parse(String(inner)).t;
        for (const piece of piecesOf(planted)) expect(String(inner)).not.toContain(piece);
      }),
      { numRuns: 200, seed: 9 },
    );
  });

  test.each([
    '{"password":"correct-horse!"}',
    '{"db":{"dbPassword":"hunter2x"}}',
    '{"x-api-key" : "q9w8e7r6t5y4"}',
    '{"clientSecret":"\\u0071\\u0039w8e7r6t5y4"}',
    '{"headers":{"Authorization":"Bearer q9w8e7r6t5y4u3"}}',
  ])('finds what the name of a member shows: %s', (json) => {
    const keyed = redaction();
    learnJson(json, keyed);
    const output = redactJson(json, keyed);
    expect(output).toMatch(/REDACTED_|hidden/i);
    expect(output).not.toMatch(/correct|hunter2x|q9w8e7|w8e7r6/);
    expect(() => JSON.parse(output)).not.toThrow();
  });

  test('leaves roles, types, signatures and media alone', () => {
    const base64 = 'iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4jdoe12345678';
    const json = `{"role":"user","type":"jdoe","signature":"${base64}","source":{"data":"${base64}"},"image_url":{"url":"data:image/png;base64,jdoe${base64}"}}`;
    const keyed = redaction(true);
    keyed.learn('/home/jdoe/x password=jdoe12345678');
    expect(redactJson(json, keyed)).toBe(json);
  });

  test('finds a secret that two texts in a row share', () => {
    const json =
      '[{"type":"text","text":"key sk-proj-a1B2c3D4e5"},{"type":"text","text":"F6g7H8i9J0k1L2 it is"}]';
    const keyed = redaction();
    learnJson(json, keyed);
    const output = redactJson(json, keyed);
    expect(output).not.toMatch(/a1B2c3D4e5|F6g7H8i9J0k1L2/);
    expect(output).toContain(' it is"}]');
  });
});
