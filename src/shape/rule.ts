/**
 * What a rule is, and how rules of one dialect share the facts of a message. A message is read once: its facts
 * and what its own rules found are kept as long as the message object lives, so that validating a list
 * that shares messages with an earlier one costs a walk over facts.
 */
import { HarnessError } from '../errors.ts';
import { type Growing, GrowingLists } from '../transcript/growing-lists.ts';
import type { DialectName } from '../transcript/message.ts';
import type { ShapeContext } from './context.ts';
import { asObject, isObject, type JsonObject } from './json-values.ts';

/** The exact JSON text of one message; on `openai-responses` one or several items joined by commas. */
export interface WireMessage {
  readonly raw: string;
}

/** `sendable`: about to be sent. `prefix`: cut in flight, so nothing is asked of the end of the list. */
export type ShapeMode = 'sendable' | 'prefix';

export type Severity = 'error' | 'warning';

/** What a rule looks at: the list alone, the list before the rewrite, request fields, or exact bytes. */
export type RuleNeed = 'list' | 'pair' | 'request' | 'bytes';

export interface ListView {
  readonly messages: readonly WireMessage[];
  readonly before: readonly WireMessage[] | undefined;
  readonly context: ShapeContext;
  readonly mode: ShapeMode;
}

/** One place where a rule is broken. `severity` is given where it differs from the rule's. */
export interface Finding {
  readonly message: number;
  readonly block?: number | undefined;
  readonly detail: string;
  readonly severity?: Severity;
  /** The offending text, where the beginning of the block would not show it. */
  readonly excerpt?: string;
}

/** All that a reader of a report needs to know about a rule. */
export interface RuleText {
  readonly id: string;
  readonly provider: DialectName | 'any';
  readonly severity: Severity;
  readonly explanation: string;
  /** Where the rule is known from. */
  readonly source: string;
  /** What the provider says, in short. */
  readonly providerError: string;
  readonly needs: RuleNeed;
  /** What usually repairs it. */
  readonly fix: string;
  /** Whether rewriting a valid history can break it. */
  readonly rewriteCanBreak: boolean;
}

export interface Rule extends RuleText {
  readonly check: (list: ListView) => readonly Finding[];
}

/** A rule that one message decides; `message` of what it finds is filled in. */
export interface MessageRule extends RuleText {
  find(items: readonly JsonObject[], message: WireMessage): Iterable<MessageFinding>;
}

export type MessageFinding = Omit<Finding, 'message'>;

/** What is known of a message; `kinds` is a set of bits that says what it holds. */
export interface Facts {
  readonly kinds: number;
}

/** A rule that needs the list, by the facts of its messages. */
export interface ListRule<Known extends Facts> extends RuleText {
  /** Bits of `kinds`: the rule is looked at only where a message of the list has one of them. */
  readonly concerns?: number;
  find(facts: readonly Known[], list: FactsView<Known>): Iterable<Finding>;
}

export interface FactsView<Known> extends ListView {
  /** Bits of `kinds` that some message of the list has. */
  readonly kinds: number;
  /** Facts of the list before the rewrite, where it is given. */
  factsBefore(): readonly Known[] | undefined;
}

interface Reading<Known> {
  readonly facts: Known;
  readonly findings: readonly (MessageFinding & { readonly rule: string })[];
}

const NOTHING: readonly never[] = [];

/** The items of a message: one object, or on `openai-responses` one or several. */
export function itemsOf(message: WireMessage): readonly JsonObject[] {
  const items = parse(message.raw) ?? parse(`[${message.raw}]`);
  if (items === undefined) {
    throw new HarnessError(
      'input.syntax',
      'a message of the list is not JSON: give each message as its exact JSON text',
    );
  }
  return Array.isArray(items.value) ? items.value.map(asObject) : [asObject(items.value)];
}

const sizes = new WeakMap<WireMessage, number>();

/**
 * Length of all strings in a message, keys included. Messages that say the same have the same, however they
 * are spelled, so only those need a closer look.
 */
export function spokenSize(message: WireMessage): number {
  let size = sizes.get(message);
  if (size === undefined) {
    size = sizeOfStrings(itemsOf(message));
    sizes.set(message, size);
  }
  return size;
}

function sizeOfStrings(root: unknown): number {
  let size = 0;
  const pending = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') size += value.length;
    else if (Array.isArray(value)) for (const item of value) pending.push(item);
    else if (isObject(value)) {
      for (const key of Object.keys(value)) {
        size += key.length;
        pending.push(value[key]);
      }
    }
  }
  return size;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

type ListFindings = ReadonlyMap<string, readonly Finding[]>;

