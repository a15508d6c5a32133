/**
 * The extractive summarizer behind `stub`: chooses the units of a transcript that matter most for the task
 * and names the identifiers that the chosen units leave out.
 */

import { cutToTokens } from '../text/cut.ts';
import { countTokens } from '../text/tokens.ts';
import type { MessageFacts, MessageMemo, Unit } from './message-facts.ts';
import type { SummaryPrompt } from './summary-prompt.ts';

/** Share of the length for units before identifiers get their line. */
const UNIT_SHARE = 0.7;
/** Overlap with the goal counts up to this many words of the rarest kind. */
const WORDS_OF_GOAL = 3;
const LATENESS = 1;
/** A unit gets no more for its identifiers than this, so that records do not crowd out what was said. */
const IDENTIFIERS_OF_UNIT = 10;
/** Names such as the keys of records (`first_name`) recur everywhere and are guessed more easily than ids. */
const MERE_NAME = 0.3;
/** A unit must bring a new identifier, or this share of new words. */
const NEW_WORDS = 0.4;

interface Candidate {
  readonly unit: Unit;
  /** Position in the transcript. */
  readonly index: number;
  /** Score for each token it costs, roughly. */
  readonly worth: number;
}

/** The identifiers of a transcript. The arrays are by the numbers of the memo's vocabulary. */
interface IdentifierUses {
  /** In the order of their first use. */
  readonly numbers: readonly number[];
  /** Message that has it first. */
  readonly first: Int32Array;
  /** Weight: used in several messages, and in the task or the latest turns; 0 where it is not used. */
  readonly importance: Float64Array;
}

/**
 * A summary of at most `prompt.limit` tokens: units in their original order as `- ` lines, then a line
 * `Identifiers: a, b`. Empty only when the transcript is blank or the limit is 0.
 */
export function summarizeByExtraction(prompt: SummaryPrompt, memo: MessageMemo): string {
  const { limit } = prompt;
  const messages = memo.factsOf(prompt.messages);
  const uses = identifierUses(messages, prompt, memo);
  const candidates = rank(messages, uses, prompt, memo);
  const selection = new Selection();
  selection.add(candidates, uses.numbers.length > 0 ? Math.floor(limit * UNIT_SHARE) : limit);
  const identifiers = leftOut(uses, selection).map((number) => memo.spelling(number));
  const named = identifiersThatFit(identifiers, limit - selection.tokens);
  selection.add(candidates, limit - named.tokens);
  return compose(selection.chosen, named.identifiers, limit) || shortest(candidates, prompt);
}

function identifierUses(
  messages: readonly MessageFacts[],
  prompt: SummaryPrompt,
  memo: MessageMemo,
): IdentifierUses {
  const numbers: number[] = [];
  const first = new Int32Array(memo.vocabularySize);
  const counts = new Uint32Array(memo.vocabularySize);
  for (const [index, { identifiers }] of messages.entries()) {
    for (const number of identifiers) {
      const count = counts[number] ?? 0;
      counts[number] = count + 1;
      if (count > 0) continue;
      numbers.push(number);
      first[number] = index;
    }
  }
  const inGoal = new Uint8Array(memo.vocabularySize);
  for (const number of memo.knownIdentifiers([prompt.task, prompt.recent])) inGoal[number] = 1;
  const importance = new Float64Array(memo.vocabularySize);
  for (const number of numbers) {
    const weight = memo.isMereName(number) ? MERE_NAME : 1;
    const goal = inGoal[number] === 1 ? 2 : 0;
    importance[number] = weight * (Math.log2(counts[number] ?? 1) + goal + 0.2);
  }
  return { numbers, first, importance };
}

