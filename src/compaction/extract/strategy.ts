import { codeOf, HarnessError, messageOf } from '../../errors.ts';
import type { ModelReply } from '../../model/model.ts';
import type { Message } from '../../transcript/message.ts';
import type { ChargedModel } from '../component.ts';
import { type Accepted, type RefusalName, type Refused, refused } from './acceptance.ts';
import type { ExtractConfig } from './extract-config.ts';
import type { SandboxPool } from './sandbox/pool.ts';

/** Longest that one model call may take, in milliseconds. */
export const CALL_TIME_LIMIT = 60_000;

/** One output that a model is to reduce, and all that it takes. */
export interface Job {
  readonly messages: readonly Message[];
  readonly output: string;
  /** Identifiers that must survive. */
  readonly keep: readonly string[];
  readonly config: ExtractConfig;
  readonly model: ChargedModel;
  readonly sandbox: SandboxPool;
  readonly signal: AbortSignal;
  countTokens(text: string): number;
  /** The proof at the end of every strategy. */
  judge(candidate: string, summary: string | undefined): Accepted | Refused;
  /** Counts a refusal. */
  refuse(refusal: RefusalName): void;
}

/** A reply's text, or why there is none. Rethrows what is no answer of the model: an abort, a fault of ours. */
export async function askModel(
  job: Job,
  request: Omit<Parameters<ChargedModel['ask']>[0], 'timeLimit'>,
): Promise<(ModelReply & { readonly kind: 'reply' }) | Refused> {
  try {
    const reply = await job.model.ask({ ...request, timeLimit: CALL_TIME_LIMIT });
    job.signal.throwIfAborted();
    if (reply.text.trim() === '') return refused('empty_reply', 'the model replied nothing');
    return { kind: 'reply', ...reply };
  } catch (error) {
    job.signal.throwIfAborted();
    const refusal = refusalOfError(error);
    if (refusal === undefined) throw error;
    return refused(refusal, messageOf(error));
  }
}

function refusalOfError(error: unknown): RefusalName | undefined {
  if (!(error instanceof HarnessError)) return undefined;
  switch (codeOf(error)) {
    case 'model.timeout':
      return 'timeout';
    case 'model.transport':
      return 'transport';
    case 'model.reply':
      return 'empty_reply';
    default:
      return undefined;
  }
}
