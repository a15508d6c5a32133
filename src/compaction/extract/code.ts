import { type Accepted, type Refused, refused, summaryLine } from './acceptance.ts';
import { codePrompt, codeSystem, PROGRAM_TOKENS, repairPrompt } from './code-prompt.ts';
import { evaluateOnce } from './evaluations.ts';
import { programIn } from './program-text.ts';
import { askModel, type Job } from './strategy.ts';

/**
 * Reduces an output by a program that a model writes for it: one call, and one more when the program has
 * a syntax error. Each call ends in exactly one verdict, accepted or a counted refusal, so the calls of
 * a run are its accepted reductions and its refusals other than `no_model`.
 */
export async function reduceByCode(job: Job): Promise<Accepted | undefined> {
  const { language, repair } = job.config;
  const system = codeSystem(language);
  const ask = (purpose: 'extract' | 'repair', prompt: string) =>
    attempt(job, { purpose, system, prompt, maxOutputTokens: PROGRAM_TOKENS });
  const first = await ask('extract', codePrompt(job.messages, job.output, job.keep));
  if (first.verdict.kind === 'accepted') return first.verdict;
  job.refuse(first.verdict.refusal);
  if (first.verdict.refusal !== 'syntax' || !repair) return undefined;
  const second = await ask('repair', repairPrompt(first.program, first.verdict.message));
  if (second.verdict.kind === 'accepted') return second.verdict;
  job.refuse(second.verdict.refusal);
  return undefined;
}

async function attempt(
  job: Job,
  request: Parameters<typeof askModel>[1],
): Promise<{ readonly program: string; readonly verdict: Accepted | Refused }> {
  const reply = await askModel(job, request);
  if (reply.kind === 'refused') return { program: '', verdict: reply };
  const program = programIn(reply.text);
  if (program === '') {
    return { program, verdict: refused('empty_reply', 'the reply holds no program') };
  }
  const { language } = job.config;
  const source = { language, code: program, input: job.output };
  const evaluation = await evaluateOnce(job.sandbox, source, job.signal);
  job.signal.throwIfAborted();
  if (evaluation.kind === 'refused') {
    return { program, verdict: refused(evaluation.refusal, evaluation.message) };
  }
  return { program, verdict: job.judge(evaluation.output, summaryLine(evaluation.summary)) };
}