function rank(
  messages: readonly MessageFacts[],
  { first, importance }: IdentifierUses,
  prompt: SummaryPrompt,
  memo: MessageMemo,
): Candidate[] {
  const messagesWith = new Uint32Array(memo.vocabularySize);
  for (const { words } of messages) {
    for (const word of words) messagesWith[word] = (messagesWith[word] ?? 0) + 1;
  }
  // Inverse document frequency: a word of the goal that every message has says nothing.
  const goal = new Float64Array(memo.vocabularySize);
  for (const word of memo.knownWords([prompt.task, prompt.recent])) {
    const frequency = messagesWith[word] ?? 0;
    if (frequency > 0) goal[word] = Math.log((messages.length + 1) / frequency);
  }
  const candidates: Candidate[] = [];
  for (const [position, { units }] of messages.entries()) {
    for (const unit of units) {
      if (unit.text === '') continue;
      let overlap = 0;
      for (const word of unit.words) overlap += goal[word] ?? 0;
      let weight = 0;
      for (const number of unit.identifiers) {
        weight += (importance[number] ?? 0) * (first[number] === position ? 1 : 0.6);
      }
      const score =
        unit.score +
        Math.min(overlap, WORDS_OF_GOAL * Math.log(messages.length + 1)) +
        Math.min(weight, IDENTIFIERS_OF_UNIT) +
        (LATENESS * (position + 1)) / messages.length;
      // The root lets a rich sentence win over many small ones.
      candidates.push({
        unit,
        index: candidates.length,
        worth: score / Math.sqrt(unit.tokens + 4),
      });
    }
  }
  return candidates.sort((a, b) => b.worth - a.worth || a.index - b.index);
}

class Selection {
  readonly chosen: Candidate[] = [];
  readonly identifiers = new Set<number>();
  tokens = 0;
  private readonly words = new Set<number>();
  private readonly texts = new Set<string>();

  /** Takes the candidates, best first, that say something new and keep the whole within `limit` tokens. */
  add(candidates: readonly Candidate[], limit: number): void {
    for (const candidate of candidates) {
      const { unit } = candidate;
      if (this.tokens + unit.tokens > limit || this.texts.has(unit.text) || !this.isNews(unit))
        continue;
      this.texts.add(unit.text);
      this.chosen.push(candidate);
      this.tokens += unit.tokens;
      for (const number of unit.identifiers) this.identifiers.add(number);
      for (const word of unit.words) this.words.add(word);
    }
  }

  private isNews(unit: Unit): boolean {
    if (unit.identifiers.some((number) => !this.identifiers.has(number))) return true;
    const fresh = unit.words.filter((word) => !this.words.has(word)).length;
    return fresh >= NEW_WORDS * unit.words.length;
  }
}

/** The identifiers that no chosen unit has, most important first, then the latest. */
function leftOut({ numbers, first, importance }: IdentifierUses, selection: Selection): number[] {
  const of = (values: Float64Array | Int32Array, number: number) => values[number] ?? 0;
  return numbers
    .filter((number) => !selection.identifiers.has(number))
    .sort((a, b) => of(importance, b) - of(importance, a) || of(first, b) - of(first, a));
}

function identifiersThatFit(
  identifiers: readonly string[],
  limit: number,
): { identifiers: string[]; tokens: number } {
  const taken: string[] = [];
  let tokens = countTokens('Identifiers:');
  for (const identifier of identifiers) {
    const cost = countTokens(` ${identifier},`);
    if (tokens + cost > limit) break;
    taken.push(identifier);
    tokens += cost;
  }
  return taken.length === 0 ? { identifiers: [], tokens: 0 } : { identifiers: taken, tokens };
}

/** The text within `limit`: the parts' counts may come short of the whole's, and then the last ones give way. */
function compose(chosen: readonly Candidate[], named: readonly string[], limit: number): string {
  const candidates = [...chosen];
  const identifiers = [...named];
  for (;;) {
    const lines = [...candidates]
      .sort((a, b) => a.index - b.index)
      .map(({ unit }) => `- ${unit.text}`);
    if (identifiers.length > 0) lines.push(`Identifiers: ${identifiers.join(', ')}`);
    const text = lines.join('\n');
    if (countTokens(text) <= limit) return text;
    if (identifiers.length > 0) identifiers.pop();
    else candidates.pop();
  }
}

/** Where no whole unit fits: the beginning of the best one, or of the transcript. */
function shortest(candidates: readonly Candidate[], prompt: SummaryPrompt): string {
  if (prompt.messages.length === 0) return '';
  // Without the `- ` in front, the text must not look like a message's header.
  const best = candidates[0]?.unit.text.replace(/^(?:\[\d+\]\s*)+/, '') ?? '';
  return cutToTokens(best, prompt.limit) || cutToTokens('Summary', prompt.limit);
}
