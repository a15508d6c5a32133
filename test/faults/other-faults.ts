import type { Message } from '../../src/transcript/message.ts';
import { type Fault, ruleFault } from './fault.ts';
import { editFault, type Json, outputFault, spanFault } from './naive.ts';

/** Ways to make a request that Gemini or Bedrock refuses. */

const gemini = (rule: string, name: string, bind: Parameters<typeof ruleFault>[3]): Fault =>
  ruleFault(rule, 'gemini', name, bind);
const bedrock = (rule: string, name: string, bind: Parameters<typeof ruleFault>[3]): Fault =>
  ruleFault(rule, 'bedrock', name, bind);

function listed(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The right summary with the parts, or the blocks, of one retained message changed. */
function partFault(
  key: 'parts' | 'content',
  edit: (parts: readonly Json[], message: Message) => readonly Json[] | undefined,
) {
  return editFault(([value = {}], message) => {
    const edited = edit(listed(value[key]), message);
    return edited === undefined ? undefined : [{ ...value, [key]: edited }];
  });
}

const has = (key: string) => (part: Json) => key in part;
const hasCall = ({ blocks }: Message) =>
  blocks.some((block) => block.kind === 'tool-call' && block.server !== true);

/** One part fewer; undefined where there is none. */
function less(parts: readonly Json[], is: (part: Json) => boolean): readonly Json[] | undefined {
  const at = parts.findIndex(is);
  return at < 0 ? undefined : [...parts.slice(0, at), ...parts.slice(at + 1)];
}

export const otherFaults: readonly Fault[] = [
  gemini(
    'G-ORDER-1',
    'the user turn in front of a call is dropped',
    spanFault(({ head, tail, text, make }) => {
      const [first] = tail;
      if (first === undefined || !hasCall(first)) return undefined;
      return [...head, make({ role: 'model', parts: [{ text }] }), ...tail];
    }),
  ),
  gemini(
    'G-ORDER-2',
    'a call is dropped and its response kept',
    spanFault((cut) => {
      const kept = cut.summarized();
      const at = kept.findIndex(hasCall);
      return at < 0 ? undefined : [...kept.slice(0, at), ...kept.slice(at + 1)];
    }),
  ),
  gemini(
    'G-COUNT',
    'one of two parallel responses is dropped',
    partFault('parts', (parts) =>
      parts.filter(has('functionResponse')).length < 2
        ? undefined
        : less(parts, has('functionResponse')),
    ),
  ),
  gemini(
    'G-EMPTY',
    'the parts of a content are all dropped',
    spanFault(({ head, tail, make }) => [...head, make({ role: 'user', parts: [] }), ...tail]),
  ),
  gemini(
    'G-SIG-1',
    'thought signatures are stripped',
    partFault('parts', (parts) =>
      parts.some(has('thoughtSignature'))
        ? parts.map(({ thoughtSignature: _, ...part }) => part)
        : undefined,
    ),
  ),
  gemini(
    'G-SIG-2',
    'the arguments of a signed call are shortened',
    partFault('parts', (parts) =>
      parts.some(has('thoughtSignature'))
        ? parts.map((part) =>
            'thoughtSignature' in part
              ? { ...part, functionCall: { name: 'run', args: { short: 1 } } }
              : part,
          )
        : undefined,
    ),
  ),
  gemini(
    'G-END',
    'the summary is the last content, said by the model',
    spanFault(({ head, text, make }) => [...head, make({ role: 'model', parts: [{ text }] })]),
  ),
  bedrock(
    'B-ALT',
    'the summary is a user turn behind a user turn',
    spanFault(({ head, tail, text, make }) => [
      ...head,
      make({ role: 'user', content: [{ text }] }),
      ...tail,
    ]),
  ),
  bedrock(
    'B-FIRST',
    'the first user turn is dropped',
    spanFault(({ tail }) => (tail[0]?.role === 'assistant' ? tail : undefined)),
  ),
  bedrock(
    'B-PAIR-1',
    'one of two parallel results is dropped',
    partFault('content', (blocks) =>
      blocks.filter(has('toolResult')).length < 2 ? undefined : less(blocks, has('toolResult')),
    ),
  ),
  bedrock(
    'B-PAIR-2',
    'a call is written as text and its result kept',
    partFault('content', (blocks) => {
      const at = blocks.findIndex(has('toolUse'));
      return at < 0 ? undefined : blocks.with(at, { text: 'called a tool' });
    }),
  ),
  bedrock(
    'B-BLANK',
    'an output is reduced to white space',
    outputFault(([value = {}]) => [
      {
        ...value,
        content: listed(value.content).map((block) => {
          const { toolResult } = block;
          if (typeof toolResult !== 'object' || toolResult === null) return block;
          return { toolResult: { ...toolResult, content: [{ text: ' ' }] } };
        }),
      },
    ]),
  ),
  bedrock(
    'B-INPUT',
    'the input of a call is shortened as text',
    partFault('content', (blocks) => {
      const at = blocks.findIndex(has('toolUse'));
      const toolUse = blocks[at]?.toolUse;
      if (typeof toolUse !== 'object' || toolUse === null) return undefined;
      return blocks.with(at, { toolUse: { ...toolUse, input: '{"path": …' } });
    }),
  ),
  bedrock(
    'B-MIX',
    'the summary is joined to a turn of tool results',
    spanFault(({ head, span, tail, text, make }) => {
      const results = span.findIndex(
        ({ blocks }) => blocks.length > 0 && blocks.every(({ kind }) => kind === 'tool-result'),
      );
      const turn = span[results];
      if (turn === undefined || results < 1 || tail[0]?.role === 'user') return undefined;
      const value: unknown = JSON.parse(turn.raw);
      const content =
        typeof value === 'object' && value !== null && 'content' in value
          ? listed(value.content)
          : [];
      return [
        ...head,
        ...span.slice(0, results),
        make({ role: 'user', content: [...content, { text: text.slice(0, 12) }] }),
        ...tail,
      ];
    }),
  ),
];
