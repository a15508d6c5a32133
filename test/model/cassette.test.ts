import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HarnessError } from '../../src/errors.ts';
import { type Cassette, openCassette } from '../../src/model/cassette.ts';
import { type CassetteCall, keyOf } from '../../src/model/cassette-call.ts';
import { entryLine, readLine } from '../../src/model/cassette-entry.ts';
import { recordingModel, replayingModel } from '../../src/model/cassette-model.ts';
import type { Model, ModelRequest } from '../../src/model/model.ts';
import { type Script, scriptedModel } from '../../src/model/scripted.ts';
import { scriptedTurns } from '../../src/model/scripted-turns.ts';
import { temporaryFolder } from '../support/folder.ts';
import { cassetteCalls, modelReplies, recordedCall, turnReplies } from './cassette-support.ts';

const { signal } = new AbortController();
const newFile = () => join(temporaryFolder(), 'answers.jsonl');
const reply = (text: string) => ({ text, inputTokens: 3, outputTokens: 1 });
const said = (text: string) => ({ kind: 'reply' as const, reply: reply(text) });

const request: ModelRequest = {
  purpose: 'summarize',
  system: 'Write at most 200 tokens.',
  prompt: '<task>\nBook a flight\n</task>\n<transcript>\n[1] user: to Oslo\n</transcript>',
  maxOutputTokens: 200,
  sample: 0,
};

function record(cassette: Cassette, call: CassetteCall, text: string) {
  return cassette.record(call, signal, async () => said(text));
}

