import type { Message } from '../../src/transcript/message.ts';
import { type Fault, ruleFault } from './fault.ts';
import { editFault, itemsOf, type Json, outputFault, spanFault, type Twist } from './naive.ts';

/** Ways to make a request that Anthropic refuses, one for each rule that a rewrite can break. */

function blocksOf(items: readonly Json[]): readonly Json[] {
  const content = items[0]?.content;
  return Array.isArray(content) ? content : [];
}

function withBlocks(items: readonly Json[], blocks: readonly Json[]): readonly Json[] {
  return [{ ...items[0], content: blocks }];
}

function isThinking({ type }: Json): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

const isResult = ({ type }: Json): boolean => type === 'tool_result';
const isCall = ({ type }: Json): boolean => type === 'tool_use';

/** The right summary with the blocks of one retained message changed; undefined or the same: not this one. */
function blockFault(
  edit: (blocks: readonly Json[], message: Message) => readonly Json[] | undefined,
) {
  return editFault((items, message) => {
    const edited = edit(blocksOf(items), message);
    return edited === undefined ? undefined : withBlocks(items, edited);
  });
}

/** The summary said by another message than a user's. */
function summaryAs(
  value: (text: string) => object,
  where: (cut: Parameters<Twist>[0]) => boolean = () => true,
) {
  return spanFault((cut) =>
    where(cut) ? [...cut.head, cut.make(value(cut.text)), ...cut.tail] : undefined,
  );
}

function firstOf(
  blocks: readonly Json[],
  is: (block: Json) => boolean,
  to: (block: Json) => Json | undefined,
): readonly Json[] | undefined {
  const at = blocks.findIndex(is);
  if (at < 0) return undefined;
  return blocks.flatMap((block, index): Json[] => {
    const now = index === at ? to(block) : block;
    return now === undefined ? [] : [now];
  });
}

/** Positions of an assistant message with calls and after its results. */
function exchangeIn(
  list: readonly Message[],
): { readonly call: number; readonly end: number } | undefined {
  const call = list.findIndex(({ blocks }) =>
    blocks.some((block) => block.kind === 'tool-call' && block.server !== true),
  );
  if (call < 0) return undefined;
  let end = call + 1;
  while (list[end]?.blocks.some(({ kind }) => kind === 'tool-result')) end++;
  return end === call + 1 ? undefined : { call, end };
}

const on = (rule: string, name: string, bind: Parameters<typeof ruleFault>[3]): Fault =>
  ruleFault(rule, 'anthropic', name, bind);

/** The first three bugs of the public record; the fourth is one of `propertyFaults`. */
export const systemSummary = summaryAs(
  (content) => ({ role: 'system', content }),
  ({ tail }) => tail[0]?.role === 'user',
);

export const keptResult = spanFault(({ list, head, text, context }) => {
  const found = exchangeIn(list);
  if (found === undefined) return undefined;
  return [
    ...head.slice(0, 1),
    context.dialect.userText(text, context.table),
    ...list.slice(found.call + 1),
  ];
});

export const keptCall = spanFault(({ list, text, context }) => {
  const found = exchangeIn(list);
  if (found === undefined) return undefined;
  const before = list.slice(0, found.call + 1);
  return [...before, context.dialect.userText(text, context.table), ...list.slice(found.end)];
});

