import { expect, test } from 'vitest';
import { normalizedLines } from '../../../src/recordings/formats/normalized-write.ts';
import { jsonl, readFiles } from '../support.ts';

const body = { model: 'gpt-x', messages: [{ role: 'user', content: 'go' }] };
const grown = {
  ...body,
  messages: [
    ...body.messages,
    { role: 'assistant', content: 'one' },
    { role: 'user', content: 'on' },
  ],
};
const log = jsonl(...[body, grown].map((one) => ({ provider: 'openai', session: 's', body: one })));

async function linesOfLog(): Promise<readonly string[]> {
  const { transcripts } = await readFiles({ 'log.jsonl': log });
  return transcripts.flatMap((transcript) => [...normalizedLines(transcript)]);
}

const isMessage = (line: string) => line.startsWith('{"type":"message"');

test('a message line more, which moves the numbers of the others, is an error and no other transcript', async () => {
  const lines = await linesOfLog();
  expect((await readFiles({ 'a.jsonl': lines.join('') })).transcripts).toHaveLength(1);
  const first = lines.findIndex(isMessage);
  const more = lines.toSpliced(first, 0, lines[first] ?? '');
  const { transcripts, problems } = await readFiles({ 'a.jsonl': more.join('') });
  expect(transcripts).toEqual([]);
  expect(problems[0]?.message).toContain('expected 3 messages, found 4');
});

test('a file of an earlier version, which counts its requests alone, is read', async () => {
  const lines = await linesOfLog();
  const earlier = lines.map((line) => line.replace(/,"messages":\d+,"envelopes":\d+/, ''));
  expect(earlier).not.toEqual(lines);
  const { transcripts, problems } = await readFiles({ 'a.jsonl': earlier.join('') });
  expect(problems).toEqual([]);
  expect(transcripts).toHaveLength(1);
});

test.each([
  ['head', /"head":"\{/, '"head":"{{'],
  ['separator', /"separator":","/, '"separator":"]"'],
  ['tail', /"tail":"\]/, '"tail":"'],
])('an envelope whose %s makes no JSON is an error at its line', async (_, found, by) => {
  const lines = await linesOfLog();
  const broken = lines.map((line) =>
    line.startsWith('{"type":"envelope"') ? line.replace(found, by) : line,
  );
  expect(broken).not.toEqual(lines);
  const { transcripts, problems } = await readFiles({ 'a.jsonl': broken.join('') });
  expect(transcripts).toEqual([]);
  const at = lines.findIndex((line) => line.startsWith('{"type":"envelope"')) + 1;
  expect(problems[0]).toMatchObject({ code: 'input.schema', at: { line: at } });
});

test('a message that is broken inside is told of at its own line of the file', async () => {
  const lines = await linesOfLog();
  const at = lines.findIndex(isMessage);
  const broken = lines.with(at, `${JSON.stringify({ type: 'message', raw: '{\n\n"role":' })}\n`);
  const { problems } = await readFiles({ 'a.jsonl': broken.join('') });
  expect(problems[0]).toMatchObject({ code: 'input.syntax', at: { line: at + 1 } });
});
