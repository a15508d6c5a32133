/** A sandbox that lives over several runs, for a model that explores its input. */

import { HarnessError } from '../../../errors.ts';
import { prepareCode } from './prepare.ts';
import { type Language, type Refused, type SandboxLimits, summaryLine } from './program.ts';
import type { Ask, SandboxThread } from './thread.ts';

/** Where a session has its thread from. */
export interface ThreadSource {
  take(): SandboxThread;
  /** Takes back a thread that others may use, and ends any other. */
  giveBack(thread: SandboxThread, reusable: boolean): Promise<void>;
}

export interface Ran {
  readonly kind: 'ran';
  /** What the run printed, cut at 64 Ki characters. */
  readonly printed: string;
  readonly outputSet: boolean;
}

export class SandboxSession {
  private readonly language: Language;
  private readonly input: string;
  private readonly limits: SandboxLimits;
  private readonly ask: Ask | undefined;
  private readonly threads: ThreadSource;
  private readonly closing: (session: SandboxSession) => void;
  private thread: SandboxThread | undefined;
  private heavy = false;
  private closed = false;
  private result: { output: string | undefined; summary: string | undefined } | undefined;

  /** Made by `SandboxPool.session`. */
  constructor(
    language: Language,
    input: string,
    limits: SandboxLimits,
    ask: Ask | undefined,
    threads: ThreadSource,
    closing: (session: SandboxSession) => void,
  ) {
    this.language = language;
    this.input = input;
    this.limits = limits;
    this.ask = ask;
    this.threads = threads;
    this.closing = closing;
  }

  /**
   * Runs code over the variables that earlier runs left. A mistake in the code keeps them; a limit takes the
   * machine, and with it the variables and OUTPUT: the refusal says so.
   * @throws the signal's reason
   */
  async run(code: string, signal?: AbortSignal): Promise<Ran | Refused> {
    if (this.closed) throw new HarnessError('harness.internal', 'the sandbox session is closed');
    const prepared = prepareCode(this.language, code, this.limits, { persistent: true });
    if (prepared.kind === 'refused') return prepared;
    const thread = await this.ready(signal);
    const reply = await thread.request({ kind: 'run', code: prepared.code }, signal);
    if (reply.kind === 'ran') {
      this.heavy = reply.heavy;
      this.result = { output: reply.output, summary: summaryLine(reply.summary) };
      return { kind: 'ran', printed: reply.printed, outputSet: reply.output !== undefined };
    }
    if (reply.kind !== 'refused') {
      throw new HarnessError('harness.internal', `unexpected reply of the sandbox: ${reply.kind}`);
    }
    const { refusal, message, heavy } = reply;
    this.heavy = heavy;
    if (refusal === 'syntax' || refusal === 'runtime') {
      if (!thread.isDead) return { kind: 'refused', refusal, message };
    }
    this.result = undefined;
    this.thread = undefined;
    await this.threads.giveBack(thread, false);
    const lost = `${message}; the variables of earlier runs are gone`;
    return { kind: 'refused', refusal, message: lost };
  }

  /** The OUTPUT that the runs so far set, if any. */
  output(): string | undefined {
    return this.result?.output;
  }

  /** The first line of their SUMMARY, if any. */
  summary(): string | undefined {
    return this.result?.summary;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.closing(this);
    const { thread } = this;
    this.thread = undefined;
    if (thread !== undefined) await this.threads.giveBack(thread, thread.leave() && !this.heavy);
  }

  private async ready(signal: AbortSignal | undefined): Promise<SandboxThread> {
    if (this.thread !== undefined && !this.thread.isDead) return this.thread;
    const thread = this.threads.take();
    this.thread = thread;
    this.heavy = false;
    await thread.begin(this.language, this.input, this.ask, signal);
    return thread;
  }
}
