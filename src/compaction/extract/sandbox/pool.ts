/**
 * Runs programs that a model wrote, without trust: QuickJS in WebAssembly in threads that are ended from
 * outside. `starlark` programs (Python syntax) are compiled to JavaScript and run in the same machine, under
 * the same limits.
 *
 * A program reads `INPUT` and sets `OUTPUT` (a string) and, if it likes, `SUMMARY`. It has no imports, input
 * or output, clock, randomness or objects of the host. `re_match`, `re_findall`, `re_split` and `re_sub` take
 * linear time (RE2 syntax), and so does Python's `re`. JavaScript's own expressions keep their meaning
 * (look-around, back-references) and therefore backtrack: their steps count, so a catastrophic one ends in
 * `step_limit`.
 */

import { HarnessError } from '../../../errors.ts';
import { checkInput, prepareCode } from './prepare.ts';
import {
  DEFAULT_LIMITS,
  type Evaluation,
  type Language,
  type Program,
  type SandboxLimits,
  summaryLine,
} from './program.ts';
import { SandboxSession } from './session.ts';
import { type Ask, SandboxThread } from './thread.ts';

export interface SandboxPoolOptions {
  /** Programs that run at the same time; each may take the memory of its limit. */
  readonly size?: number;
  readonly limits?: Partial<SandboxLimits>;
}

const DEFAULT_SIZE = 2;

interface Waiting {
  readonly resolve: (thread: SandboxThread) => void;
  readonly reject: (error: unknown) => void;
}

export class SandboxPool {
  readonly limits: SandboxLimits;
  private readonly size: number;
  private readonly idle: SandboxThread[] = [];
  private readonly waiting: Waiting[] = [];
  private readonly sessions = new Set<SandboxSession>();
  private readonly threads = new Set<SandboxThread>();
  private busy = 0;
  private closed = false;

  constructor({ size = DEFAULT_SIZE, limits = {} }: SandboxPoolOptions = {}) {
    if (!Number.isSafeInteger(size) || size < 1) {
      throw new HarnessError('harness.internal', `a sandbox pool needs a size from 1, not ${size}`);
    }
    this.size = size;
    this.limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /**
   * Runs a program in a fresh machine. Whatever the program does, this resolves: within the time limit and
   * a third of a second, once a thread is free. The same program on the same input gives the same result, unless
   * the clock (`time_limit`) ends it.
   * @throws the signal's reason; HarnessError where the sandbox itself fails
   */
  async evaluate(program: Program, signal?: AbortSignal): Promise<Evaluation> {
    signal?.throwIfAborted();
    const { language, code, input } = program;
    const tooLarge = checkInput(input, this.limits);
    if (tooLarge !== undefined) return tooLarge;
    const prepared = prepareCode(language, code, this.limits);
    if (prepared.kind === 'refused') return prepared;
    const thread = await this.acquire();
    let keep = false;
    try {
      const request = { kind: 'evaluate', language, code: prepared.code, input } as const;
      const reply = await thread.request(request, signal);
      if (reply.kind === 'done') {
        keep = !reply.heavy;
        const summary = summaryLine(reply.summary);
        const done = { kind: 'done', output: reply.output, steps: reply.steps } as const;
        return summary === undefined ? done : { ...done, summary };
      }
      if (reply.kind !== 'refused') {
        throw new HarnessError(
          'harness.internal',
          `unexpected reply of the sandbox: ${reply.kind}`,
        );
      }
      const { refusal, message } = reply;
      keep = !reply.heavy && (refusal === 'syntax' || refusal === 'runtime');
      return { kind: 'refused', refusal, message };
    } finally {
      await this.release(thread, keep);
    }
  }

  /**
   * A sandbox that keeps its variables from run to run, in a machine of its own and in a thread that it has
   * to itself until it is closed. Programs in it may call `ask(question, piece)`; the time that the answer
   * takes is not theirs.
   * @throws HarnessError `input.schema` where the input is larger than the limit
   */
  async session(
    language: Language,
    input: string,
    { ask }: { ask?: Ask } = {},
  ): Promise<SandboxSession> {
    this.refuseIfClosed();
    const tooLarge = checkInput(input, this.limits);
    if (tooLarge !== undefined) throw new HarnessError('input.schema', tooLarge.message);
    const session = new SandboxSession(
      language,
      input,
      this.limits,
      ask,
      {
        // Beside the pool's size: a session may wait long for a model.
        take: () => this.idle.pop() ?? this.start(),
        giveBack: (thread, reusable) => this.giveBack(thread, reusable),
      },
      (closed) => this.sessions.delete(closed),
    );
    this.sessions.add(session);
    return session;
  }

  /** Ends all threads. Programs that still run are refused by an error. */
  async close(): Promise<void> {
    this.closed = true;
    for (const { reject } of this.waiting.splice(0)) reject(closedError());
    await Promise.all([...this.sessions].map((session) => session.close()));
    await Promise.all([...this.threads].map((thread) => thread.end()));
    this.sessions.clear();
    this.threads.clear();
  }

  private refuseIfClosed(): void {
    if (this.closed) throw closedError();
  }

  private start(): SandboxThread {
    const thread = new SandboxThread(this.limits);
    this.threads.add(thread);
    return thread;
  }

  private async acquire(): Promise<SandboxThread> {
    this.refuseIfClosed();
    if (this.busy >= this.size) {
      return new Promise((resolve, reject) => {
        this.waiting.push({ resolve, reject });
      });
    }
    this.busy++;
    return this.idle.pop() ?? this.start();
  }

  /** Keeps an idle thread, if it may be used and is needed. */
  private async giveBack(thread: SandboxThread, reusable: boolean): Promise<void> {
    if (reusable && !thread.isDead && !this.closed && this.idle.length < this.size) {
      this.idle.push(thread);
      return;
    }
    this.threads.delete(thread);
    await thread.end();
  }

  /** Hands the thread on, or a new one in its place. */
  private async release(thread: SandboxThread, keep: boolean): Promise<void> {
    let next = thread;
    if (!keep || thread.isDead || this.closed) {
      this.threads.delete(thread);
      await thread.end();
      if (this.closed) return;
      next = this.start();
    }
    const waiting = this.waiting.shift();
    if (waiting !== undefined) {
      waiting.resolve(next);
      return;
    }
    this.busy--;
    await this.giveBack(next, true);
  }
}

function closedError(): HarnessError {
  return new HarnessError('harness.internal', 'the sandbox pool is closed');
}
