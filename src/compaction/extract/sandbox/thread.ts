/** The parent's side of one sandbox thread: requests, their time limit, and its end. */

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { HarnessError, messageOf } from '../../../errors.ts';
import type {
  ThreadAnswer,
  ThreadFarewell,
  ThreadMessage,
  ThreadReply,
  ThreadRequest,
} from './messages.ts';
import type { Language, Refused, SandboxLimits } from './program.ts';

/** The machine stops itself at its limit; native code that does not look is ended this much later. */
const GRACE_MILLISECONDS = 300;
/** A thread that does not even begin; generous, since a loaded machine starts threads slowly. */
const START_MILLISECONDS = 60_000;
/** The heap of the thread itself, outside the machine. */
const HEAP_MEGABYTES = 128;
const YOUNG_MEGABYTES = 16;
/** The machine's own check of its stack must come before the thread's end of it. */
const STACK_MEGABYTES = 16;

export type Ask = (question: string, piece: string) => Promise<string>;

interface Pending {
  readonly resolve: (reply: ThreadReply) => void;
  readonly reject: (error: unknown) => void;
}

export class SandboxThread {
  private readonly worker: Worker;
  private readonly answers: MessagePort;
  private readonly flag: Int32Array;
  private readonly limits: SandboxLimits;
  private ask: Ask | undefined;
  private pending: Pending | undefined;
  private timer: NodeJS.Timeout | undefined;
  private dead = false;

  constructor(limits: SandboxLimits) {
    const { port1, port2 } = new MessageChannel();
    const signal = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.limits = limits;
    this.answers = port1;
    this.flag = new Int32Array(signal);
    this.worker = new Worker(new URL('./thread.mjs', import.meta.url), {
      workerData: { limits, answers: port2, signal },
      transferList: [port2],
      env: {},
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: HEAP_MEGABYTES,
        maxYoungGenerationSizeMb: YOUNG_MEGABYTES,
        stackSizeMb: STACK_MEGABYTES,
      },
    });
    this.worker.on('message', (message: ThreadMessage) => this.receive(message));
    this.worker.on('error', (error) => this.fail(error));
    this.worker.on('exit', () =>
      this.fail(new HarnessError('harness.internal', 'a sandbox thread ended by itself')),
    );
    this.worker.unref();
    this.answers.unref();
  }

  get isDead(): boolean {
    return this.dead;
  }

  /**
   * Sends one request. A program past its time, and a thread out of memory, end the thread and are refusals.
   * @throws the signal's reason, after ending the thread; HarnessError where the thread itself failed.
   */
  async request(request: ThreadRequest, signal?: AbortSignal): Promise<ThreadReply> {
    signal?.throwIfAborted();
    if (this.dead || this.pending !== undefined) {
      throw new HarnessError('harness.internal', 'a sandbox thread was used while busy or ended');
    }
    const abort = (): void => this.settle({ error: signal?.reason });
    this.worker.ref();
    this.arm(START_MILLISECONDS);
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const reply = await new Promise<ThreadReply>((resolve, reject) => {
        this.pending = { resolve, reject };
        this.worker.postMessage(request);
      });
      if (reply.kind === 'failed') {
        throw new HarnessError('harness.internal', `the sandbox failed: ${reply.message}`);
      }
      return reply;
    } finally {
      signal?.removeEventListener('abort', abort);
      if (!this.dead) this.worker.unref();
    }
  }

  /** Begins a session, in a machine of its own, whose questions `ask` answers. */
  async begin(
    language: Language,
    input: string,
    ask: Ask | undefined,
    signal?: AbortSignal,
  ): Promise<void> {
    this.ask = ask;
    await this.request({ kind: 'begin', language, input, asks: true }, signal);
  }

  /** Ends the session and its machine; false where a run is under way, which only `end` ends. */
  leave(): boolean {
    if (this.dead || this.pending !== undefined) return false;
    this.ask = undefined;
    this.worker.postMessage({ kind: 'leave' } satisfies ThreadFarewell);
    return true;
  }

  /** Ends the thread, whatever it does; a request in flight fails. */
  async end(): Promise<void> {
    this.dead = true;
    clearTimeout(this.timer);
    const { pending } = this;
    this.pending = undefined;
    pending?.reject(new HarnessError('harness.internal', 'the sandbox was closed'));
    this.answers.close();
    await this.worker.terminate();
  }

  private receive(message: ThreadMessage): void {
    if (message.kind === 'started') this.arm(this.limits.milliseconds + GRACE_MILLISECONDS);
    else if (message.kind === 'ask') void this.answer(message.question, message.piece);
    else this.settle({ reply: message });
  }

  private async answer(question: string, piece: string): Promise<void> {
    clearTimeout(this.timer);
    let answer: ThreadAnswer;
    try {
      if (this.ask === undefined) throw new Error('ask() is not available here');
      answer = { text: await this.ask(question, piece) };
    } catch (error) {
      answer = { error: messageOf(error) };
    }
    if (this.dead) return;
    this.arm(this.limits.milliseconds + GRACE_MILLISECONDS);
    this.answers.postMessage(answer);
    Atomics.store(this.flag, 0, 1);
    Atomics.notify(this.flag, 0);
  }

  private arm(milliseconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const message = `the program ran longer than ${this.limits.milliseconds} ms`;
      this.settle({ refusal: 'time_limit', message });
    }, milliseconds);
  }

  private fail(error: unknown): void {
    if (this.dead) return;
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const message = `the program needed more than ${this.limits.megabytes} MiB`;
      this.settle({ refusal: 'memory_limit', message });
    } else {
      this.settle({ error });
    }
  }

  /** Ends the request in flight; anything but a reply of the thread ends the thread too. */
  private settle(
    result:
      | { reply: ThreadReply }
      | { refusal: Refused['refusal']; message: string }
      | { error: unknown },
  ): void {
    const { pending } = this;
    this.pending = undefined;
    clearTimeout(this.timer);
    if ('reply' in result) {
      pending?.resolve(result.reply);
      return;
    }
    this.dead = true;
    void this.end().then(() => {
      if ('refusal' in result) pending?.resolve({ kind: 'refused', ...result, heavy: true });
      else pending?.reject(result.error);
    });
  }
}
