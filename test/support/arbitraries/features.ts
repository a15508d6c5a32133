import { bindsThinking } from '../../../src/shape/models.ts';
import {
  type Block,
  type DialectName,
  hasToolCall,
  hasToolResult,
  isUserTurn,
  type Message,
  resultText,
  sameMessage,
} from '../../../src/transcript/message.ts';
import type { Session } from './sessions.ts';

/** What a session may have, told from its messages alone and not from how it was made. */
export const features: Readonly<Record<string, (session: Session) => boolean>> = {
  'parallel calls': (session) => some(session, ({ blocks }) => blocks.filter(isCall).length > 1),
  'sequential calls': (session) =>
    pairs(session, (a, b) => hasToolResult(a) && !isUserTurn(a) && hasToolCall(b)),
  'results spread over messages': (session) =>
    pairs(session, (a, b) => hasToolResult(a) && hasToolResult(b)),
  'text after results': (session) =>
    some(session, (message) => hasToolResult(message) && isUserTurn(message)) ||
    pairs(session, (a, b) => hasToolResult(a) && isUserTurn(b) && !hasToolResult(b)),
  'recurring system messages': ({ lists }) =>
    (lists.at(-1) ?? []).slice(1).filter(({ role }) => role === 'system').length > 1,
  thinking: (session) => anyBlock(session, ({ kind }) => kind === 'thinking'),
  signatures: (session) =>
    anyBlock(session, (block) => block.kind === 'thinking' && block.signature !== undefined) ||
    some(session, ({ raw }) => raw.includes('thoughtSignature')),
  'thinking that a model binds': (session) =>
    bindsThinking(session.context.model) && anyBlock(session, ({ kind }) => kind === 'thinking'),
  'server tools': (session) => anyBlock(session, (block) => 'server' in block),
  'a program over several turns': (session) =>
    some(session, ({ blocks }) => blocks[0]?.kind === 'tool-result' && 'server' in blocks[0]),
  'other calls than of functions': (session) =>
    some(session, ({ raw }) => raw.includes('custom_tool_call')),
  images: (session) =>
    anyBlock(session, (block) => block.kind === 'media' && block.type === 'image'),
  documents: (session) =>
    anyBlock(session, (block) => block.kind === 'media' && block.type === 'document'),
  'media in a result': (session) =>
    anyBlock(session, (block) => block.kind === 'tool-result' && block.media.length > 0),
  errors: (session) =>
    anyBlock(session, (block) =>
      block.kind === 'tool-result'
        ? block.isError || resultText(block).startsWith('Error: ')
        : false,
    ),
  'empty results': (session) =>
    anyBlock(session, (block) => block.kind === 'tool-result' && resultText(block) === ''),
  'large outputs': (session) => outputs(session).some((text) => text.length > 500),
  'outputs that repeat': (session) => {
    const large = outputs(session).filter((text) => text.length > 100);
    return new Set(large).size < large.length;
  },
  'cache marks': (session) => some(session, hasMark),
  'marks that move': ({ lists }) =>
    lists.some((list, index) =>
      list.some((message, at) => {
        const now = lists[index + 1]?.[at];
        return now !== undefined && sameMessage(message, now) && message.raw !== now.raw;
      }),
    ),
  'ids that repeat': (session) => {
    const ids = (session.lists.at(-1) ?? []).flatMap(({ blocks }) =>
      blocks.flatMap((block) => (isCall(block) && 'id' in block ? block.id : [])),
    );
    return new Set(ids).size < ids.length;
  },
  'a turn in two messages': (session) =>
    pairs(session, (a, b) => a.role === 'assistant' && b.role === 'assistant'),
  emoji: (session) => some(session, ({ raw }) => /\p{Extended_Pictographic}/u.test(raw)),
  'numbers that JavaScript respells': (session) => some(session, ({ raw }) => raw.includes('1e3')),
  'a very short list': ({ lists }) => (lists[0]?.length ?? 0) <= 2,
  'a very long list': ({ lists }) => (lists.at(-1)?.length ?? 0) >= 60,
  'requests that grow': ({ lists }) => lists.length >= 4,
  'an edited prefix': ({ lists }) =>
    lists.some((list, index) => {
      const next = lists[index + 1];
      return next !== undefined && list.some((message, at) => !isKept(message, next[at]));
    }),
  'a prefilled answer': ({ lists }) => lists.at(-1)?.at(-1)?.role === 'assistant',
};

/** Features that a wire has no place for, or that its provider refuses. */
export const absentFeatures: { readonly [Name in DialectName]: readonly string[] } = {
  anthropic: ['other calls than of functions', 'ids that repeat'],
  'openai-chat': [
    ...[
      'signatures',
      'thinking that a model binds',
      'server tools',
      'a program over several turns',
    ],
    ...['other calls than of functions', 'media in a result', 'cache marks', 'marks that move'],
    ...['a turn in two messages', 'a prefilled answer'],
  ],
  'openai-responses': [
    ...[
      'thinking that a model binds',
      'a program over several turns',
      'cache marks',
      'marks that move',
    ],
    ...['a turn in two messages', 'a prefilled answer'],
  ],
  gemini: [
    ...['results spread over messages', 'recurring system messages', 'thinking that a model binds'],
    ...['a program over several turns', 'other calls than of functions', 'media in a result'],
    ...['cache marks', 'marks that move', 'a turn in two messages', 'a prefilled answer'],
  ],
  bedrock: [
    ...['results spread over messages', 'recurring system messages', 'thinking that a model binds'],
    ...['server tools', 'a program over several turns', 'other calls than of functions'],
    ...['a turn in two messages', 'a prefilled answer'],
  ],
};

function isCall(block: Block): boolean {
  return block.kind === 'tool-call' && block.server !== true;
}

function hasMark({ raw }: Message): boolean {
  return raw.includes('cache_control') || raw.includes('cachePoint');
}

function isKept(message: Message, now: Message | undefined): boolean {
  return now !== undefined && sameMessage(message, now);
}

function some({ lists }: Session, is: (message: Message) => boolean): boolean {
  return lists.some((list) => list.some(is));
}

function pairs({ lists }: Session, is: (a: Message, b: Message) => boolean): boolean {
  return (lists.at(-1) ?? []).some((message, index, list) => {
    const next = list[index + 1];
    return next !== undefined && is(message, next);
  });
}

function anyBlock(session: Session, is: (block: Block) => boolean): boolean {
  return some(session, ({ blocks }) => blocks.some(is));
}

function outputs({ lists }: Session): string[] {
  return (lists.at(-1) ?? []).flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'tool-result' ? [resultText(block)] : [])),
  );
}
