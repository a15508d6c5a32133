import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markersIn, type Stash } from '../../src/compaction/stash.ts';
import { EvidenceTracker } from '../../src/replay/evidence.ts';
import { containsIdentifier, identifiersIn } from '../../src/text/identifiers.ts';
import { type Block, type Message, sameMessage } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import type { Step } from '../support/wire-steps.ts';
import { exchange, type Session, session } from './evidence-support.ts';

/*
 * Evidence by brute force: for each identifier of each action, every text of every message is searched
 * from the beginning, and every marker is followed anew.
 */

type Status = 'kept' | 'recoverable' | 'mutated' | 'lost';

/** String values and long numbers of parsed JSON; strings that are JSON themselves are opened up. */
function values(written: string): string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(written);
  } catch {
    return [written];
  }
  const collect = (part: unknown): string[] => {
    if (typeof part === 'number')
      return String(part).replace(/\D/g, '').length > 3 ? [`${part}`] : [];
    if (typeof part === 'string') return /^\s*[[{"]/.test(part) ? values(part) : [part];
    if (part === null || typeof part !== 'object') return [];
    return Object.values(part).flatMap(collect);
  };
  return collect(parsed);
}

function blockTexts(block: Block): readonly string[] {
  if (block.kind === 'text') return [block.text];
  if (block.kind === 'tool-call') return values(block.arguments);
  return block.kind === 'tool-result' ? block.texts : [];
}

const textsOf = (message: Message) => message.blocks.flatMap(blockTexts);

/** Escapes undone, character by character. */
function clean(text: string): string {
  let out = '';
  let index = 0;
  while (index < text.length) {
    if (text[index] !== '\\') {
      out += text[index++];
      continue;
    }
    while (text[index] === '\\') index++;
    const code = /^u([\da-fA-F]{4})/.exec(text.slice(index));
    if (code !== null) {
      out += String.fromCharCode(Number.parseInt(code[1] ?? '', 16));
      index += 5;
    } else if (text[index] === '/') {
      out += '/';
      index++;
    } else {
      out += ' ';
      const byte = /^x[\da-fA-F]{2}/.exec(text.slice(index));
      if (byte !== null) index += 3;
      else if ('abefnrtvdwsDWSB0"\''.includes(text[index] ?? ' ')) index++;
    }
  }
  return out;
}

/** Whether a text has the name, or has it as it reads when a backslash is no escape. */
function has(text: string, name: string): boolean {
  if (containsIdentifier(clean(text), name)) return true;
  return text
    .split('\\')
    .slice(1)
    .some((part) => {
      const [first] = identifiersIn(part);
      return first?.start === 0 && first.value === name;
    });
}

function readings(texts: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const text of texts) {
    for (const { value } of identifiersIn(clean(text))) {
      if (!found.has(value)) found.set(value, [value]);
    }
    for (const part of text.split('\\').slice(1)) {
      const [first] = identifiersIn(part);
      if (first?.start !== 0) continue;
      const rest = identifiersIn(first.value.slice(1))[0]?.value ?? '';
      const known = found.get(rest);
      if (known?.length === 1) known.push(first.value);
    }
  }
  return found;
}

function isReachable(
  messages: readonly Message[],
  stash: Stash,
  names: readonly string[],
): boolean {
  const seen = new Set<string>();
  const open = messages.flatMap(textsOf).flatMap(markersIn);
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    const entry = stash.entry(key);
    if (seen.has(key) || entry === undefined) continue;
    seen.add(key);
    const texts =
      entry.kind === 'text'
        ? [entry.text]
        : entry.list.slice(entry.from, entry.to).flatMap(textsOf);
    if (texts.some((text) => names.some((name) => has(text, name)))) return true;
    open.push(...texts.flatMap(markersIn));
  }
  return false;
}

const folded = (name: string) => name.toLowerCase().replace(/[-_./]/g, '');

function isChangedForm(word: string, name: string): boolean {
  if (folded(word) === folded(name)) return true;
  if (word.length >= name.length || word.length < Math.max(4, name.length / 2)) return false;
  return name.startsWith(word) || name.endsWith(word);
}

function words(text: string): string[] {
  const runs = text.split(/[^\p{L}\p{M}\p{N}_./-]+/u).map((run) => {
    return run.replace(/^[-.]+/, '').replace(/[-./]+$/, '');
  });
  return [...runs, ...identifiersIn(text).map(({ value }) => value)].filter((word) => word !== '');
}

function bruteForce(
  { requests }: Transcript,
  stash: Stash,
  index: number,
  after: readonly Message[],
): Record<string, Status> {
  const before = requests[index]?.messages ?? [];
  const action = requests[index]?.action;
  const start = before.findIndex(({ role }) => role !== 'system');
  const held = before.slice(start < 0 ? before.length : start).flatMap(textsOf);
  const inserted = after
    .filter((message) => !before.some((other) => sameMessage(message, other)))
    .flatMap(textsOf);
  const calls = (action?.blocks ?? []).filter(({ kind }) => kind === 'tool-call');
  const found: Record<string, Status> = {};
  for (const [, names] of readings(calls.flatMap(blockTexts))) {
    const value = names.find((name) => held.some((text) => has(text, name)));
    if (value === undefined) continue;
    const isKept = after.flatMap(textsOf).some((text) => names.some((name) => has(text, name)));
    if (isKept) found[value] = 'kept';
    else if (isReachable(after, stash, names)) found[value] = 'recoverable';
    else {
      const isChanged = inserted.flatMap(words).some((word) => isChangedForm(word, value));
      found[value] = isChanged ? 'mutated' : 'lost';
    }
  }
  return found;
}

