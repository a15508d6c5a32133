import type { Config } from '../compaction/config.ts';
import { declaresExpand } from '../compaction/expand-tool.ts';
import type { Stash } from '../compaction/stash.ts';
import type { Transcript } from '../transcript/transcript.ts';
import type { WholeRequest } from '../wire/whole-request.ts';
import {
  agreementScore,
  type NextAction,
  recordedAction,
  repliedAction,
} from './agreement-action.ts';
import type { RequestSample } from './agreement-sample.ts';
import type { Asker } from './asker.ts';
import { askServing } from './expand-loop.ts';
import type { RequestSpelling } from './request-spelling.ts';

/** Raised whenever another score is given for the same replies. */
export const AGREEMENT_VERSION = 1;

/** Room for a call that writes a file; what is cut off is counted as unparsed. */
export const ACTION_TOKENS = 4096;

/**
 * Next-action agreement of one cell. `sampled` = `scores.length` + `notReproduced` + `unparsed`: a request is
 * scored only where the model, given the request as recorded, does what the agent did.
 */
export interface AgreementFigures {
  /** Rewritten requests whose recorded action is known, and how many of them were asked about. */
  readonly eligible: number;
  readonly sampled: number;
  /** 1, 0.5 or 0 for each compared request, in the order of the transcript. */
  readonly scores: readonly number[];
  /** Of the scored ones, those whose recorded action is an answer in words. */
  readonly answers: number;
  /** Requests at which the model, as recorded, does something else than the agent did. */
  readonly notReproduced: number;
  /** Requests without a score because a reply was no action; why, and how often. */
  readonly unparsed: number;
  readonly unparsedReasons: ReadonlyMap<string, number>;
  /** Markers that the model got back. */
  readonly expands: number;
  /** Whether tools were declared as recorded, or had to be inferred from their calls. */
  readonly tools: 'recorded' | 'inferred';
}

/** The cell that is asked about. */
export interface AskedCell {
  readonly transcript: Transcript;
  readonly config: Config;
  /** Of the replay, for what its markers stand for. */
  readonly stash: Stash;
}

/** Who is asked, and how requests are spelled for it. */
export interface Interview {
  readonly asker: Asker;
  readonly spelling: RequestSpelling;
}

/**
 * Asks for the next action at each sampled request, first as recorded, which all configs share, and where that
 * reproduces the recorded action, as rewritten. The expand tool is declared on the rewritten request if
 * the config declares it. Rejects with what ends a run (an abort, a budget).
 */
export async function measureAgreement(
  cell: AskedCell,
  sample: RequestSample,
  { asker, spelling }: Interview,
): Promise<AgreementFigures> {
  const unparsed = new Map<string, number>();
  const scores: number[] = [];
  let [answers, notReproduced, expands] = [0, 0, 0];
  const { requests } = sample;
  for (const { request, after } of requests) {
    const { action } = request;
    if (action === undefined) continue;
    const recorded = recordedAction(action, cell.transcript.dialect, spelling.wire);
    const original = await nextAction(spelling.whole(request.messages, request), {
      spelling,
      asker,
    });
    if (original.kind === 'unparsed') {
      count(unparsed, original.why);
      continue;
    }
    if (agreementScore(original.action, recorded) < 1) {
      notReproduced++;
      continue;
    }
    const stash = declaresExpand(cell.config) ? cell.stash : undefined;
    const rewritten = await nextAction(spelling.whole(after, request, stash !== undefined), {
      spelling,
      asker,
      ...(stash === undefined ? {} : { stash }),
      isRewritten: true,
    });
    expands += rewritten.expands;
    if (rewritten.kind === 'unparsed') {
      count(unparsed, rewritten.why);
      continue;
    }
    scores.push(agreementScore(rewritten.action, original.action));
    if (recorded.kind === 'answer') answers++;
  }
  return {
    eligible: sample.eligible,
    sampled: requests.length,
    scores,
    answers,
    notReproduced,
    unparsed: [...unparsed.values()].reduce((total, times) => total + times, 0),
    unparsedReasons: unparsed,
    expands,
    tools: spelling.tools,
  };
}

type Asked = { readonly expands: number } & (
  | { readonly kind: 'action'; readonly action: NextAction }
  | { readonly kind: 'unparsed'; readonly why: string }
);

async function nextAction(
  request: WholeRequest,
  options: {
    readonly spelling: RequestSpelling;
    readonly asker: Asker;
    readonly stash?: Stash;
    readonly isRewritten?: true;
  },
): Promise<Asked> {
  const { spelling, asker, stash, isRewritten } = options;
  const answer = await askServing(
    {
      purpose: 'agreement',
      wire: spelling.wire,
      request,
      maxOutputTokens: ACTION_TOKENS,
      isShareable: isRewritten !== true,
      ...(stash === undefined ? {} : { stash }),
    },
    asker,
  );
  if (answer.kind === 'failed') return { kind: 'unparsed', why: answer.why, expands: 0 };
  const { expands } = answer;
  const action = repliedAction(answer.text, answer.toolCalls);
  if (typeof action === 'string') return { kind: 'unparsed', why: action, expands };
  return { kind: 'action', action, expands };
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
