import { describe, expect, test } from 'vitest';
import { shapeCheck } from '../../src/replay/shape-check.ts';
import { allDialects, inDialect } from '../../src/sweep/translated.ts';
import { root } from '../commands/cli.ts';
import { readAll } from '../support/sweeps.ts';

describe('the fixtures in every dialect', () => {
  test('a transcript in its own dialect is itself; in another it has the same turns and no violation', async () => {
    const transcripts = await readAll(['fixtures/transcripts'], root);
    expect(transcripts).toHaveLength(10);
    for (const transcript of transcripts) {
      for (const dialect of allDialects) {
        const written = inDialect(transcript, dialect);
        if (dialect === transcript.dialect) expect(written).toBe(transcript);
        expect(written.requests).toHaveLength(transcript.requests.length);
        expect(written.requests.every(({ messages }) => messages.length > 0)).toBe(true);
        for (const request of written.requests) {
          expect(shapeCheck(written, request, undefined).recorded).toEqual([]);
        }
      }
    }
  });
});
