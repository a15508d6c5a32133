/** A sandbox that lives over several runs, for a model that explores its input. */

import { HarnessError } from '../../../errors.ts';
import { prepareCode } from './prepare.ts';
import { type Language, type Refused, type SandboxLimits, summaryLine } from './program.ts';
import type { SandboxThread } from './thread.ts';

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
  private readonly startThread: () => SandboxThread;
  private readonly closing: (session: SandboxSession) => void;
  private thread: SandboxThread | undefined;
  private closed = false;
  private result: { output: string | undefined; summary: string | undefined } | undefined;

  /** Made by `SandboxPool.session`. */
  constructor(
    language: Language,
    input: string,
    limits: SandboxLimits,
    startThread: () => SandboxThread,
    closing: (session: SandboxSession) => void,
  ) {
    this.language = language;
    this.input = input;
    this.limits = limits;
    this.startThread = startThread;
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
      this.result = { output: reply.output, summary: summaryLine(reply.summary) };
      return { kind: 'ran', printed: reply.printed, outputSet: reply.output !== undefined };
    }
    if (reply.kind !== 'refused') {
      throw new HarnessError('harness.internal', `unexpected reply of the sandbox: ${reply.kind}`);
    }
    const { refusal, message } = reply;
    if (refusal === 'syntax' || refusal === 'runtime') {
      if (!thread.isDead) return { kind: 'refused', refusal, message };
    }
    this.result = undefined;
    this.thread = undefined;
    await thread.end();
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
    await this.thread?.end();
    this.thread = undefined;
  }

  private async ready(signal: AbortSignal | undefined): Promise<SandboxThread> {
    if (this.thread !== undefined && !this.thread.isDead) return this.thread;
    const { language, input } = this;
    const thread = this.startThread();
    this.thread = thread;
    await thread.request({ kind: 'begin', language, input, asks: true }, signal);
    return thread;
  }
}
