import { identifiersIn } from '../text/identifiers.ts';
import type { ModelRequest } from './model.ts';

/** How the stub asks for a detail: by the words that stand before it. */
const QUESTION = /Which name stands right after the words "([^"\n]+)"\?/;

/** Words before a name that tell it from the others. */
const WORDS = 4;

/** Where a prompt says how many questions to write. */
const COUNT = /^Questions to write: (\d+)/m;

export function asksForQuestions({ purpose, prompt }: ModelRequest): boolean {
  return purpose === 'probe' && COUNT.test(prompt);
}

/**
 * Questions about the text of a prompt, as a JSON array: each asks for an identifier by the words before it,
 * evenly over the text; an identifier that the words hold too, or that they point to twice, is not asked for.
 */
export function stubQuestions(prompt: string): string {
  const count = Number(COUNT.exec(prompt)?.[1] ?? 3);
  const text = /<text>\n([\s\S]*)\n<\/text>/.exec(prompt)?.[1] ?? prompt;
  const words = text.split(/\s+/);
  const found = new Map<string, string>();
  const pointed = new Map<string, number>();
  for (let index = WORDS; index < words.length; index++) {
    const before = words.slice(index - WORDS, index).join(' ');
    pointed.set(before, (pointed.get(before) ?? 0) + 1);
    const name = identifiersIn(words[index] ?? '')[0]?.value;
    if (name === undefined || before.includes('"') || before.includes(name)) continue;
    found.set(before, name);
  }
  const all = [...found].filter(([before]) => pointed.get(before) === 1);
  const step = Math.max(1, Math.floor(all.length / count));
  return JSON.stringify(
    all
      .filter((_, index) => index % step === 0)
      .slice(0, count)
      .map(([before, answer]) => ({
        question: `Which name stands right after the words "${before}"?`,
        answer,
      })),
  );
}

/**
 * The name that a list of texts has behind the words of a question; `undefined` where it has none, and where
 * nothing is asked in this form.
 *
 * @param texts the entries before the question's own
 */
export function stubAnswer(question: string, texts: readonly string[]): string | undefined {
  const wanted = QUESTION.exec(question)?.[1];
  if (wanted === undefined) return undefined;
  for (const text of texts) {
    const read = text.replace(/\s+/g, ' ');
    const at = read.indexOf(`${wanted} `);
    if (at < 0) continue;
    const next = read.slice(at + wanted.length + 1).split(' ', 1)[0] ?? '';
    const name = identifiersIn(next)[0]?.value;
    if (name !== undefined) return name;
  }
  return undefined;
}
