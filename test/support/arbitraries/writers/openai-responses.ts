import type { Call, Exchange, Script } from '../script.ts';
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

/** OpenAI Responses: items; reasoning leads what the model wrote, and outputs follow in any order. */
export const openaiResponsesWriter: Writer = {
  entries(script) {
    const entries: Entry[] = [host({ role: 'user', content: TASK })];
    if (script.system)
      entries.unshift(host({ role: 'developer', content: 'You are a careful agent.' }));
    for (const { step, number } of numbered(script)) {
      if (step.kind === 'user') {
        const content = [{ type: 'input_text', text: step.text }, ...media(step.media)];
        entries.push(host({ type: 'message', role: 'user', content }));
        continue;
      }
      if (step.note) entries.push(host({ role: 'system', content: 'Reminder: be brief.' }));
      const lead = [
        ...maybe(step.thinking, (text) => model(reasoningItem(text, number))),
        ...(step.server === 'none' ? [] : [model(searchItem(number))]),
      ];
      if (step.kind === 'answer') {
        entries.push(
          ...lead,
          model(messageItem(step.text, number)),
          host({ role: 'user', content: step.next }),
        );
      } else entries.push(...lead, ...exchange(step, number, script));
    }
    return entries;
  },
};

function media(kind: 'none' | 'image' | 'document'): Wire[] {
  if (kind === 'none') return [];
  if (kind === 'image') return [imagePart()];
  const file_data = 'data:application/pdf;base64,JVBERi0xLjQK';
  return [{ type: 'input_file', filename: 'plan.pdf', file_data }];
}

function imagePart(): Wire {
  return { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` };
}

function reasoningItem(text: string, number: number): Wire {
  const summary = [{ type: 'summary_text', text }];
  return { type: 'reasoning', id: `rs_${number}`, summary, encrypted_content: `ZW5j${number}` };
}

function searchItem(number: number): Wire {
  const action = { type: 'search', query: 'q' };
  return { type: 'web_search_call', id: `ws_${number}`, status: 'completed', action };
}

function messageItem(text: string, number: number): Wire {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { type: 'message', id: `msg_${number}`, role: 'assistant', content };
}

function exchange(step: Exchange, number: number, script: Script): Entry[] {
  const ids = step.calls.map((_, index) =>
    script.repeatedIds ? `call_${index}` : `call_${number}_${index}`,
  );
  const calls = step.calls.map((call, index) =>
    model(callItem(call, ids[index] ?? '', `${number}_${index}`)),
  );
  const results = step.calls.map((call, index) => host(outputItem(call, ids[index] ?? '')));
  return [
    ...maybe(step.said, (text) => model(messageItem(text, number))),
    ...calls,
    ...ordered(results, step.reversed),
    ...maybe(step.after, (text) => host({ role: 'user', content: text })),
  ];
}

function callItem({ name, input, special }: Call, callId: string, suffix: string): Wire {
  if (special) {
    return {
      type: 'custom_tool_call',
      id: `ctc_${suffix}`,
      call_id: callId,
      name,
      input: `run ${name}`,
    };
  }
  return {
    type: 'function_call',
    id: `fc_${suffix}`,
    call_id: callId,
    name,
    arguments: input,
    status: new Raw('"completed"'),
  };
}

function outputItem({ output, isError, image, special }: Call, callId: string): Wire {
  const text = outputText(output);
  if (special) return { type: 'custom_tool_call_output', call_id: callId, output: text };
  return {
    type: 'function_call_output',
    call_id: callId,
    output: image ? [{ type: 'input_text', text: text || 'an image' }, imagePart()] : text,
    ...(isError ? { status: 'failed' } : {}),
  };
}
