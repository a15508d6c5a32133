import { HarnessError } from '../../errors.ts';
import { type Accepted, type Refused, refused, summaryLine } from './acceptance.ts';
import { PROGRAM_TOKENS } from './code-prompt.ts';
import { programIn } from './program-text.ts';
import {
  ANSWER_TOKENS,
  ASK_SYSTEM,
  askPrompt,
  explorePrompt,
  exploreSystem,
  type Round,
  shownResult,
} from './rlm-prompt.ts';
import type { SandboxSession } from './sandbox/session.ts';
import { askModel, type Job } from './strategy.ts';

/**
 * Reduces an output by an exploration: round after round the model runs a program over INPUT, sees what
 * it printed, and at last sets OUTPUT. An exploration ends in exactly one verdict, accepted or a counted
 * refusal; one that comes to a limit of rounds, calls or tokens ends as its last round did, and where
 * that was no fault, as `step_limit`. Every call is charged.
 */
export async function reduceByExploration(job: Job): Promise<Accepted | undefined> {
  const exploration = new Exploration(job);
  const session = await job.sandbox.session(job.config.language, job.output, {
    ask: (question, piece) => exploration.answer(question, piece),
  });
  try {
    const verdict = await exploration.run(session);
    if (verdict.kind === 'accepted') return verdict;
    job.refuse(verdict.refusal);
    return undefined;
  } finally {
    await session.close();
  }
}

class Exploration {
  readonly #job: Job;
  readonly #rounds: Round[] = [];
  #calls = 0;
  #tokens = 0;

  constructor(job: Job) {
    this.#job = job;
  }

  async run(session: SandboxSession): Promise<Accepted | Refused> {
    const { messages, output, keep, config, judge, signal } = this.#job;
    const system = exploreSystem(config.language);
    let last: Refused = refused('step_limit', 'the exploration ended without OUTPUT');
    for (let left = config.rlm.max_rounds; left > 0; left--) {
      const prompt = explorePrompt(messages, output, keep, this.#rounds, left);
      const reply = await this.#ask(system, prompt, PROGRAM_TOKENS);
      if (reply === undefined) break;
      if (reply.kind === 'refused') return reply;
      const program = programIn(reply.text);
      if (program === '') return refused('empty_reply', 'the reply holds no program');
      const ran = await session.run(program, signal);
      signal.throwIfAborted();
      if (ran.kind === 'refused') {
        last = refused(ran.refusal, ran.message);
        this.#rounds.push({ program, result: `${ran.refusal}: ${shownResult(ran.message)}` });
        continue;
      }
      const candidate = session.output();
      if (candidate !== undefined) return judge(candidate, summaryLine(session.summary()));
      last = refused('step_limit', 'the exploration ended without OUTPUT');
      this.#rounds.push({ program, result: shownResult(ran.printed) });
    }
    return last;
  }

  /** Answers a program's question; what it throws, the program sees as its error. */
  async answer(question: string, piece: string): Promise<string> {
    const reply = await this.#ask(ASK_SYSTEM, askPrompt(question, piece), ANSWER_TOKENS);
    if (reply === undefined) {
      throw new HarnessError('model.reply', 'no questions are left: set OUTPUT from what is known');
    }
    if (reply.kind === 'refused') throw new HarnessError('model.reply', reply.message);
    return reply.text;
  }

  /** Undefined when the exploration has no calls or no tokens left for this one. */
  async #ask(system: string, prompt: string, most: number) {
    const { config, countTokens } = this.#job;
    const { max_calls, max_tokens } = config.rlm;
    const room = max_tokens - this.#tokens - countTokens(system) - countTokens(prompt);
    if (this.#calls >= max_calls || room < 1) return undefined;
    this.#calls++;
    const maxOutputTokens = Math.min(most, room);
    const request = { purpose: 'explore', system, prompt, maxOutputTokens } as const;
    const reply = await askModel(this.#job, request);
    if (reply.kind === 'reply') this.#tokens += reply.inputTokens + reply.outputTokens;
    return reply;
  }
}
