import { expect, test } from 'vitest';
import { contractBreach } from '../../src/compaction/guards.ts';
import { markerOf, Stash } from '../../src/compaction/stash.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import { gemini } from '../../src/wire/gemini.ts';

test('equal outputs that are rewritten to one object are each accounted for', () => {
  const table = new MessageTable();
  const call = { role: 'model', parts: [{ functionCall: { name: 'run', args: {} } }] };
  const output = {
    role: 'user',
    parts: [{ functionResponse: { name: 'run', response: { output: 'x '.repeat(50) } } }],
  };
  const before = gemini.parseList(
    JSON.stringify([{ role: 'user', parts: [{ text: 'go' }] }, call, output, call, output]),
    table,
  );
  const stash = new Stash();
  const key = stash.putText('x '.repeat(50));
  const after = before.map((message, index) =>
    index % 2 === 0 && index > 0 ? gemini.replaceResult(message, 0, markerOf(key), table) : message,
  );
  expect(after[2]).toBe(after[4]);
  const outcome = { kind: 'changed', messages: after, stashed: [key] } as const;
  const count = ({ raw }: { readonly raw: string }) => raw.length;
  const measured = {
    tokensBefore: 2,
    tokensAfter: 1,
    stash,
    countBefore: count,
    countAfter: count,
  };
  expect(contractBreach('offload', before, outcome, measured)).toBeUndefined();
});
