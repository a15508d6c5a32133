import { createHash } from 'node:crypto';
import type { MarkLifetime } from '../model/caching.ts';
import { isBillingHeader } from '../recordings/surroundings.ts';
import { flatCopy } from '../text/flat-copy.ts';
import { countTokens, type TokenizerName } from '../text/tokens.ts';
import type { Block, DialectName, Message } from '../transcript/message.ts';
import { type Counting, isCachePoint, messageTokens } from '../transcript/message-tokens.ts';
import type { Envelope } from '../transcript/transcript.ts';
import { canonicalJson } from '../wire/canonical.ts';
import { isObject } from '../wire/json-object.ts';
import { elements, member, members, rootSpan, slice } from '../wire/json-spans.ts';

/**
 * A prompt in the pieces that a provider's cache can tell apart: tool declarations, blocks of the system
 * prompt, blocks of messages, in this order. Equal pieces have equal keys, cache marks aside.
 */
export interface Pieces {
  readonly keys: readonly string[];
  /** Tokens of each. */
  readonly tokens: readonly number[];
}

/** A cache mark behind the piece of this index. */
export interface Mark {
  readonly piece: number;
  readonly lifetime: MarkLifetime;
}

export interface MessagePieces extends Pieces {
  /** Of each, whether it is thinking, which the model may have dropped. */
  readonly thinking: readonly boolean[];
}

const MEMO_KEYS: Readonly<Record<TokenizerName, string>> = {
  o200k_base: 'cost-pieces:o200k_base',
  cl100k_base: 'cost-pieces:cl100k_base',
};

/** One piece a block; computed once for each distinct message, from the tokens that are counted anyway. */
export function messagePieces(message: Message, counting: Counting): MessagePieces {
  const { memo } = message.identity;
  const name = MEMO_KEYS[counting.tokenizer];
  const known = memo.get(name) as MessagePieces | undefined;
  if (known !== undefined) return known;
  const blocks = message.blocks.filter((block) => !isCachePoint(block));
  const pieces: MessagePieces = {
    keys: blocks.map((block) => digest(`${message.role}\0${blockText(block)}`)),
    tokens: messageTokens(message, counting).blocks,
    thinking: blocks.map(({ kind }) => kind === 'thinking'),
  };
  memo.set(name, pieces);
  return pieces;
}

/** What a block says, so that neither a cache mark nor the spelling of a string matters. */
function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
      return `text\0${block.text}`;
    case 'thinking':
      return `thinking\0${block.text}\0${block.signature ?? ''}`;
    case 'tool-call':
      return `call\0${block.id}\0${block.name}\0${block.arguments}`;
    case 'tool-result': {
      const media = block.media.map(({ raw }) => unmarked(raw));
      return JSON.stringify([block.id, block.isError, block.texts, media]);
    }
    case 'media':
    case 'other':
      return `${block.kind}\0${unmarked(block.raw)}`;
  }
}

function unmarked(raw: string): string {
  return raw.includes('cache_control') ? canonicalJson(raw, JSON.parse(raw)) : raw;
}

const marksOf = new WeakMap<Message, readonly Mark[]>();
const NO_MARKS: readonly Mark[] = [];

/** Cache marks in the message's own bytes, by the pieces that they stand behind. */
export function messageMarks(message: Message, dialect: DialectName): readonly Mark[] {
  let marks = marksOf.get(message);
  if (marks === undefined) {
    const mayHave = message.raw.includes('cache_control') || message.raw.includes('cachePoint');
    marks = mayHave ? readMarks(message, dialect) : NO_MARKS;
    marksOf.set(message, marks);
  }
  return marks;
}

function readMarks({ raw, blocks }: Message, dialect: DialectName): readonly Mark[] {
  if (dialect === 'openai-responses' || dialect === 'gemini') return NO_MARKS;
  const value: unknown = JSON.parse(raw);
  const content = isObject(value) ? value.content : undefined;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  if (dialect === 'bedrock') return cachePoints(parts);
  const last = blocks.length - 1;
  // On a chat wire, reasoning comes first in a message and is no part of its content.
  const before = dialect === 'openai-chat' && blocks[0]?.kind === 'thinking' ? 1 : 0;
  const marks = parts.flatMap((part, index): Mark[] => {
    const lifetime = lifetimeIn(part);
    return lifetime === undefined ? [] : [{ piece: Math.min(last, before + index), lifetime }];
  });
  const own = dialect === 'openai-chat' ? lifetimeOf(value) : undefined;
  return own === undefined ? marks : [...marks, { piece: last, lifetime: own }];
}

/** Bedrock's marks are blocks of their own, behind what they mark. */
function cachePoints(parts: readonly unknown[]): readonly Mark[] {
  const marks: Mark[] = [];
  let piece = -1;
  for (const part of parts) {
    if (!isObject(part) || !('cachePoint' in part)) piece++;
    else if (piece >= 0) {
      const { cachePoint } = part;
      const isLong = isObject(cachePoint) && cachePoint.ttl === '1h';
      marks.push({ piece, lifetime: isLong ? '1h' : '5m' });
    }
  }
  return marks;
}

