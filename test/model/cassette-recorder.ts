/**
 * A process of its own that records into a cassette: `FILE NAME COUNT BYTES`. Every other call is one that all
 * processes make. Prints the number of each call once its answer is recorded.
 */
import { writeSync } from 'node:fs';
import { openCassette } from '../../src/model/cassette.ts';
import { recordingModel } from '../../src/model/cassette-model.ts';
import { recordedCall, recordedText } from './cassette-support.ts';

const [file = '', name = '', count = '0', bytes = '0'] = process.argv.slice(2);
const cassette = openCassette(file, 'record');
let calls = 0;
const model = recordingModel(
  {
    name: 'model',
    contextWindow: undefined,
    ask: async ({ prompt }) => ({
      text: recordedText(prompt, calls++ % 5 === 0 ? Number(bytes) : 100),
      inputTokens: 1,
      outputTokens: 2,
    }),
  },
  cassette,
);
for (let index = 0; index < Number(count); index++) {
  const { request } = recordedCall(index % 2 === 0 ? name : 'shared', index);
  const { text } = await model.ask(request, new AbortController().signal);
  if (!text.startsWith(request.prompt)) throw new Error('the answer to another call');
  // Not by the stream, which a killed process may not have written.
  writeSync(1, `${index}\n`);
}
