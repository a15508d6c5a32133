import type { Call, Exchange, Script, ServerUse } from '../script.ts';
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

/** Anthropic Messages: unique ids, notes between a user's and an assistant's turn, signed thinking. */
export const anthropicWriter: Writer = {
  entries(script) {
    const entries: Entry[] = [host({ role: 'user', content: TASK })];
    for (const { step, number } of numbered(script)) {
      if (step.kind === 'user') {
        entries.push(host({ role: 'user', content: userBlocks(step.text, step.media) }));
        continue;
      }
      if (step.note) entries.push(host({ role: 'system', content: `Reminder: be brief.` }));
      const thought = thinkingBlocks(step.thinking, number, script);
      if (step.kind === 'answer') {
        const search = step.server === 'none' ? [] : searchBlocks(number);
        entries.push(
          model({ role: 'assistant', content: [...thought, ...search, textBlock(step.text)] }),
          host({ role: 'user', content: step.next }),
        );
      } else entries.push(...exchange(step, number, thought));
    }
    if (script.prefill && (script.model ?? 'claude-3').match(/-3|4-5/) && !script.manualThinking) {
      entries.push(host({ role: 'assistant', content: 'So far' }));
    }
    return entries;
  },
  marked(entries, lifetime) {
    const last = entries.findLastIndex(({ value }) => value.role === 'user');
    return entries.map((entry, index) =>
      index === 0 || index === last ? { ...entry, value: withMark(entry.value, lifetime) } : entry,
    );
  },
};

function textBlock(text: string): Wire {
  return { type: 'text', text };
}

function userBlocks(text: string, media: 'none' | 'image' | 'document'): unknown {
  if (media === 'none') return text;
  const source =
    media === 'image'
      ? { type: 'base64', media_type: 'image/png', data: PIXEL }
      : { type: 'text', media_type: 'text/plain', data: 'A plan of the work.' };
  return [textBlock(text), { type: media, source }];
}

function thinkingBlocks(text: string | undefined, number: number, script: Script): Wire[] {
  const said = text ?? (script.manualThinking ? 'hm' : undefined);
  if (said === undefined) return [];
  if (said === 'why not') return [{ type: 'redacted_thinking', data: `cmVkYWN0ZWQ${number}` }];
  return [{ type: 'thinking', thinking: said, signature: `c2lnbmVk${number}` }];
}

function searchBlocks(number: number): Wire[] {
  const found = {
    type: 'web_search_result',
    title: 'found',
    url: 'https://a.test/',
    encrypted_content: 'e',
  };
  return [
    {
      type: 'server_tool_use',
      id: `srvtoolu_${number}`,
      name: 'web_search',
      input: { query: 'q' },
    },
    { type: 'web_search_tool_result', tool_use_id: `srvtoolu_${number}`, content: [found] },
  ];
}

function programBlock(number: number): Wire {
  const input = { code: 'await read()' };
  return { type: 'server_tool_use', id: `srvtoolu_${number}`, name: 'code_execution', input };
}

function exchange(step: Exchange, number: number, thought: readonly Wire[]): Entry[] {
  const ids = step.calls.map((_, index) => `toolu_${number}_${index}`);
  const caller =
    step.server === 'program'
      ? { type: 'code_execution', tool_id: `srvtoolu_${number}` }
      : undefined;
  const calls = step.calls.map(({ name, input }, index) => ({
    type: 'tool_use',
    id: ids[index],
    name,
    input: new Raw(input),
    ...(caller === undefined ? {} : { caller }),
  }));
  const said = [...thought, ...serverBlocks(step.server, number), ...maybe(step.said, textBlock)];
  const isSplit = step.split && said.length > 0;
  const turn = isSplit
    ? [model({ role: 'assistant', content: said }), model({ role: 'assistant', content: calls })]
    : [model({ role: 'assistant', content: [...said, ...calls] })];
  const results = ordered(
    step.calls.map((call, index) => resultBlock(call, ids[index] ?? '')),
    step.reversed,
  );
  // While a program waits for its calls, nothing but their results may be sent.
  const after = step.server === 'program' ? [] : maybe(step.after, textBlock);
  const answers = step.spread
    ? [...results, ...after].map((block) => host({ role: 'user', content: [block] }))
    : [host({ role: 'user', content: [...results, ...after] })];
  if (step.server !== 'program') return [...turn, ...answers];
  const ended = {
    type: 'code_execution_tool_result',
    tool_use_id: `srvtoolu_${number}`,
    content: { type: 'code_execution_result', stdout: 'read', stderr: '', return_code: 0 },
  };
  return [
    ...turn,
    ...answers,
    model({ role: 'assistant', content: [ended, textBlock('The program ended.')] }),
    host({ role: 'user', content: step.after ?? 'go on' }),
  ];
}

function serverBlocks(server: ServerUse, number: number): Wire[] {
  if (server === 'search') return searchBlocks(number);
  return server === 'program' ? [programBlock(number)] : [];
}

function resultBlock({ output, isError, image }: Call, id: string): Wire {
  const text = outputText(output);
  if (isError) {
    return { type: 'tool_result', tool_use_id: id, content: text || 'failed', is_error: true };
  }
  if (image) {
    const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
    const texts = text === '' ? [] : [textBlock(text)];
    return { type: 'tool_result', tool_use_id: id, content: [...texts, { type: 'image', source }] };
  }
  if (output.kind === 'empty') return { type: 'tool_result', tool_use_id: id };
  return { type: 'tool_result', tool_use_id: id, content: text };
}

/** The message with a mark on its last block; a string content becomes one block. */
function withMark(value: Wire, lifetime: 'short' | 'long'): Wire {
  const content = typeof value.content === 'string' ? [textBlock(value.content)] : value.content;
  if (!Array.isArray(content)) return value;
  const mark = lifetime === 'long' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
  const last: Wire = { ...content.at(-1), cache_control: mark };
  return { ...value, content: [...content.slice(0, -1), last] };
}
