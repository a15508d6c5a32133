import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { transcriptOf, transcriptText } from '../../src/sweep/transcript-text.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { root, shared } from '../commands/cli.ts';
import { readAll } from '../support/sweeps.ts';

const folders = [
  [root, 'fixtures/transcripts'],
  ...['claude-code-jsonl', 'codex-rollout', 'gemini-cli-chat', 'llm-request-log', 'tau-bench'].map(
    (name) => [shared, join('transcripts', name)],
  ),
].filter(([base = '', path = '']) => existsSync(join(base, path)));

/** Everything but what is computed of a message later. */
function plain({ requests, ...labels }: Transcript) {
  return {
    ...labels,
    requests: requests.map(({ messages, action, ...facts }) => ({
      ...facts,
      action: action?.raw,
      messages: messages.map(({ raw, role, blocks, identity }) => [
        raw,
        role,
        blocks,
        identity.hash,
      ]),
    })),
  };
}

describe('a transcript that is sent as text', () => {
  test.each(folders)('is the same on the other side: %s %s', async (base = '', path = '') => {
    const all = (await readAll([path], base)).slice(0, 20);
    expect(all.length).toBeGreaterThan(0);
    for (const transcript of all) {
      // Long lists of long requests are compared by what they add.
      const some = { ...transcript, requests: transcript.requests.slice(0, 40) };
      const back = transcriptOf(transcriptText(some));
      expect(plain(back)).toEqual(plain(some));
      const [first, second] = back.requests;
      // Messages that were one object still are.
      if (some.requests[1]?.messages[0] === some.requests[0]?.messages[0]) {
        expect(second?.messages[0]).toBe(first?.messages[0]);
      }
    }
  });

  test.each([
    ['no JSON', '{'],
    ['something else', '{"task": 1}'],
  ])('is refused where it is %s', (_, text) => {
    expect(() => transcriptOf(text)).toThrow(/not a transcript as a sweep sends it/);
  });

  test('is refused where it names a message that is not there', async () => {
    const [transcript] = await readAll(['fixtures/transcripts'], root);
    if (transcript === undefined) throw new Error('no fixture');
    const broken = { ...JSON.parse(transcriptText(transcript)), messages: [] };
    expect(() => transcriptOf(JSON.stringify(broken))).toThrow(/it has 0 parts/);
  });
});
