import type { StepReport } from '../../compaction/pipeline.ts';
import { HarnessError } from '../../errors.ts';
import type { RequestReplay } from '../../replay/result.ts';
import type { Message } from '../../transcript/message.ts';
import { thousands } from '../numbers.ts';
import type { ReplayedCell } from './cell.ts';
import { countingOf, tokensOfEach } from './counting.ts';
import { type EvidencePlace, EvidencePlaces } from './evidence-places.ts';
import { MarkerPaths } from './marker-paths.ts';
import { type MessageChange, messageChanges } from './message-changes.ts';

/** A message's change with its tokens; absent where it is not in that list. */
export interface CountedChange extends MessageChange {
  readonly tokensBefore?: number;
  readonly tokensAfter?: number;
}

/** One request before and after. */
export interface RequestView {
  readonly index: number;
  readonly replay: RequestReplay;
  readonly changes: readonly CountedChange[];
  readonly action: Message | undefined;
  /** Undefined where it is not known what the agent did. */
  readonly evidence: readonly EvidencePlace[] | undefined;
  /** Visible markers that the stash has, in order. */
  readonly markers: readonly {
    readonly key: string;
    readonly kind: 'messages' | 'text';
    /** How many messages it stands for; 0 for a text. */
    readonly messages: number;
  }[];
}

/** Views of the requests of one cell; what is found out of one serves the others. */
export class RequestViews {
  readonly #cell: ReplayedCell;
  readonly #paths: MarkerPaths;
  readonly #places: EvidencePlaces;

  constructor(cell: ReplayedCell) {
    this.#cell = cell;
    this.#paths = new MarkerPaths(cell.replay.stash);
    this.#places = new EvidencePlaces(this.#paths);
  }

  /** Throws HarnessError `usage` for a request that the recording does not have. */
  at(index: number): RequestView {
    const { transcript, replay, sent, tokenizer } = this.#cell;
    const request = transcript.requests[index];
    const replayed = replay.requests[index];
    const after = sent[index];
    if (request === undefined || replayed === undefined || after === undefined) {
      const last = transcript.requests.length - 1;
      const message = `--request is ${index}, expected a number from 0 to ${last}: the recording has ${last + 1} requests`;
      throw new HarnessError('usage', message);
    }
    const counting = countingOf(transcript, request, tokenizer);
    const before = tokensOfEach(request.messages, counting);
    const afterTokens = tokensOfEach(after, counting);
    const changes = messageChanges(request.messages, after, this.#paths).map((change) => ({
      ...change,
      ...tokensAt('tokensBefore', before, change.before?.index),
      ...tokensAt('tokensAfter', afterTokens, change.after?.index),
    }));
    const keys = [...new Set(after.flatMap((message) => this.#paths.keysIn(message)))];
    const { evidence } = replayed;
    return {
      index,
      replay: replayed,
      changes,
      action: request.action,
      evidence: evidence && this.#places.of(evidence, request.action, changes),
      markers: keys.map((key) => ({ key, ...this.#paths.sizeOf(key) })),
    };
  }
}

function tokensAt<Key extends string>(
  key: Key,
  tokens: readonly number[],
  index: number | undefined,
): { [K in Key]?: number } {
  const entry: { [K in Key]?: number } = {};
  const count = index === undefined ? undefined : tokens[index];
  if (count !== undefined) entry[key] = count;
  return entry;
}

/** What a component did at a request, in words; its detail may quote the recording. */
export function stepText(step: StepReport): string {
  const refused =
    (step.refusals ?? []).length === 0 ? '' : `; refused ${tally(step.refusals ?? [])}`;
  const calls = step.calls.length;
  const asked =
    calls === 0
      ? ''
      : `; ${calls} model ${calls === 1 ? 'call' : 'calls'}, ${thousands(sum(step.calls.map(({ inputTokens }) => inputTokens)))} tokens in and ${thousands(sum(step.calls.map(({ outputTokens }) => outputTokens)))} out`;
  return `${outcomeText(step)}${refused}${asked}`;
}

function outcomeText(step: StepReport): string {
  switch (step.kind) {
    case 'changed': {
      const how = step.reused ? 'an earlier decision reused' : 'a new decision';
      return `rewrote by ${how}: ${thousands(step.tokensBefore)} → ${thousands(step.tokensAfter)} tokens`;
    }
    case 'skipped':
      return `left alone: gate ${step.gate}`;
    case 'reverted':
      return `taken back: ${step.reason} (${step.detail})`;
  }
}

function tally(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`)).join(', ');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