export const anthropicFaults: readonly Fault[] = [
  on('A-SYS-2', 'a summary with role system in front of the kept tail', systemSummary),
  on('A-PAIR-2', 'a span that cuts a tool_use and keeps its result', keptResult),
  on('A-PAIR-1', 'a span that keeps a tool_use and cuts its results', keptCall),
  on(
    'A-PAIR-1',
    'one of two parallel results is dropped',
    blockFault((blocks) =>
      blocks.filter(isResult).length < 2 ? undefined : firstOf(blocks, isResult, () => undefined),
    ),
  ),
  on(
    'A-PAIR-1',
    'the summary stands between a call and its result',
    spanFault(({ list, head, tail, text, context }) => {
      const found = exchangeIn(tail);
      if (found === undefined || list.length === 0) return undefined;
      const say = context.dialect.userText(text, context.table);
      return [...head, ...tail.slice(0, found.call + 1), say, ...tail.slice(found.call + 1)];
    }),
  ),
  on(
    'A-SYS-1',
    'a system summary behind an assistant turn that was made up',
    spanFault(({ head, tail, text, make }) =>
      tail[0]?.role === 'assistant'
        ? [
            ...head,
            make({ role: 'assistant', content: 'Understood.' }),
            make({ role: 'system', content: text }),
            ...tail,
          ]
        : undefined,
    ),
  ),
  on(
    'A-SYS-3',
    'a system summary in place of the first user turn',
    spanFault(({ tail, text, make }) =>
      tail[0]?.role === 'user' ? [make({ role: 'system', content: text }), ...tail] : undefined,
    ),
  ),
  on(
    'A-PAIR-3',
    'two summaries as results of a call with one id',
    spanFault(({ head, tail, text, make }) => {
      const call = { type: 'tool_use', id: 'toolu_summary', name: 'recall', input: {} };
      const result = { type: 'tool_result', tool_use_id: 'toolu_summary', content: text };
      const pair = [
        make({ role: 'assistant', content: [call] }),
        make({ role: 'user', content: [result] }),
      ];
      return tail[0]?.role === 'assistant' ? [...head, ...pair, ...pair, ...tail] : undefined;
    }),
  ),
  on(
    'A-PAIR-4',
    'a pointer is added beside the result, not in its place',
    blockFault((blocks) => {
      const first = blocks.find(isResult);
      if (first === undefined) return undefined;
      return [
        { type: 'tool_result', tool_use_id: first.tool_use_id, content: 'see above' },
        ...blocks,
      ];
    }),
  ),
  on(
    'A-ROLE-1',
    'a summary with role tool',
    summaryAs((content) => ({ role: 'tool', content })),
  ),
  on(
    'A-SRV-1',
    'the result of a server tool is dropped',
    blockFault((blocks) =>
      firstOf(
        blocks,
        ({ type }) => type === 'web_search_tool_result',
        () => undefined,
      ),
    ),
  ),
  on(
    'A-SRV-2',
    'the program that made a call is dropped',
    blockFault((blocks) =>
      blocks.some(isCall)
        ? firstOf(
            blocks,
            ({ type, name }) => type === 'server_tool_use' && name === 'code_execution',
            () => undefined,
          )
        : undefined,
    ),
  ),
  on(
    'A-THINK-1',
    'the latest turn is summarized and an older one becomes the latest beside its thinking',
    spanFault(({ list }) => {
      const last = list.findLastIndex(({ role }) => role === 'assistant');
      const kept = list.slice(0, last);
      return kept.some(({ blocks }) => blocks.some(({ kind }) => kind === 'thinking'))
        ? kept
        : undefined;
    }),
  ),
  on(
    'A-THINK-2',
    'thinking of an older turn without its signature',
    spanFault((cut) => {
      const kept = cut.summarized();
      const latest = kept.findLastIndex(({ role }) => role === 'assistant');
      const at = kept.findIndex(({ raw }) => raw.includes('signature'));
      const message = kept[at];
      if (message === undefined || at === latest) return undefined;
      const items = itemsOf(message);
      const blocks = blocksOf(items).map(({ signature: _, ...block }) => block);
      return kept.with(at, cut.make(...withBlocks(items, blocks)));
    }),
  ),
  on(
    'A-THINK-3',
    'what followed the thinking of the last turn is dropped',
    blockFault((blocks) =>
      blocks.some(isThinking) && !blocks.some(isCall) ? blocks.filter(isThinking) : undefined,
    ),
  ),
  on(
    'A-THINK-4',
    'all thinking is stripped although the request asks for it',
    spanFault((cut) =>
      cut.summarized().map((message) => {
        if (!message.blocks.some(({ kind }) => kind === 'thinking')) return message;
        const items: unknown = JSON.parse(message.raw);
        const value: Json = typeof items === 'object' && items !== null ? { ...items } : {};
        const rest = blocksOf([value]).filter((block) => !isThinking(block));
        return rest.length === 0 ? message : cut.make({ ...value, content: rest });
      }),
    ),
  ),
  on(
    'A-THINK-5',
    'a summary before thinking that is bound to its past',
    spanFault((cut) => cut.summarized()),
  ),
  on(
    'A-EMPTY-1',
    'an output is emptied',
    outputFault((items) => emptied(items, '')),
  ),
  on(
    'A-EMPTY-2',
    'an output is reduced to white space',
    outputFault((items) => emptied(items, ' \n')),
  ),
  on(
    'A-EMPTY-3',
    'an empty summary',
    summaryAs(() => ({ role: 'user', content: '' })),
  ),
  on(
    'A-EMPTY-4',
    'the text of an error is dropped and its flag kept',
    outputFault((items) =>
      blocksOf(items).some(({ is_error }) => is_error === true)
        ? withBlocks(
            items,
            blocksOf(items).map((block) =>
              block.is_error === true ? { ...block, content: '' } : block,
            ),
          )
        : undefined,
    ),
  ),
  on(
    'A-EMPTY-5',
    "a summary as the provider's own compaction block, empty",
    summaryAs(() => ({ role: 'user', content: [{ type: 'compaction', content: '' }] })),
  ),
  on(
    'A-END-1',
    'the summary is the last message, said by the assistant',
    spanFault(({ head, text, make }) => [...head, make({ role: 'assistant', content: text })]),
  ),
  on(
    'A-END-2',
    'the last message is an assistant turn that ends in a line end',
    spanFault(({ head, text, make }) => [
      ...head,
      make({ role: 'assistant', content: `${text}\n` }),
    ]),
  ),
  on(
    'A-FIRST-1',
    'the first user turn is dropped',
    spanFault(({ tail }) => (tail[0]?.role === 'assistant' ? tail : undefined)),
  ),
  on(
    'A-MIN-1',
    'nothing is left',
    spanFault(() => []),
  ),
  on(
    'A-CACHE-1',
    'a fifth cache mark',
    summaryAs((text) => ({
      role: 'user',
      content: ['1', '2', '3', '4', '5'].map((part) => ({
        type: 'text',
        text: `${part} ${part === '1' ? text : ''}.`,
        cache_control: { type: 'ephemeral' },
      })),
    })),
  ),
  on(
    'A-CACHE-2',
    'a cache mark moves to thinking',
    blockFault((blocks) =>
      firstOf(blocks, isThinking, (block) => ({ ...block, cache_control: { type: 'ephemeral' } })),
    ),
  ),
  on(
    'A-CACHE-3',
    'a mark of one hour behind one of five minutes',
    summaryAs((text) => ({
      role: 'user',
      content: ['5m', '1h'].map((ttl) => ({
        type: 'text',
        text: `${ttl} ${text}`,
        cache_control: { type: 'ephemeral', ttl },
      })),
    })),
  ),
  on(
    'A-ID-1',
    'call ids are made unique with a colon',
    spanFault((cut) => {
      const kept = cut.summarized();
      const renamed = kept.map((message) => {
        const raw = message.raw.replaceAll('"toolu_', '"call:toolu_');
        return raw === message.raw
          ? message
          : cut.context.dialect.parseMessage(raw, cut.context.table);
      });
      return renamed.some((message, index) => message !== kept[index]) ? renamed : undefined;
    }),
  ),
  on(
    'A-INPUT-1',
    'the input of a call is shortened as text',
    blockFault((blocks) => firstOf(blocks, isCall, (block) => ({ ...block, input: '{"path": …' }))),
  ),
  on(
    'A-EXTRA-1',
    'bookkeeping is sent with the summary',
    summaryAs((content) => ({ role: 'user', content, compacted: true })),
  ),
  on(
    'X-UNI-1',
    'an output is cut in the middle of an emoji',
    outputFault((items) => {
      const content = blocksOf(items).find(isResult)?.content;
      if (typeof content !== 'string') return undefined;
      return withBlocks(
        items,
        blocksOf(items).map((block) =>
          isResult(block) ? { ...block, content: content.slice(0, 7) } : block,
        ),
      );
    }),
  ),
  on(
    'X-BYTE-1',
    'retained messages are written with their keys in another order',
    spanFault((cut) =>
      cut.summarized().map((message) => {
        const items: unknown = JSON.parse(message.raw);
        const entries = Object.entries(typeof items === 'object' && items !== null ? items : {});
        return cut.make(Object.fromEntries(entries.reverse()));
      }),
    ),
  ),
];

function emptied(items: readonly Json[], text: string): readonly Json[] {
  const content = [{ type: 'text', text }];
  return withBlocks(
    items,
    blocksOf(items).map((block) => (isResult(block) ? { ...block, content } : block)),
  );
}
