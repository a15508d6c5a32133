import { createHash } from 'node:crypto';
import { GenerationCache } from '../../text/generation-cache.ts';
import type { SandboxPool } from './sandbox/pool.ts';
import type { Evaluation, Program } from './sandbox/program.ts';

/** Evaluations in each of two generations; with the length of their outputs, 64 MB at most. */
const REMEMBERED = 1000;
const REMEMBERED_CHARACTERS = 16_384;

const evaluations = new WeakMap<SandboxPool, GenerationCache<Evaluation>>();

/**
 * What a program comes to. Trials of a task, samples and other configs write the same program for the same
 * output again: it is run once. What only the clock ended is run again, since it may end otherwise.
 *
 * @throws as `SandboxPool.evaluate`
 */
export async function evaluateOnce(
  sandbox: SandboxPool,
  program: Program,
  signal: AbortSignal,
): Promise<Evaluation> {
  let known = evaluations.get(sandbox);
  if (known === undefined) {
    known = new GenerationCache(REMEMBERED);
    evaluations.set(sandbox, known);
  }
  const key = keyOf(program);
  const earlier = known.get(key);
  if (earlier !== undefined) return earlier;
  const evaluation = await sandbox.evaluate(program, signal);
  if (isLasting(evaluation)) known.set(key, evaluation);
  return evaluation;
}

function isLasting(evaluation: Evaluation): boolean {
  if (evaluation.kind === 'refused') return evaluation.refusal !== 'time_limit';
  return evaluation.output.length <= REMEMBERED_CHARACTERS;
}

function keyOf({ language, code, input }: Program): string {
  const hash = createHash('sha256').update(`${language} ${code.length} ${code}`, 'utf16le');
  return hash.update(input, 'utf16le').digest('base64');
}
