import type { Exchange, Script } from '../script.ts';
import { Raw, type Wire } from '../spelling.ts';
import { outputText } from '../texts.ts';
import {
  type Entry,
  host,
  maybe,
  model,
  numbered,
  ordered,
  PIXEL,
  TASK,
  type Writer,
} from './entry.ts';

/** OpenAI Chat Completions: system messages anywhere, results as messages of role tool. */
export const openaiChatWriter: Writer = {
  entries(script) {
    const entries: Entry[] = [host({ role: 'user', content: TASK })];
    if (script.system)
      entries.unshift(host({ role: 'system', content: 'You are a careful agent.' }));
    for (const { step, number } of numbered(script)) {
      if (step.kind === 'user') {
        entries.push(host({ role: 'user', content: userContent(step.text, step.media) }));
        continue;
      }
      if (step.note) {
        const role = number % 2 === 0 ? 'system' : 'developer';
        entries.push(host({ role, content: 'Reminder: be brief.' }));
      }
      if (step.kind === 'answer') {
        entries.push(
          model({ role: 'assistant', content: step.text, ...reasoning(step.thinking) }),
          host({ role: 'user', content: step.next }),
        );
      } else entries.push(...exchange(step, number, script));
    }
    return entries;
  },
};

function reasoning(thinking: string | undefined): Wire {
  return thinking === undefined ? {} : { reasoning_content: thinking };
}

function userContent(text: string, media: 'none' | 'image' | 'document'): unknown {
  if (media === 'none') return text;
  const image = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${PIXEL}`, detail: 'low' },
  };
  const file = {
    type: 'file',
    file: { filename: 'plan.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' },
  };
  return [{ type: 'text', text }, media === 'image' ? image : file];
}

function exchange(step: Exchange, number: number, script: Script): Entry[] {
  const ids = step.calls.map((_, index) =>
    script.repeatedIds ? `functions.call:${index}` : `call_${number}_${index}`,
  );
  const calls = step.calls.map(({ name, input }, index) => ({
    id: ids[index],
    type: 'function',
    function: { name, arguments: input },
  }));
  const results = step.calls.map(({ output, isError }, index) => {
    const text = outputText(output);
    const content = isError ? `Error: ${text}` : text;
    return host({
      role: 'tool',
      tool_call_id: ids[index],
      content: step.spread ? [{ type: 'text', text: content }] : content,
    });
  });
  return [
    model({
      role: 'assistant',
      content: step.said ?? new Raw('null'),
      ...reasoning(step.thinking),
      tool_calls: calls,
    }),
    ...ordered(results, step.reversed),
    ...maybe(step.after, (text) => host({ role: 'user', content: text })),
  ];
}
