import { cutToTokens } from '../text/cut.ts';
import { isObject } from '../wire/json-object.ts';
import { type Asker, isFailed } from './asker.ts';
import { containsGold, normalized } from './probe-judging.ts';

/** Raised whenever a prompt or a rule of what is a good question or a right answer changes. */
export const PROBE_VERSION = 1;

/** A question about a span, and the words of the span that answer it. */
export interface Probe {
  readonly question: string;
  readonly gold: string;
}

export interface WrittenProbes {
  readonly probes: readonly Probe[];
  /** Questions that were asked for and could not be used, or were not written at all. */
  readonly dropped: number;
}

/** Longer answers are sentences, which nobody repeats word for word. */
const GOLD_CHARACTERS = 80;
const QUESTION_CHARACTERS = 400;
const REPLY_TOKENS = 1000;
/** What the model reads of a long span. */
const SPAN_TOKENS = 8000;

const SYSTEM = `You write questions that test whether somebody still knows the details of a text from an agent's work.
Each question asks for one exact detail that the text states: an identifier, a path, a number, an error code, a name, a setting.
Each question can be understood without the text in view, has exactly one right answer, and does not contain that answer.
Each answer is copied from the text character by character and has at most six words.
Reply with a JSON array and nothing else: [{"question": "...", "answer": "..."}]`;

/**
 * Has a model write questions about a span. The prompt holds nothing but the span, so every config that drops it
 * uses the same ones. A question stays only if its answer stands in the span, is short, is not given
 * away by the question, and is asked once.
 */
export async function writeProbes(
  span: string,
  questions: number,
  asker: Asker,
): Promise<WrittenProbes> {
  const read = cutToTokens(span, SPAN_TOKENS);
  const reply = await asker.text({
    purpose: 'probe',
    system: SYSTEM,
    prompt: `Questions to write: ${questions}\n\n<text>\n${read}\n</text>`,
    maxOutputTokens: REPLY_TOKENS,
  });
  const written = isFailed(reply) ? [] : probesIn(reply.text);
  const asked = new Set<string>();
  const probes: Probe[] = [];
  for (const { question, gold } of written.slice(0, questions)) {
    const isShort = gold.length <= GOLD_CHARACTERS && question.length <= QUESTION_CHARACTERS;
    const isSaid = isShort && normalized(gold) !== '' && containsGold(read, gold);
    const key = normalized(question);
    if (!isSaid || containsGold(question, gold) || key === '' || asked.has(key)) continue;
    asked.add(key);
    probes.push({ question, gold });
  }
  return { probes, dropped: questions - probes.length };
}

/** Questions of a reply; whatever stands around the array does not matter. */
function probesIn(text: string): Probe[] {
  const [start, end] = [text.indexOf('['), text.lastIndexOf(']')];
  if (start < 0 || end < start) return [];
  let entries: unknown;
  try {
    entries = JSON.parse(text.slice(start, end + 1));
  } catch {
    return [];
  }
  if (!Array.isArray(entries)) return [];
  return entries.flatMap((entry: unknown) => {
    if (!isObject(entry)) return [];
    const { question, answer } = entry;
    const gold = typeof answer === 'number' ? String(answer) : answer;
    if (typeof question !== 'string' || typeof gold !== 'string') return [];
    return [{ question: question.trim(), gold: gold.trim() }];
  });
}
