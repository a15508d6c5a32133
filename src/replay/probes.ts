import { declaresExpand } from '../compaction/expand-tool.ts';
import type { Stash } from '../compaction/stash.ts';
import type { Message } from '../transcript/message.ts';
import type { AskedCell, Interview } from './agreement.ts';
import { type RequestSample, type SampledRequest, seededRank } from './agreement-sample.ts';
import type { Asker } from './asker.ts';
import { readableTexts } from './evidence-names.ts';
import { askServing } from './expand-loop.ts';
import { judge, UNKNOWN } from './probe-judging.ts';
import { type Probe, writeProbes } from './probe-writing.ts';
import type { RequestSpelling } from './request-spelling.ts';

/** Questions that are written about one span. */
export const QUESTIONS_PER_SPAN = 3;

/** Code units of the shortest message that is worth a question. */
const SPAN_CHARACTERS = 200;
const ANSWER_TOKENS = 200;

/** How one way of asking went. `unparsed` questions got no answer in words and are in no score. */
interface ProbeScore {
  /** Answered questions; those answered with "unknown" are among them, and are not right. */
  readonly answered: number;
  readonly right: number;
  readonly unanswered: number;
  readonly unparsed: number;
}

/**
 * Probe questions of one cell. A span is one message that the rewritten request does not have as it was: written
 * about once, whichever config dropped it.
 */
export interface ProbeFigures {
  /** Spans that were asked about, at most one a sampled request. */
  readonly spans: number;
  /** Questions that were asked for and could not be used: `spans` × `QUESTIONS_PER_SPAN` − the usable ones. */
  readonly dropped: number;
  readonly plain: ProbeScore;
  /** With the expand tool served; undefined where the config does not declare it. */
  readonly withExpand: ProbeScore | undefined;
}

/** Asks about what was dropped, from the rewritten requests. Rejects as `measureAgreement` does. */
export async function measureProbes(
  cell: AskedCell,
  sample: RequestSample,
  { asker, spelling }: Interview,
): Promise<ProbeFigures> {
  const reader = new ProbeReader({ asker, spelling });
  const plain = new ScoreCount();
  const withExpand = declaresExpand(cell.config) ? new ScoreCount() : undefined;
  let [spans, dropped] = [0, 0];
  for (const sampled of sample.requests) {
    const span = droppedSpan(sampled, sample.plan.seed);
    if (span === undefined) continue;
    spans++;
    const written = await writeProbes(span, QUESTIONS_PER_SPAN, asker);
    dropped += written.dropped;
    for (const probe of written.probes) {
      plain.add(probe, await reader.answer(sampled, probe));
      withExpand?.add(probe, await reader.answer(sampled, probe, cell.stash));
    }
  }
  return { spans, dropped, plain: plain.score, withExpand: withExpand?.score };
}

/** Text of one message that is not in the rewritten list, by the seed; the system prompt is not asked about. */
function droppedSpan({ index, request, after }: SampledRequest, seed: number): string | undefined {
  const kept = new Set(after.map(({ identity }) => identity.hash));
  let chosen: { readonly rank: string; readonly text: string } | undefined;
  for (const message of request.messages) {
    if (message.role === 'system' || kept.has(message.identity.hash)) continue;
    const text = spanText(message);
    if (text.length < SPAN_CHARACTERS) continue;
    const rank = seededRank(seed, String(index), message.identity.hash);
    if (chosen === undefined || rank < chosen.rank) chosen = { rank, text };
  }
  return chosen?.text;
}

function spanText(message: Message): string {
  return readableTexts(message).join('\n');
}

class ProbeReader {
  readonly #asker: Asker;
  readonly #spelling: RequestSpelling;

  constructor({ asker, spelling }: Interview) {
    this.#asker = asker;
    this.#spelling = spelling;
  }

  /** The answer in words, or undefined where there is none. */
  async answer(
    { request, after }: SampledRequest,
    { question }: Probe,
    stash?: Stash,
  ): Promise<string | undefined> {
    const list = this.#spelling.asking(after, instruction(question, stash !== undefined));
    const answer = await askServing(
      {
        purpose: 'probe',
        wire: this.#spelling.wire,
        request: this.#spelling.whole(list, request, stash !== undefined),
        maxOutputTokens: ANSWER_TOKENS,
        isShareable: false,
        ...(stash === undefined ? {} : { stash }),
      },
      this.#asker,
    );
    if (answer.kind === 'failed' || answer.text.trim() === '') return undefined;
    return answer.text;
  }
}

function instruction(question: string, withExpand: boolean): string {
  const tools = withExpand
    ? 'If the detail may stand behind a marker <<cg:HASH>>, first get that back with context_guru_expand; call no other tool.'
    : 'Call no tool.';
  return `Pause the task and answer one question about this conversation so far. ${tools} Reply with the exact detail and nothing else, or with ${UNKNOWN} if the conversation does not say.\n\n<question>\n${question}\n</question>`;
}

class ScoreCount {
  #answered = 0;
  #right = 0;
  #unanswered = 0;
  #unparsed = 0;

  add({ gold }: Probe, answer: string | undefined): void {
    if (answer === undefined) {
      this.#unparsed++;
      return;
    }
    this.#answered++;
    const judgement = judge(answer, gold);
    if (judgement === 'right') this.#right++;
    if (judgement === 'unanswered') this.#unanswered++;
  }

  get score(): ProbeScore {
    return {
      answered: this.#answered,
      right: this.#right,
      unanswered: this.#unanswered,
      unparsed: this.#unparsed,
    };
  }
}
