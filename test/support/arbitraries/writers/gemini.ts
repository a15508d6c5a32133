import type { Call, Exchange, Script } from '../script.ts';
import { Raw, type Wire } from '../spelling.ts';
import { outputText } from '../texts.ts';
import { type Entry, host, maybe, model, numbered, PIXEL, TASK, type Writer } from './entry.ts';

/** Gemini generateContent: no system entries, all responses of a turn in one content, in order. */
export const geminiWriter: Writer = {
  entries(script) {
    const entries: Entry[] = [host({ role: 'user', parts: [{ text: TASK }] })];
    for (const { step, number } of numbered(script)) {
      if (step.kind === 'user') {
        entries.push(host({ role: 'user', parts: [{ text: step.text }, ...media(step.media)] }));
        continue;
      }
      const lead = [
        ...maybe(step.thinking, (text) => ({ text, thought: true })),
        ...(step.server === 'none' ? [] : codeParts()),
      ];
      if (step.kind === 'answer') {
        entries.push(
          model({ role: 'model', parts: [...lead, { text: step.text }] }),
          host({ role: 'user', parts: [{ text: step.next }] }),
        );
      } else entries.push(...exchange(step, number, lead, script));
    }
    return entries;
  },
};

function media(kind: 'none' | 'image' | 'document'): Wire[] {
  if (kind === 'none') return [];
  if (kind === 'image') return [{ inlineData: { mimeType: 'image/png', data: PIXEL } }];
  return [{ fileData: { mimeType: 'application/pdf', fileUri: 'https://files.test/1' } }];
}

function codeParts(): Wire[] {
  return [
    { executableCode: { language: 'PYTHON', code: 'print(1)' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  ];
}

function exchange(step: Exchange, number: number, lead: readonly Wire[], script: Script): Entry[] {
  const isSigned = script.model === 'gemini-3-pro' || step.thinking !== undefined;
  const idOf = (index: number) => {
    // Most hosts send none; those that do may count anew in each turn.
    if (!step.spread) return {};
    return { id: script.repeatedIds ? `call-${index}` : `call-${number}-${index}` };
  };
  const calls = step.calls.map(({ name, input }, index) => ({
    functionCall: { ...idOf(index), name, args: new Raw(input) },
    ...(isSigned && index === 0 ? { thoughtSignature: `c2ln${number}` } : {}),
  }));
  const responses = step.calls.map((call, index) => ({
    functionResponse: { ...idOf(index), name: call.name, response: response(call) },
  }));
  return [
    model({ role: 'model', parts: [...lead, ...maybe(step.said, (text) => ({ text })), ...calls] }),
    host({ role: step.reversed ? 'function' : 'user', parts: responses }),
    ...maybe(step.after, (text) => host({ role: 'user', parts: [{ text }] })),
  ];
}

function response({ output, isError, image, special }: Call): Wire {
  const text = outputText(output);
  if (isError) return { error: text || 'failed' };
  if (special) return { content: text, lines: new Raw('1e2') };
  return image ? { result: text, kind: 'image' } : { output: text };
}