function lifetimeOf(value: unknown): MarkLifetime | undefined {
  if (!isObject(value) || !isObject(value.cache_control)) return undefined;
  return value.cache_control.ttl === '1h' ? '1h' : '5m';
}

/** The mark of a block, or the last of those inside a tool result. */
function lifetimeIn(part: unknown): MarkLifetime | undefined {
  const own = lifetimeOf(part);
  if (own !== undefined || !isObject(part) || !Array.isArray(part.content)) return own;
  return part.content.map(lifetimeOf).findLast((lifetime) => lifetime !== undefined);
}

/** What stands before the list. */
export interface Prefix extends Pieces {
  readonly marks: readonly Mark[];
  /** A mark of the whole request: it stands behind the last block of the list. */
  readonly automatic?: MarkLifetime;
  /** How many of the pieces are tool declarations. */
  readonly tools: number;
}

const NO_PREFIX: Prefix = { keys: [], tokens: [], marks: [], tools: 0 };

/** Reads envelopes; texts that several of them share are read once. */
export class PrefixReader {
  readonly #tokenizer: TokenizerName;
  readonly #dialect: DialectName;
  readonly #known = new Map<Envelope, Prefix>();
  readonly #byText = new Map<string, Prefix>();

  constructor(tokenizer: TokenizerName, dialect: DialectName) {
    this.#tokenizer = tokenizer;
    this.#dialect = dialect;
  }

  read(envelope: Envelope | undefined): Prefix {
    if (envelope === undefined) return NO_PREFIX;
    let found = this.#known.get(envelope);
    if (found === undefined) {
      const { system = '', tools = '' } = envelope;
      const automatic = requestMark(envelope);
      const key = JSON.stringify([system, tools, automatic]);
      found = this.#byText.get(key) ?? this.#compose(system, tools, automatic);
      this.#byText.set(key, found);
      this.#known.set(envelope, found);
    }
    return found;
  }

  #compose(system: string, tools: string, automatic: MarkLifetime | undefined): Prefix {
    const declared = this.#pieces('tool', entriesOf(tools, 'tools'), (raw, value) =>
      canonicalJson(raw, value),
    );
    const said = this.#pieces(
      'system',
      entriesOf(system, 'parts').filter(([, value]) => !isBillingHeader(value)),
      (raw, value) => {
        if (typeof value === 'string') return value;
        return isObject(value) && typeof value.text === 'string' ? value.text : raw;
      },
    );
    const tool = declared.keys.length;
    return {
      keys: [...declared.keys, ...said.keys],
      tokens: [...declared.tokens, ...said.tokens],
      marks: [
        ...declared.marks,
        ...said.marks.map(({ piece, lifetime }) => ({ piece: piece + tool, lifetime })),
      ],
      tools: tool,
      ...(automatic === undefined ? {} : { automatic }),
    };
  }

  #pieces(
    kind: string,
    entries: readonly Entry[],
    textOf: (raw: string, value: unknown) => string,
  ): Pieces & { readonly marks: readonly Mark[] } {
    const isPoint = ([, value]: Entry) => isObject(value) && 'cachePoint' in value;
    const kept = this.#dialect === 'bedrock' ? entries.filter((entry) => !isPoint(entry)) : entries;
    const texts = kept.map(([raw, value]) => textOf(raw, value));
    const marks =
      this.#dialect === 'bedrock'
        ? cachePoints(entries.map(([, value]) => value))
        : kept.flatMap(([, value], piece): Mark[] => {
            const lifetime = lifetimeOf(value);
            return lifetime === undefined ? [] : [{ piece, lifetime }];
          });
    return {
      keys: texts.map((text) => digest(`${kind}\0${text}`)),
      tokens: texts.map((text) => countTokens(text, this.#tokenizer)),
      marks,
    };
  }
}

type Entry = readonly [raw: string, value: unknown];

/** Entries of an array, or of the array that an object holds under `key`; else the value alone. */
function entriesOf(raw: string, key: string): readonly Entry[] {
  if (raw === '' || raw === 'null') return [];
  const root = rootSpan(raw);
  const list = raw[root.start] === '{' ? member(raw, root, key) : root;
  if (list === undefined || raw[list.start] !== '[') return [[raw, JSON.parse(raw)]];
  return elements(raw, list).map((span) => {
    const text = slice(raw, span);
    return [text, JSON.parse(text)];
  });
}

/** The mark of the request itself, which the provider sets behind the last block. */
function requestMark({ head, tail }: Envelope): MarkLifetime | undefined {
  if (!head.includes('cache_control') && !tail.includes('cache_control')) return undefined;
  const body = `${head}${tail}`;
  const found = members(body, rootSpan(body)).findLast(({ key }) => key === 'cache_control');
  if (found === undefined) return undefined;
  return lifetimeOf({ cache_control: JSON.parse(slice(body, found.value)) });
}

function digest(text: string): string {
  return flatCopy(createHash('sha256').update(text, 'utf8').digest('base64').slice(0, 20));
}
