import type { MessageTable } from '../transcript/intern.ts';
import {
  type Block,
  type DialectName,
  type Media,
  type Message,
  plainText,
} from '../transcript/message.ts';
import { dialectOf } from './catalog.ts';
import { type Conversion, convertTurn, Notes } from './translate-blocks.ts';
import { type Target, targets } from './translate-targets.ts';
import { joinTurns, pairTurns, type Turn, turnsOf } from './translate-turns.ts';

/** A list in another dialect. */
export interface Translation {
  readonly messages: readonly Message[];
  /** Text of the leading system messages, where the target's list has no place for them. */
  readonly system?: string;
  /** What was left out or respelled, each with how often. */
  readonly notes: readonly string[];
}

/** Stands in front of a conversation that an assistant begins, where the target asks for a user turn. */
const START = '(start of the conversation)';

/**
 * Writes a list in another dialect, so that what is valid in the one is valid in the other. The result
 * depends on the list alone, and into its own dialect a list is itself: the same objects.
 *
 * - Tool ids that repeat, or that a provider refuses, are renamed in both halves; a result stands right
 *   behind its call; a result without a call becomes a text of the user. Unanswered calls are kept.
 * - Where the list has no place for system messages, the leading ones are returned apart and each
 *   other one becomes a user's text that begins with `[system]`.
 * - An assistant's calls stand behind what it says, since some wires take no text between call and result.
 * - Blank texts go, and a message that would then be empty says `(empty)`.
 * - Thinking goes between Anthropic and Bedrock only, and only signed. The provider's own tools, and
 *   media that the target cannot carry, become text. Cache marks go.
 */
export function translate(
  messages: readonly Message[],
  from: DialectName,
  to: DialectName,
  table: MessageTable,
): Translation {
  if (from === to) return { messages, notes: [] };
  const target = targets[to];
  const notes = new Notes();
  const apart = target.systemInList ? 0 : leadingSystem(messages);
  const paired = pairTurns(turnsOf(messages.slice(apart)), target);
  notes.add('tool ids renamed', paired.renamedIds);
  notes.add('results without a call written as text', paired.orphanResults);
  const carries = carrying(messages, target);
  const conversion: Conversion = { from, to, target, notes, carries };
  const converted = paired.turns
    .map((turn) => (target.systemInList ? turn : systemAsUser(turn, notes)))
    .flatMap((turn) => convertTurn(turn, conversion));
  const started = messages.length === 0 ? converted : withStart(converted, target, notes);
  const joined = joinTurns(started, target.joins).map(callsLast);
  const turns = withoutFinalThinking(joined, notes);
  const dialect = dialectOf(to);
  const system = messages.slice(0, apart).map(plainText).join('\n\n');
  return {
    messages: turns.flatMap(({ role, blocks }) =>
      dialect.write(role, withDocumentText(blocks, target), table, paired.names),
    ),
    ...(system === '' ? {} : { system }),
    notes: notes.list(),
  };
}

function leadingSystem(messages: readonly Message[]): number {
  const first = messages.findIndex((message) => message.role !== 'system');
  return first < 0 ? messages.length : first;
}

function systemAsUser(turn: Turn, notes: Notes): Turn {
  if (turn.role !== 'system') return turn;
  const text = turn.blocks
    .flatMap((block) => (block.kind === 'text' ? [block.text] : []))
    .join('\n');
  if (text.trim() === '') return turn;
  notes.add('system messages written as user text');
  const rest = turn.blocks.filter((block) => block.kind !== 'text');
  return { role: 'user', blocks: [{ kind: 'text', text: `[system] ${text}` }, ...rest] };
}

function withStart(turns: readonly Turn[], target: Target, notes: Notes): readonly Turn[] {
  if (!target.startsWithUser || turns[0]?.role === 'user') return turns;
  notes.add('user turn put in front');
  return [{ role: 'user', blocks: [{ kind: 'text', text: START }] }, ...turns];
}

/** Some wires take nothing between a call and its result, also not what the model said beside it. */
function callsLast(turn: Turn): Turn {
  if (turn.role !== 'assistant') return turn;
  const isCall = (block: Block) => block.kind === 'tool-call';
  const first = turn.blocks.findIndex(isCall);
  if (first < 0 || turn.blocks.slice(first).every(isCall)) return turn;
  const rest = turn.blocks.filter((block) => !isCall(block));
  return { ...turn, blocks: [...rest, ...turn.blocks.filter(isCall)] };
}

/** A final assistant turn may not end in thinking. */
function withoutFinalThinking(turns: readonly Turn[], notes: Notes): readonly Turn[] {
  const last = turns.at(-1);
  if (last?.role !== 'assistant') return turns;
  const end = last.blocks.findLastIndex((block) => block.kind !== 'thinking') + 1;
  if (end === last.blocks.length) return turns;
  notes.add('thinking left out', last.blocks.length - end);
  const kept = turns.slice(0, -1);
  return end === 0 ? kept : [...kept, { ...last, blocks: last.blocks.slice(0, end) }];
}

/** What the target carries, given how many images the list has. */
function carrying(messages: readonly Message[], target: Target): (media: Media) => boolean {
  const { manyImagesSide } = target;
  if (manyImagesSide === undefined || imageCount(messages) <= MANY_IMAGES) return target.carries;
  return (media) =>
    target.carries(media) && Math.max(media.width ?? 0, media.height ?? 0) <= manyImagesSide;
}

const MANY_IMAGES = 20;

function imageCount(messages: readonly Message[]): number {
  let count = 0;
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.kind === 'media') count++;
      else if (block.kind === 'tool-result') count += block.media.length;
    }
  }
  return count;
}

function withDocumentText(blocks: readonly Block[], target: Target): readonly Block[] {
  if (!target.documentNeedsText) return blocks;
  const isDocument = (block: Block) => block.kind === 'media' && block.type === 'document';
  if (!blocks.some(isDocument) || blocks.some((block) => block.kind === 'text')) return blocks;
  return [...blocks, { kind: 'text', text: '[document]' }];
}
