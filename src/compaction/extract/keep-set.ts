import { identifiersIn } from '../../text/identifiers.ts';
import { isUserTurn, type Message, plainText } from '../../transcript/message.ts';
import { userTurnsFromEnd } from '../../transcript/message-tokens.ts';
import type { Context } from '../component.ts';

/** What a reduction is made toward. */
export interface KeepSet {
  /** Identifiers of the recent turns, latest first: those that an output holds must survive. */
  readonly identifiers: readonly string[];
  /** Identifiers of the task. */
  readonly task: readonly string[];
  /** Words of the task and of the latest turn, lower case. */
  readonly words: readonly string[];
}

/** Assistant turns that count as recent, beside the latest turn of the user. */
const RECENT_ASSISTANT_TURNS = 3;
/** Shorter words name nothing. */
const WORD = /\p{L}{5,}/gu;
const MOST_TERMS = 200;

/** The turns that say what the agent is doing now: never tool outputs, latest first. */
export function recentTurns(messages: readonly Message[]): Message[] {
  const recent: Message[] = [];
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.role === 'assistant') recent.push(message);
    if (recent.length === RECENT_ASSISTANT_TURNS) break;
  }
  for (const index of userTurnsFromEnd(messages)) {
    const user = messages[index];
    return user === undefined ? recent : [...recent, user];
  }
  return recent;
}

/** @param limit how many identifiers of the recent turns count */
export function keepSetOf(
  messages: readonly Message[],
  limit: number,
  context: Pick<Context, 'memo'>,
): KeepSet {
  const task = messages.find(isUserTurn);
  const recent = recentTurns(messages);
  // Of the task only projections of JSON make use.
  let words: readonly string[] | undefined;
  return {
    identifiers: firstIdentifiers(recent, limit, context),
    get task() {
      return task === undefined ? [] : identifiersOf(task, context).slice(0, MOST_TERMS);
    },
    get words() {
      words ??= distinctWords([task, recent.at(0)], context);
      return words;
    },
  };
}

/** The first identifiers of the turns, each once. */
function firstIdentifiers(
  turns: readonly Message[],
  limit: number,
  context: Pick<Context, 'memo'>,
): readonly string[] {
  const found = new Set<string>();
  for (const turn of turns) {
    for (const identifier of identifiersOf(turn, context)) {
      if (found.size >= limit) return [...found];
      found.add(identifier);
    }
  }
  return [...found];
}

function distinctWords(
  turns: readonly (Message | undefined)[],
  context: Pick<Context, 'memo'>,
): readonly string[] {
  const words = turns.flatMap((turn) => (turn === undefined ? [] : wordsOf(turn, context)));
  return [...new Set(words)].slice(0, MOST_TERMS);
}

/** What a turn says: its text and its calls, without tool outputs and thinking. */
export function turnText(message: Message): string {
  const calls = message.blocks.flatMap((block) =>
    block.kind === 'tool-call' ? [`call ${block.name} ${block.arguments}`] : [],
  );
  return [plainText(message), ...calls].filter((part) => part !== '').join('\n');
}

function wordsOf(message: Message, context: Pick<Context, 'memo'>): readonly string[] {
  return context.memo(message, 'words', () =>
    [...new Set(turnText(message).toLowerCase().match(WORD) ?? [])].slice(0, MOST_TERMS),
  );
}

function identifiersOf(message: Message, context: Pick<Context, 'memo'>): readonly string[] {
  return context.memo(message, 'identifiers', () => [
    ...new Set(identifiersIn(turnText(message)).map(({ value }) => value)),
  ]);
}