// Names that are near to one another, so that a careless comparison takes one for another.
const name = fc.constantFrom(
  ...['u12', 'u123', 'U12', 'u_12', 'x/u12', '4821', '48219', 'user_id', 'userId', 'user-id.x'],
  ...[
    'src/a.ts',
    '/repo/src/a.ts',
    'a.ts',
    '.env',
    'order_7781',
    'ORDER-7781',
    'order_77',
    'café_1',
  ],
  ...['new_dir', 'nnew_dir', 'b1', 'user', 'the', 'userid', 'order', '7781'],
);
const glue = fc.constantFrom(
  ...[' ', ', ', '. ', '\n', '("', '`', '漢字', '😀', '-', '/', '=', '\\n', '\\\\n', '\\"', '\\/'],
  ...['\\', 'C:\\', '\\u00e9', '\\x1b', '\\d', '<<cg:0123456789abcdef>>'],
);
const text = fc
  .array(fc.tuple(glue, name), { minLength: 2, maxLength: 5 })
  .map((parts) => parts.flat().join(''));
const input = fc.oneof(
  text,
  fc.record({
    path: text,
    more: fc.array(text, { maxLength: 2 }),
    n: fc.constantFrom(4821, 48219, 12),
  }),
  text.map((inner) => ({ body: JSON.stringify({ inner }) })),
);
const step: fc.Arbitrary<(number: number) => Step> = fc.oneof(
  text.map((said) => (): Step => ({ kind: 'user', text: said })),
  text.map((said) => (): Step => ({ kind: 'note', text: said })),
  fc.tuple(input, text).map(
    ([given, result]) =>
      (number: number) =>
        exchange(number, given, result),
  ),
  fc.tuple(input, text).map(
    ([given, result]) =>
      (number: number) =>
        exchange(number, given, result),
  ),
);
const steps = fc
  .array(step, { minLength: 4, maxLength: 9 })
  .map((made) => made.map((make, number) => make(number)));

/** What a rewrite does to the list at a place, which is taken modulo the list's length. */
const operation = fc.record({
  kind: fc.constantFrom('drop', 'mask', 'stash', 'summary', 'paraphrase', 'paraphrase', 'earlier'),
  at: fc.oneof(fc.nat(2), fc.nat(20)),
  count: fc.integer({ min: 1, max: 12 }),
  text,
});
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

/** The text with its names in another case, without separators, or cut. */
function changed(content: string, way: number): string {
  if (way % 3 === 0) return content.toUpperCase();
  if (way % 3 === 1) return content.replace(/[-_./]/g, '');
  return content.replace(/[\w./-]+/g, (word) => word.slice(0, -1));
}

/** Drops, masks and paraphrases; a stashed span may hold earlier markers. */
function rewrite(
  given: Session,
  messages: readonly Message[],
  operations: readonly Operation[],
  earlier: readonly Message[],
): readonly Message[] {
  let list = [...messages];
  for (const { kind, at, count, text: said } of operations) {
    const from = list.length === 0 ? 0 : at % list.length;
    const to = Math.min(list.length, from + count);
    const key = () => given.stash.putMessages([...list], from, to);
    const content = list.slice(from, to).flatMap(textsOf).join('\n');
    const made: Record<Operation['kind'], () => Message[]> = {
      drop: () => [],
      mask: () => [given.user(`${content.slice(0, 12)} <<cg:${given.stash.putText(content)}>>`)],
      stash: () => [given.user(`<<cg:${key()}>>`)],
      summary: () => [given.user(said)],
      paraphrase: () => [given.user(changed(content, at))],
      earlier: () => earlier.slice(at % (earlier.length + 1)).slice(0, count),
    };
    list = [...list.slice(0, from), ...made[kind](), ...list.slice(to)];
  }
  return list;
}

test('by the index is what it is by brute force, on 1,000 sessions', () => {
  const seen: Record<string, number> = {};
  fc.assert(
    fc.property(
      fc.constantFrom('anthropic' as const, 'openai-chat' as const),
      steps,
      fc.array(fc.array(operation, { maxLength: 3 }), { minLength: 1, maxLength: 4 }),
      (dialect, given, plans) => {
        const made = session(dialect, given);
        const tracker = new EvidenceTracker(made.transcript, made.stash);
        let earlier: readonly Message[] = [];
        for (const [index, { messages }] of made.transcript.requests.entries()) {
          const plan = plans[index % plans.length] ?? [];
          const after = plan.length === 0 ? messages : rewrite(made, messages, plan, earlier);
          const { action } = tracker.at(index, after);
          const found = (action?.used ?? []).map(({ value, status }) => [value, status]);
          expect(Object.fromEntries(found)).toEqual(
            bruteForce(made.transcript, made.stash, index, after),
          );
          for (const [, status = ''] of found) seen[status] = (seen[status] ?? 0) + 1;
          earlier = after;
        }
      },
    ),
    { numRuns: 1000 },
  );
  // The sessions are of use only where everything happens often.
  for (const status of ['kept', 'recoverable', 'mutated', 'lost']) {
    expect(seen[status], status).toBeGreaterThan(50);
  }
});
