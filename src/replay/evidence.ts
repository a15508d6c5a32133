import type { Stash } from '../compaction/stash.ts';
import { largestOf } from '../text/long-lists.ts';
import type { Message } from '../transcript/message.ts';
import type { Transcript } from '../transcript/transcript.ts';
import { ChangedForms } from './evidence-forms.ts';
import { readableTexts } from './evidence-names.ts';
import { type RecordedEvidence, type RecordedUse, recordedEvidence } from './evidence-recorded.ts';
import { type MarkerCounts, NO_MARKERS, StashReach } from './evidence-stash.ts';
import { type Facts, VisibleList } from './evidence-visible.ts';

/**
 * Where an identifier is in the rewritten request: `kept` in front of the model; `recoverable`, absent
 * but behind a marker that is; `mutated`, there only in a changed form, in a message that the rewrite
 * made; or `lost`. What is mutated counts as lost.
 */
type EvidenceStatus = 'kept' | 'recoverable' | 'mutated' | 'lost';

/** One identifier that an action took from its recorded request. */
export interface Evidence {
  readonly value: string;
  readonly status: EvidenceStatus;
  /** Decisions so far whose inserted messages held it: 1 and more of what is gone only later. */
  readonly outlived: number;
}

export interface ActionEvidence {
  /** Identifiers in the arguments of its calls, each once: what it is judged by. */
  readonly used: readonly Evidence[];
  /** Identifiers in its text, for the details only. */
  readonly said: readonly Evidence[];
}

export interface RequestEvidence {
  /** Undefined where it is not known what the agent did. */
  readonly action: ActionEvidence | undefined;
  readonly markers: MarkerCounts;
}

/** Follows the evidence of one transcript through the rewritten requests of one config, in order. */
export class EvidenceTracker {
  readonly #transcript: Transcript;
  readonly #recorded: RecordedEvidence;
  /** Facts of messages that the recording does not have. */
  readonly #made = new Map<string, Facts>();
  readonly #before: VisibleList<Message>;
  readonly #after: VisibleList<Message>;
  readonly #reachable: StashReach;
  readonly #forms = new ChangedForms<Facts>();
  /** A message of each facts that are in front of the model. */
  readonly #messages = new Map<Facts, Message>();
  readonly #inserted = new Set<Facts>();
  /** By name: requests at which a message with it was inserted for the first time. */
  readonly #outlived: number[] = [];

  constructor(transcript: Transcript, stash: Stash) {
    this.#transcript = transcript;
    this.#recorded = recordedEvidence(transcript);
    // Of the recorded list it is only asked what stands in it.
    this.#before = new VisibleList((message) => this.#factsOf(message), false);
    this.#after = new VisibleList((message) => {
      const facts = this.#factsOf(message);
      this.#messages.set(facts, message);
      return facts;
    });
    this.#reachable = new StashReach(stash, {
      message: (message) => this.#factsOf(message),
      text: (text) => this.#recorded.factsOfText(text),
    });
  }

  /** @param after the list that would be sent for request `index`; the requests come in order */
  at(index: number, after: readonly Message[]): RequestEvidence {
    const action = this.#recorded.actions[index];
    const request = this.#transcript.requests[index];
    if (request === undefined || after === request.messages) {
      return { action: action && allKept(action), markers: NO_MARKERS };
    }
    const changed = new Set([...this.#before.show(request.messages), ...this.#after.show(after)]);
    this.#noteInserted(changed);
    const markers = this.#reachable.follow(this.#after);
    if (action === undefined) return { action, markers };
    const prompt = this.#recorded.promptNames(request);
    const isKept = (name: number) => prompt.has(name) || this.#after.hasName(name);
    const judge = (use: RecordedUse): Evidence => this.#judge(use, isKept);
    return { action: { used: action.used.map(judge), said: action.said.map(judge) }, markers };
  }

  /** Names that were looked at so far, beyond what was read of the recording. */
  get steps(): number {
    return this.#before.steps + this.#after.steps + this.#reachable.steps;
  }

  #judge({ value, names }: RecordedUse, isKept: (name: number) => boolean): Evidence {
    const outlived = largestOf(names.map((name) => this.#outlived[name] ?? 0));
    if (names.some(isKept)) return { value, status: 'kept', outlived };
    if (names.some((name) => this.#reachable.hasName(name))) {
      return { value, status: 'recoverable', outlived };
    }
    const isChanged = this.#forms.holds(value);
    return { value, status: isChanged ? 'mutated' : 'lost', outlived };
  }

  #isInserted(facts: Facts): boolean {
    return this.#after.has(facts) && !this.#before.has(facts);
  }

  #noteInserted(changed: ReadonlySet<Facts>): void {
    const names = new Set<number>();
    for (const facts of changed) {
      const message = this.#messages.get(facts);
      if (!this.#after.has(facts)) this.#messages.delete(facts);
      if (!this.#isInserted(facts)) {
        this.#forms.remove(facts);
        continue;
      }
      this.#forms.add(facts, () => (message === undefined ? [] : readableTexts(message)));
      if (this.#inserted.has(facts)) continue;
      this.#inserted.add(facts);
      for (const name of facts.names) names.add(name);
    }
    for (const name of names) this.#outlived[name] = (this.#outlived[name] ?? 0) + 1;
  }

  #factsOf(message: Message): Facts {
    const known = this.#recorded.knownFacts(message) ?? this.#made.get(message.identity.hash);
    if (known !== undefined) return known;
    const facts = this.#recorded.readOnce(message);
    this.#made.set(message.identity.hash, facts);
    return facts;
  }
}

function allKept({ used, said }: { used: readonly RecordedUse[]; said: readonly RecordedUse[] }) {
  const kept = ({ value }: RecordedUse): Evidence => ({ value, status: 'kept', outlived: 0 });
  return { used: used.map(kept), said: said.map(kept) };
}