describe('the key of a call', () => {
  test('changes with everything that can change the answer', () => {
    fc.assert(
      fc.property(cassetteCalls, cassetteCalls, (call, other) => {
        const key = keyOf(call);
        expect(key).toMatch(/^[0-9a-f]{64}$/);
        const { request } = call;
        const changed: CassetteCall[] = [
          { ...call, model: `${call.model}-next` },
          { ...call, parameters: { ...call.parameters, more: 1 } },
        ];
        if (call.kind === 'prompt') {
          for (const part of ['system', 'prompt'] as const) {
            changed.push({
              ...call,
              request: { ...call.request, [part]: `${call.request[part]} ` },
            });
          }
        } else {
          const wire = call.wire === 'anthropic' ? 'openai-chat' : 'anthropic';
          changed.push({ ...call, wire });
          for (const part of ['messages', 'system', 'tools'] as const) {
            const text = `${call.request[part] ?? ''} `;
            changed.push({ ...call, request: { ...call.request, [part]: text } });
          }
        }
        for (const part of ['sample', 'maxOutputTokens'] as const) {
          const next = { [part]: request[part] + 1 };
          if (call.kind === 'prompt')
            changed.push({ ...call, request: { ...call.request, ...next } });
          else changed.push({ ...call, request: { ...call.request, ...next } });
        }
        const keys = changed.map(keyOf);
        expect(keys).not.toContain(key);
        expect(new Set(keys).size).toBe(keys.length);
        if (JSON.stringify(call) !== JSON.stringify(other)) {
          // Parameters that are absent, and none, are the same.
          const plain = (one: CassetteCall) => JSON.stringify({ ...one, parameters: 0 });
          if (plain(call) !== plain(other)) expect(keyOf(other)).not.toBe(key);
        }
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  test('never changes with how the model is reached, nor with the order of parameters', () => {
    const at = (model: string) => keyOf({ kind: 'prompt', model, request });
    expect(at('litellm_proxy/claude-haiku-4-5')).toBe(at('claude-haiku-4-5'));
    expect(at('us.anthropic.claude-haiku-4-5-v1:0')).toBe(at('claude-haiku-4-5'));
    expect(at('openai/gpt-4.1')).toBe(at('gpt-4.1'));
    // Two people's models may end in the same name.
    expect(at('one/llama-3')).not.toBe(at('other/llama-3'));
    const call = { kind: 'prompt' as const, model: 'm', request };
    expect(keyOf({ ...call, parameters: { a: 1, b: 2 } })).toBe(
      keyOf({ ...call, parameters: { b: 2, a: 1 } }),
    );
  });
});

test('a line gives back the call and the outcome, and holds no line end', () => {
  fc.assert(
    fc.property(
      cassetteCalls.chain((call) =>
        fc.tuple(fc.constant(call), call.kind === 'turn' ? turnReplies : modelReplies),
      ),
      ([call, reply]) => {
        const line = entryLine(call, { kind: 'reply', reply });
        expect(line).not.toMatch(/[\r\n]/);
        // As a file would give it back.
        const read = readLine(Buffer.from(line).toString('utf8'));
        if (read.kind !== 'entry') throw new Error(JSON.stringify(read));
        expect(read.entry.stated).toBe(keyOf(call));
        expect(keyOf(read.entry.call)).toBe(keyOf(call));
        expect(read.entry.outcome).toEqual({ kind: 'reply', reply });
      },
    ),
    { seed: 6, numRuns: 500 },
  );
});

describe('record, then replay', () => {
  const turn = { purpose: 'agreement' as const, messages: '[]', maxOutputTokens: 5, sample: 0 };
  const turns = scriptedTurns([], { otherwise: { kind: 'text', text: 'Over.' } });
  const who = { name: 'scripted', contextWindow: 100, wire: 'anthropic' as const };

  test('gives the same replies without a call', async () => {
    const file = newFile();
    const live = scriptedModel(['first', 'second'], { turns });
    const recorder = openCassette(file, 'record');
    const recording = recordingModel(live, recorder);
    const other = { ...request, sample: 1 };
    const replies = [
      await recording.ask(request, signal),
      await recording.ask(other, signal),
      await recording.ask(request, signal),
      await recording.turns?.ask(turn, signal),
    ];
    expect(live.calls).toHaveLength(2);
    expect(replies.map((one) => one?.text)).toEqual(['first', 'second', 'first', 'Over.']);
    const cassette = openCassette(file, 'replay');
    expect(cassette.size).toBe(3);
    expect(cassette.identity).toBe(recorder.identity);
    expect(cassette.notices).toEqual([]);
    const replayed = replayingModel(cassette, who, 'error');
    expect([
      await replayed.ask(request, signal),
      await replayed.ask(other, signal),
      await replayed.ask(request, signal),
      await replayed.turns?.ask(turn, signal),
    ]).toEqual(replies);
  });

  test('a call that failed fails again with its code, until it is answered', async () => {
    const file = newFile();
    const failed = new HarnessError('model.timeout', 'not within 5 ms at host.example');
    const script: Script = [{ kind: 'fail', error: failed }, 'late', 'never asked for'];
    const recording = recordingModel(scriptedModel(script), openCassette(file, 'record'));
    await expect(recording.ask(request, signal)).rejects.toBe(failed);
    const replay = () => replayingModel(openCassette(file, 'replay'), who, 'error');
    await expect(replay().ask(request, signal)).rejects.toMatchObject({ code: 'model.timeout' });
    expect(readFileSync(file, 'utf8')).not.toContain('host.example');
    const later = recordingModel(scriptedModel(['late', 'never']), openCassette(file, 'record'));
    expect((await later.ask(request, signal)).text).toBe('late');
    expect((await replay().ask(request, signal)).text).toBe('late');
    expect((await later.ask(request, signal)).text).toBe('late');
  });

  test('a call that failed stays so for all who ask in the same run, as in a replay of it', async () => {
    const file = newFile();
    const failed = new HarnessError('model.reply', 'not JSON');
    const script: Script = [{ kind: 'fail', error: failed }, 'never asked for'];
    const recording = recordingModel(scriptedModel(script), openCassette(file, 'record'));
    for (let call = 0; call < 2; call++) {
      await expect(recording.ask(request, signal)).rejects.toMatchObject({ code: 'model.reply' });
    }
    const replayed = replayingModel(openCassette(file, 'replay'), who, 'error');
    await expect(replayed.ask(request, signal)).rejects.toMatchObject({ code: 'model.reply' });
  });

  test('an error of ours or an abort is no answer', async () => {
    const file = newFile();
    const script: Script = [
      { kind: 'fail', error: new HarnessError('budget.exhausted', 'spent') },
      { kind: 'hang' },
    ];
    const recording = recordingModel(scriptedModel(script), openCassette(file, 'record'));
    await expect(recording.ask(request, signal)).rejects.toMatchObject({
      code: 'budget.exhausted',
    });
    const stop = new AbortController();
    const hanging = recording.ask(request, stop.signal);
    setTimeout(() => stop.abort(new Error('Ctrl-C')), 5);
    await expect(hanging).rejects.toThrow('Ctrl-C');
    expect(openCassette(file, 'replay').size).toBe(0);
  });

  test('calls at once are one; the next one asks where the first was stopped', async () => {
    const recorder = openCassette(newFile(), 'record');
    const live = scriptedModel([{ kind: 'hang' }, 'answer']);
    const recording = recordingModel(live, recorder);
    const stop = new AbortController();
    const first = recording.ask(request, stop.signal);
    const others = [1, 2, 3].map(() => recording.ask(request, signal));
    const impatient = new AbortController();
    const leaving = recording.ask(request, impatient.signal);
    setTimeout(() => impatient.abort(new Error('left')), 1);
    setTimeout(() => stop.abort(new Error('stopped')), 5);
    await expect(leaving).rejects.toThrow('left');
    await expect(first).rejects.toThrow('stopped');
    for (const { text } of await Promise.all(others)) expect(text).toBe('answer');
    expect(live.calls).toHaveLength(2);
  });

  test('a miss is an error, a failed call, or asked of another model', async () => {
    const file = newFile();
    const recorder = openCassette(file, 'record');
    await record(recorder, { kind: 'prompt', model: 'scripted', request }, 'known');
    const cassette = openCassette(file, 'replay');
    const unknown = { ...request, sample: 9 };
    const ask = (onMiss: 'error' | 'skip' | Model) => replayingModel(cassette, who, onMiss);
    await expect(ask('error').ask(unknown, signal)).rejects.toMatchObject({
      code: 'cassette.miss',
    });
    await expect(ask('error').turns?.ask(turn, signal)).rejects.toMatchObject({
      code: 'cassette.miss',
    });
    await expect(ask('skip').ask(unknown, signal)).rejects.toMatchObject({
      code: 'model.transport',
    });
    const other = scriptedModel(['other'], { turns });
    expect((await ask(other).ask(request, signal)).text).toBe('known');
    expect((await ask(other).ask(unknown, signal)).text).toBe('other');
    expect((await ask(other).turns?.ask(turn, signal))?.text).toBe('Over.');
    expect(openCassette(file, 'replay').size).toBe(1);
    // One under `skip`, two of the other model.
    expect(cassette.missed).toBe(3);
  });
});

describe('the file', () => {
  const call = recordedCall('one', 1);
  const other = recordedCall('other', 1);

  test('is made once, and what is no cassette is left alone', () => {
    const file = newFile();
    expect(() => openCassette(file, 'replay')).toThrow(/no such cassette/);
    const first = openCassette(file, 'record');
    expect(openCassette(file, 'record').identity).toBe(first.identity);
    expect(openCassette(newFile(), 'record').identity).not.toBe(first.identity);
    const foreign = newFile();
    writeFileSync(foreign, 'task,config\na,b\n');
    for (const mode of ['record', 'replay'] as const) {
      expect(() => openCassette(foreign, mode)).toThrow(/no line of this file is of a cassette/);
    }
    expect(readFileSync(foreign, 'utf8')).toBe('task,config\na,b\n');
    const nameless = newFile();
    writeFileSync(nameless, '{"cassette":1,"id":""}\n');
    expect(() => openCassette(nameless, 'replay')).toThrow(/no line of this file is of a cassette/);
    expect(() => openCassette(join(foreign, 'x'), 'record')).toThrow(/cannot write the cassette/);
    const folder = temporaryFolder();
    expect(() => openCassette(folder, 'record')).toThrow(/cannot write the cassette/);
    expect(() => openCassette(folder, 'replay')).toThrow(/cannot read the cassette/);
  });

  test('says what it was recorded against, and keeps its name while it grows', async () => {
    const file = newFile();
    const cassette = openCassette(file, 'record', {
      id: 'fixtures',
      about: 'recorded against the stub',
    });
    await record(cassette, call, 'a');
    expect(cassette.identity).toBe('fixtures');
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe(
      '{"cassette":1,"id":"fixtures","about":"recorded against the stub"}',
    );
    expect(openCassette(file, 'record', { id: 'another' }).identity).toBe('fixtures');
  });

  test('a torn line takes nothing with it, wherever it was torn', async () => {
    const line = entryLine(other, said('torn'));
    for (const length of [1, 12, 80, line.length - 1]) {
      const file = newFile();
      const cassette = openCassette(file, 'record');
      await record(cassette, call, 'a');
      // Another process is killed in the middle of its line.
      appendFileSync(file, Buffer.from(line).subarray(0, length));
      await record(cassette, recordedCall('next', 1), 'b');
      const lines = readFileSync(file, 'utf8').split('\n').slice(2);
      expect(lines).toEqual([
        line.slice(0, length),
        entryLine(recordedCall('next', 1), said('b')),
        '',
      ]);
      const read = openCassette(file, 'replay');
      expect(read.outcomeOf(call)).toEqual(said('a'));
      expect(read.outcomeOf(recordedCall('next', 1))).toEqual(said('b'));
      expect(read.size).toBe(2);
      expect(read.notices).toEqual([expect.stringMatching(/answers\.jsonl:3: left out: not JSON/)]);
    }
  });

  test('a whole last line without its line end counts, also before and after others', async () => {
    const file = newFile();
    openCassette(file, 'record');
    appendFileSync(file, entryLine(other, said('unended')));
    const cassette = openCassette(file, 'record');
    expect(cassette.outcomeOf(other)).toEqual(said('unended'));
    expect(await record(cassette, other, 'never')).toEqual(said('unended'));
    await record(cassette, call, 'a');
    const read = openCassette(file, 'replay');
    expect(read.size).toBe(2);
    expect(read.notices).toEqual([]);
  });

  test('two files joined are one, in any order, ended or not', async () => {
    const [left, right] = [newFile(), newFile()];
    const [one, two] = [openCassette(left, 'record'), openCassette(right, 'record')];
    const shared = recordedCall('shared', 0);
    for (const cassette of [one, two]) await record(cassette, shared, 'same');
    await record(one, call, 'a');
    await record(two, other, 'b');
    const [first, second] = [left, right].map((file) => readFileSync(file, 'utf8'));
    const joined = newFile();
    const identities = new Set<string>();
    for (const text of [`${first}${second}`, `${second}${first}`, `${first?.trimEnd()}${second}`]) {
      writeFileSync(joined, text);
      const read = openCassette(joined, 'replay');
      expect(read.notices).toEqual([]);
      expect(read.size).toBe(3);
      const texts = [shared, call, other].map((one) => read.outcomeOf(one));
      expect(texts).toEqual([said('same'), said('a'), said('b')]);
      identities.add(read.identity);
    }
    expect(identities.size).toBe(1);
    expect([one.identity, two.identity]).not.toContain([...identities][0]);
  });

  test('of two answers the first counts, and the second is told; so is an edited line', async () => {
    const file = newFile();
    const cassette = openCassette(file, 'record');
    await record(cassette, call, 'first');
    appendFileSync(file, `${entryLine(call, said('second'))}\n`);
    const edited = entryLine(other, said('b')).replace('of other', 'of nobody');
    appendFileSync(file, `${edited}\n`);
    const read = openCassette(file, 'replay');
    expect(read.outcomeOf(call)).toEqual(said('first'));
    // What the line says now is what it answers.
    expect(read.outcomeOf(other)).toBeUndefined();
    expect(read.size).toBe(2);
    expect(read.notices).toEqual([
      `${file}:3: another answer to the call of line 2, which counts`,
      `${file}:4: edited since it was recorded`,
    ]);
  });

  test('who records sees what others have recorded, before and after asking', async () => {
    const file = newFile();
    const [one, two] = [openCassette(file, 'record'), openCassette(file, 'record')];
    await record(one, call, 'a');
    expect(await record(two, call, 'never asked for')).toEqual(said('a'));
    const outcome = await one.record(other, signal, async () => {
      await record(two, other, 'was first');
      return said('was second');
    });
    expect(outcome).toEqual(said('was first'));
    expect(openCassette(file, 'replay').outcomeOf(other)).toEqual(said('was first'));
  });

  test('a line longer than a buffer is read whole', async () => {
    const file = newFile();
    const text = 'ü€😀'.repeat(400_000);
    await record(openCassette(file, 'record'), call, text);
    await record(openCassette(file, 'record'), other, 'b');
    const read = openCassette(file, 'replay');
    expect(read.outcomeOf(call)).toEqual(said(text));
    expect(read.outcomeOf(other)).toEqual(said('b'));
  });

  test('an answer with a key in it is used and not written', async () => {
    const file = newFile();
    const secret = 'sk-"quoted"-123';
    const cassette = openCassette(file, 'record', { secrets: () => [secret, ''] });
    expect(await record(cassette, call, `your key is ${secret}`)).toEqual(
      said(`your key is ${secret}`),
    );
    await record(cassette, other, 'b');
    expect(cassette.notices).toEqual([expect.stringContaining('holds a key')]);
    const read = openCassette(file, 'replay');
    expect(read.size).toBe(1);
    expect(readFileSync(file, 'utf8')).not.toContain('quoted');
  });
});

describe('a strict miss', () => {
  async function missOf(call: CassetteCall, ...recorded: CassetteCall[]) {
    const file = newFile();
    const cassette = openCassette(file, 'record');
    for (const one of recorded) await record(cassette, one, 'x');
    return { error: openCassette(file, 'replay').miss(call), file };
  }
  const call: CassetteCall = { kind: 'prompt', model: 'claude-haiku-4-5', request };
  const about = (prompt: string, change: Partial<ModelRequest> = {}): CassetteCall => ({
    ...call,
    request: { ...request, ...change, prompt },
  });

  test('shows the nearest recorded prompt and where it differs', async () => {
    const { error, file } = await missOf(
      call,
      about('<task>\nSomething else entirely\n</task>'),
      about(request.prompt.replace('Oslo', 'Bergen')),
      about('[1] user: to Oslo', { purpose: 'extract' }),
    );
    expect(error.code).toBe('cassette.miss');
    expect(error.at).toEqual({ file, line: 3 });
    expect(error.message).toContain('(summarize, model claude-haiku-4-5, sample 0)');
    expect(error.message).toContain(
      '  prompt line 5:\n    - recorded: [1] user: to Bergen\n    + asked:    [1] user: to Oslo\n',
    );
    expect(error.message).toMatch(/9\d(?:\.\d)? % the same/);
    expect(error.message.split('\n').length).toBeLessThan(9);
  });

  test('shows a setting that differs, and what is left out of long lines and lists', async () => {
    const long = (word: string) => about(`${'a '.repeat(900)}${word}${' b'.repeat(900)}\nend`);
    const { error } = await missOf(long('left'), long('right'));
    expect(error.message).toMatch(/- recorded: …(?:a )+right(?: b)+ …\n/);
    expect(error.message.length).toBeLessThan(900);
    const sampled = await missOf({ ...call, request: { ...request, sample: 1 } }, call);
    expect(sampled.error.message).toContain('sample:\n    - recorded: 0\n    + asked:    1');
    const lines = (word: string) =>
      about(
        Array(40)
          .fill(word)
          .map((w, i) => `${w} ${i}`)
          .join('\n'),
      );
    const { error: many } = await missOf(lines('this'), lines('that'));
    expect(many.message).toContain('and in 37 more places');
  });

  test('shows which message of a whole request differs', async () => {
    const turn = (text: string): CassetteCall => ({
      kind: 'turn',
      model: 'm',
      wire: 'anthropic',
      request: {
        purpose: 'agreement',
        messages: JSON.stringify([
          { role: 'user', content: 'Book a flight' },
          { role: 'user', content: text },
        ]),
        maxOutputTokens: 5,
        sample: 0,
      },
    });
    const { error } = await missOf(turn('now'), call, turn('later'));
    expect(error.message).toContain(
      'message 1:\n    - recorded: {"role":"user","content":"later"}',
    );
  });

  test('says so where nothing is like it', async () => {
    expect((await missOf(call)).error.message).toContain('it holds no answer at all');
  });

  test('shows no secret of what was asked', async () => {
    const secret = 'sk-ant-api03-AbCdEf123456789';
    const { error } = await missOf(
      about(`the key ${secret} is used here`),
      about(`the key ${secret} is used there`),
    );
    expect(error.message).toContain('is used there');
    expect(error.message).not.toContain('AbCdEf');
  });
});
