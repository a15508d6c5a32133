import type { Call, Exchange, Script } from '../script.ts';
import { Raw, type Wire } from '../spelling.ts';
import { outputText } from '../texts.ts';
import { type Entry, maybe, numbered, ordered, PIXEL, TASK, type Writer } from './entry.ts';

/** Bedrock Converse: roles alternate, so what the user says after results stands in their turn. */
export const bedrockWriter: Writer = {
  entries(script) {
    const turns = new Turns();
    turns.join('user', [{ text: TASK }]);
    for (const { step, number } of numbered(script)) {
      if (step.kind === 'user') {
        turns.join('user', [{ text: step.text }, ...media(step.media, number)]);
        continue;
      }
      const thought = maybe(step.thinking, (text) => thinkingBlock(text, number));
      if (step.kind === 'answer') {
        turns.join('assistant', [...thought, { text: step.text }]);
        turns.join('user', [{ text: step.next }]);
      } else exchange(step, number, thought, script, turns);
    }
    return turns.entries();
  },
  marked(entries) {
    const last = entries.findLastIndex(({ value }) => value.role === 'user');
    return entries.map((entry, index) => {
      const { content } = entry.value;
      if (index !== last || !Array.isArray(content)) return entry;
      const point = { cachePoint: { type: 'default' } };
      return { ...entry, value: { ...entry.value, content: [...content, point] } };
    });
  },
};

class Turns {
  readonly #turns: { role: 'user' | 'assistant'; content: Wire[] }[] = [];

  join(role: 'user' | 'assistant', content: readonly Wire[]): void {
    const last = this.#turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else this.#turns.push({ role, content: [...content] });
  }

  entries(): readonly Entry[] {
    return this.#turns.map((value) => ({
      by: value.role === 'assistant' ? 'model' : 'host',
      value: { ...value },
    }));
  }
}

function media(kind: 'none' | 'image' | 'document', number: number): Wire[] {
  if (kind === 'none') return [];
  if (kind === 'image') return [imageBlock()];
  const source = { bytes: 'JVBERi0xLjQK' };
  return [{ document: { format: 'pdf', name: `plan ${number}`, source } }];
}

function imageBlock(): Wire {
  return { image: { format: 'png', source: { bytes: PIXEL } } };
}

function thinkingBlock(text: string, number: number): Wire {
  if (text === 'why not') return { reasoningContent: { redactedContent: `cmVk${number}` } };
  return { reasoningContent: { reasoningText: { text, signature: `c2lnbmVk${number}` } } };
}

function exchange(
  step: Exchange,
  number: number,
  thought: readonly Wire[],
  script: Script,
  turns: Turns,
): void {
  const ids = step.calls.map((_, index) =>
    script.repeatedIds ? `tooluse_${index}` : `tooluse_${number}_${index}`,
  );
  const calls = step.calls.map(({ name, input }, index) => ({
    toolUse: { toolUseId: ids[index], name, input: new Raw(input) },
  }));
  turns.join('assistant', [...thought, ...maybe(step.said, (text) => ({ text })), ...calls]);
  const results = step.calls.map((call, index) => resultBlock(call, ids[index] ?? ''));
  turns.join('user', [
    ...ordered(results, step.reversed),
    ...maybe(step.after, (text) => ({ text })),
  ]);
}

function resultBlock({ output, isError, image, special }: Call, id: string): Wire {
  const text = outputText(output);
  const texts = text === '' ? [] : [special ? { json: { said: text } } : { text }];
  const content = [...texts, ...(image ? [imageBlock()] : [])];
  return { toolResult: { toolUseId: id, content, status: isError ? 'error' : 'success' } };
}