/** The facts of a list and what the rules of single messages found in it, as it grows. */
class ListReading<Known extends Facts> implements Growing<WireMessage> {
  readonly #read: (message: WireMessage) => Reading<Known>;
  readonly #facts: Known[] = [];
  /** Kinds of the first 1, 2, … messages. */
  readonly #kinds: number[] = [];
  readonly #findings: { readonly rule: string; readonly finding: Finding }[] = [];

  constructor(read: (message: WireMessage) => Reading<Known>) {
    this.#read = read;
  }

  get length(): number {
    return this.#facts.length;
  }

  append(message: WireMessage): void {
    const index = this.#facts.length;
    const { facts, findings } = this.#read(message);
    this.#kinds.push((this.#kinds.at(-1) ?? 0) | facts.kinds);
    for (const { rule, ...finding } of findings) {
      this.#findings.push({ rule, finding: { ...finding, message: index } });
    }
    this.#facts.push(facts);
  }

  cut(length: number): void {
    this.#facts.length = length;
    this.#kinds.length = length;
    while ((this.#findings.at(-1)?.finding.message ?? -1) >= length) this.#findings.pop();
  }

  now(): {
    readonly facts: readonly Known[];
    readonly kinds: number;
    readonly found: ListFindings;
  } {
    const found = new Map<string, Finding[]>();
    for (const { rule, finding } of this.#findings) {
      const ofRule = found.get(rule);
      if (ofRule === undefined) found.set(rule, [finding]);
      else ofRule.push(finding);
    }
    // A copy, since what is known of a list is remembered by its facts.
    return { facts: this.#facts.slice(), kinds: this.#kinds.at(-1) ?? 0, found };
  }
}

/** Rules of one dialect, over facts that are read once a message. */
export function dialectRules<Known extends Facts>(parts: {
  facts(items: readonly JsonObject[]): Known;
  message: readonly MessageRule[];
  list: readonly ListRule<Known>[];
}): readonly Rule[] {
  const readings = new WeakMap<WireMessage, Reading<Known>>();

  const read = (message: WireMessage): Reading<Known> => {
    const known = readings.get(message);
    if (known !== undefined) return known;
    const items = itemsOf(message);
    sizes.set(message, sizeOfStrings(items));
    const findings: (MessageFinding & { rule: string })[] = [];
    for (const rule of parts.message) {
      for (const finding of rule.find(items, message)) findings.push({ ...finding, rule: rule.id });
    }
    const reading = {
      facts: parts.facts(items),
      findings: findings.length === 0 ? NOTHING : findings,
    };
    readings.set(message, reading);
    return reading;
  };

  const lists = new GrowingLists<WireMessage, ListReading<Known>>(() => new ListReading(read));

  const readList = lately((list: ListView) => {
    const { facts, found, kinds } = lists.of(list.messages).now();
    const factsBefore = () => readBefore(list);
    return { facts, found, kinds, view: { ...list, kinds, factsBefore } };
  });
  const readBefore = lately((list: ListView) =>
    list.before === undefined ? undefined : lists.of(list.before).now().facts,
  );

  return [
    ...parts.message.map(({ find: _, ...text }) => ({
      ...text,
      check: (list: ListView) => readList(list).found.get(text.id) ?? NOTHING,
    })),
    ...parts.list.map(({ find, concerns, ...text }) => ({
      ...text,
      check: (list: ListView) => {
        const { facts, kinds, view } = readList(list);
        if (concerns !== undefined && (kinds & concerns) === 0) return NOTHING;
        return [...find(facts, view)];
      },
    })),
  ];
}

/** Remembers the result for each key object, so that rules that share a walk over the list walk it once. */
export function once<Key extends object, Rest extends readonly unknown[], Result>(
  compute: (key: Key, ...rest: Rest) => Result,
): (key: Key, ...rest: Rest) => Result {
  const known = new WeakMap<Key, { readonly result: Result }>();
  return (key, ...rest) => {
    const cached = known.get(key);
    if (cached !== undefined) return cached.result;
    const result = compute(key, ...rest);
    known.set(key, { result });
    return result;
  };
}

/**
 * The same for lists and what is made of them, which are many and soon forgotten: only the latest keys are
 * remembered, which are those of the list that is being checked.
 */
export function lately<Key extends object, Rest extends readonly unknown[], Result>(
  compute: (key: Key, ...rest: Rest) => Result,
): (key: Key, ...rest: Rest) => Result {
  let known: readonly { readonly key: Key; readonly result: Result }[] = [];
  return (key, ...rest) => {
    for (const one of known) if (one.key === key) return one.result;
    const result = compute(key, ...rest);
    known = [{ key, result }, ...known.slice(0, LATEST - 1)];
    return result;
  };
}

const LATEST = 2;
