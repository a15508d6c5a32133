/**
 * The thread that machines live in. Plain JavaScript, because Node 20 cannot start a thread from TypeScript.
 * One request at a time; `started` tells the parent that the program's time begins.
 */

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { MachineFactory } from './machine-factory.mjs';

/** @typedef {import('./messages.ts').ThreadRequest} ThreadRequest */
/** @typedef {import('./messages.ts').ThreadFarewell} ThreadFarewell */
/** @typedef {import('./messages.ts').ThreadReply} ThreadReply */

/** A machine that has grown past this leaves its memory behind: the parent then takes a new thread. */
const HEAVY_BYTES = 48 * 2 ** 20;

if (parentPort === null) throw new Error('thread.mjs runs only as a thread');
const port = parentPort;
const { limits, answers, signal } = workerData;
const flag = new Int32Array(signal);
const factory = new MachineFactory(limits);

/** @type {Awaited<ReturnType<MachineFactory['create']>> | undefined} */
let session;

/** Asks the parent, and sleeps until it has answered. @param {string} question @param {string} piece */
function ask(question, piece) {
  const from = performance.now();
  Atomics.store(flag, 0, 0);
  port.postMessage({ kind: 'ask', question, piece });
  Atomics.wait(flag, 0, 0);
  const received = receiveMessageOnPort(answers);
  const waited = performance.now() - from;
  return { ...(received?.message ?? { error: 'no answer' }), waited };
}

/** @param {ThreadReply} reply */
function reply(reply) {
  port.postMessage(reply);
}

/** @param {Extract<ThreadRequest, {kind: 'evaluate'}>} request */
async function evaluate({ language, code, input }) {
  const machine = await factory.create(language, input, undefined);
  port.postMessage({ kind: 'started' });
  const fault = machine.run(code);
  const { steps } = machine;
  if (fault !== undefined) {
    reply({ kind: 'refused', ...fault, heavy: machine.size > HEAVY_BYTES });
  } else {
    const output = machine.read('OUTPUT');
    const summary = machine.read('SUMMARY');
    const heavy = machine.size > HEAVY_BYTES;
    if ('refusal' in output) reply({ kind: 'refused', ...output, heavy });
    else if (output.text === undefined) {
      reply({
        kind: 'refused',
        refusal: 'runtime',
        message: 'the program did not set OUTPUT',
        heavy,
      });
    } else {
      reply({
        kind: 'done',
        output: output.text,
        summary: 'text' in summary ? summary.text : undefined,
        steps,
        heavy,
      });
    }
  }
  factory.release(machine);
}

/** @param {string} code */
function runInSession(code) {
  if (session === undefined) throw new Error('no session was begun');
  port.postMessage({ kind: 'started' });
  const fault = session.run(code);
  const printed = session.printed();
  if (fault !== undefined) {
    reply({ kind: 'refused', ...fault, heavy: session.size > HEAVY_BYTES });
    return;
  }
  const output = session.read('OUTPUT');
  const summary = session.read('SUMMARY');
  if ('refusal' in output) {
    reply({ kind: 'refused', ...output, heavy: session.size > HEAVY_BYTES });
    return;
  }
  reply({
    kind: 'ran',
    printed,
    output: output.text,
    summary: 'text' in summary ? summary.text : undefined,
    heavy: session.size > HEAVY_BYTES,
  });
}

function leaveSession() {
  if (session !== undefined) factory.release(session);
  session = undefined;
}

port.on('message', async (/** @type {ThreadRequest | ThreadFarewell} */ request) => {
  try {
    if (request.kind === 'evaluate') await evaluate(request);
    else if (request.kind === 'run') runInSession(request.code);
    else if (request.kind === 'leave') leaveSession();
    else if (request.kind === 'prepare') {
      await factory.prepare(request.language);
      reply({ kind: 'ready' });
    } else {
      session = await factory.create(
        request.language,
        request.input,
        request.asks ? ask : undefined,
      );
      reply({ kind: 'ready' });
    }
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
});
