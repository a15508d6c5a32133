import { markersIn } from '../compaction/stash.ts';
import { fitted } from '../text/long-lists.ts';
import type { Message } from '../transcript/message.ts';
import type { Request, Transcript } from '../transcript/transcript.ts';
import {
  argumentTexts,
  NameTable,
  namesInCalls,
  namesInText,
  readableTexts,
  type UsedName,
} from './evidence-names.ts';
import { type Facts, VisibleList } from './evidence-visible.ts';

/** UTF-16 code units from which a text is remembered; outputs that are worth a stash are longer. */
const LONG_TEXT = 200;

const NO_MARKERS: readonly string[] = [];

/** An identifier that an action uses and its request holds. */
export interface RecordedUse {
  readonly value: string;
  /** Numbers of its readings; either one will do. */
  readonly names: readonly number[];
}

/** What one action took from its request. */
export interface RecordedAction {
  /** In the arguments of its calls. */
  readonly used: readonly RecordedUse[];
  /** In its text. */
  readonly said: readonly RecordedUse[];
}

/**
 * What the recorded actions of a transcript took from their requests, and which messages hold it. Made
 * once a transcript, whatever the number of configs; each distinct message is read once.
 */
export class RecordedEvidence {
  readonly names = new NameTable();
  /** By request; undefined where it is not known what the agent did. */
  readonly actions: readonly (RecordedAction | undefined)[];
  readonly #facts = new Map<string, Facts>();
  readonly #texts = new Map<string, Facts>();
  readonly #prompts = new Map<string, ReadonlySet<number>>();
  #characters = 0;
  #steps = 0;

  constructor(transcript: Transcript) {
    const actions = transcript.requests.map(({ action }) => {
      if (action === undefined) return undefined;
      return {
        used: this.#numbered(namesInCalls(action)),
        said: this.#numbered(namesInText(action)),
      };
    });
    const visible = new VisibleList<Message>((message) => this.factsOf(message));
    this.actions = transcript.requests.map(({ messages }, index) => {
      const action = actions[index];
      if (action === undefined) return undefined;
      visible.show(withoutPrompt(messages));
      const isHeld = (name: number) => visible.hasName(name);
      return {
        used: fitted(action.used.flatMap(held(isHeld))),
        said: fitted(action.said.flatMap(held(isHeld))),
      };
    });
    this.#steps = visible.steps;
  }

  /** Facts of a message of the recording, or of one like it. */
  factsOf(message: Message): Facts {
    const { hash } = message.identity;
    const known = this.#facts.get(hash);
    if (known !== undefined) return known;
    const facts = factsOfAll(readableTexts(message).map((text) => this.factsOfText(text)));
    this.#facts.set(hash, facts);
    return facts;
  }

  /** The facts where the message was read before. */
  knownFacts(message: Message): Facts | undefined {
    return this.#facts.get(message.identity.hash);
  }

  /** Facts of a message that a rewrite made; neither it nor its texts are remembered. */
  readOnce(message: Message): Facts {
    return factsOfAll(
      readableTexts(message).map((text) => this.#texts.get(text) ?? this.#read(text)),
    );
  }

  /** Facts of a text; a long one, which may be stashed under several configs, is read once. */
  factsOfText(text: string): Facts {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const facts = this.#read(text);
    if (text.length >= LONG_TEXT) this.#texts.set(text, facts);
    return facts;
  }

  #read(text: string): Facts {
    this.#characters += text.length;
    const markers = markersIn(text);
    return {
      names: this.names.numbersIn(text),
      markers: markers.length === 0 ? NO_MARKERS : [...new Set(markers)],
    };
  }

  /** Names in the system prompt that stands outside of the list; no rewrite takes it away. */
  promptNames({ envelope }: Request): ReadonlySet<number> {
    const system = envelope?.system ?? '';
    const known = this.#prompts.get(system);
    if (known !== undefined) return known;
    const names = new Set(argumentTexts(system).flatMap((text) => this.names.numbersIn(text)));
    this.#prompts.set(system, names);
    return names;
  }

  /** Characters that were read, and names that came in or went out: the work done so far. */
  get work(): { readonly characters: number; readonly steps: number } {
    return { characters: this.#characters, steps: this.#steps };
  }

  #numbered(names: readonly UsedName[]): Numbered[] {
    return names.map((name) => ({
      name,
      value: this.names.add(name.value),
      ...(name.otherReading === undefined ? {} : { other: this.names.add(name.otherReading) }),
    }));
  }
}

/** Facts of a message by those of its texts; an object of its own. */
function factsOfAll(texts: readonly Facts[]): Facts {
  const [only] = texts;
  if (only !== undefined && texts.length === 1) return { ...only };
  return {
    names: [...new Set(texts.flatMap(({ names }) => names))],
    markers: [...new Set(texts.flatMap(({ markers }) => markers))],
  };
}

interface Numbered {
  readonly name: UsedName;
  readonly value: number;
  readonly other?: number;
}

/** Turns a used name into evidence, or into nothing where the request does not hold it. */
function held(isHeld: (name: number) => boolean): (numbered: Numbered) => RecordedUse[] {
  return ({ name, value, other }) => {
    const names = other === undefined ? [value] : [value, other];
    if (!names.some(isHeld)) return [];
    const shown = isHeld(value) ? name.value : (name.otherReading ?? name.value);
    return [{ value: shown, names }];
  };
}

/** The list without the system messages that it begins with. */
function withoutPrompt(messages: readonly Message[]): readonly Message[] {
  const start = messages.findIndex(({ role }) => role !== 'system');
  return start === 0 ? messages : messages.slice(start < 0 ? messages.length : start);
}

/** The configs of one transcript share what was recorded. */
const known = new WeakMap<Transcript, RecordedEvidence>();

export function recordedEvidence(transcript: Transcript): RecordedEvidence {
  const evidence = known.get(transcript) ?? new RecordedEvidence(transcript);
  known.set(transcript, evidence);
  return evidence;
}
