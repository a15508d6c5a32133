import { createHash } from 'node:crypto';
import { pushAll } from '../text/long-lists.ts';
import {
  type Block,
  type Message,
  type Role,
  resultText,
  type ToolResult,
} from '../transcript/message.ts';
import type { Target } from './translate-targets.ts';

/** A stretch of a conversation that all wires know; results stand apart from what a user says. */
export interface Turn {
  readonly role: Role;
  readonly blocks: readonly Block[];
  /** Results of an exchange that still waits for others: nothing but results may follow its calls. */
  readonly isPartial?: true;
}

/** Turns in which each call is followed by its results, under ids that occur once. */
export interface PairedTurns {
  readonly turns: readonly Turn[];
  /** Tool names by call id. */
  readonly names: ReadonlyMap<string, string>;
  readonly renamedIds: number;
  readonly orphanResults: number;
}

function isClientResult(block: Block): block is ToolResult {
  return block.kind === 'tool-result' && block.server !== true;
}

/** A message is one turn; its client results are one of their own (`tool`), in front of the rest. */
export function turnsOf(messages: readonly Message[]): Turn[] {
  return messages.flatMap(({ role, blocks }) => {
    const results = blocks.filter(isClientResult);
    if (results.length === 0) return [{ role: role === 'tool' ? 'user' : role, blocks }];
    const rest = blocks.filter((block) => !isClientResult(block));
    const own: Turn = { role: role === 'tool' ? 'user' : role, blocks: rest };
    const turns: Turn[] = [{ role: 'tool', blocks: results }];
    return rest.length === 0 ? turns : role === 'assistant' ? [own, ...turns] : [...turns, own];
  });
}

interface OpenCall {
  readonly turn: number;
  readonly position: number;
  readonly id: string;
}

/**
 * Pairs calls and results by id and position, since ids repeat within real transcripts: a result
 * answers the first waiting call of that id in the latest turn that has one. It moves right behind
 * its call, and what a user said between the two comes after. A result without a call becomes a text of
 * the user, since no wire takes it.
 */
export function pairTurns(turns: readonly Turn[], target: Target): PairedTurns {
  const ids = new CallIds();
  const names = new Map<string, string>();
  const open = new Map<string, OpenCall[]>();
  const answers = turns.map((): { readonly position: number; readonly result: ToolResult }[] => []);
  let orphanResults = 0;
  const kept = turns.map((turn, index): Turn => {
    if (turn.role === 'assistant') {
      const blocks = turn.blocks.map((block, position): Block => {
        if (block.kind !== 'tool-call' || block.server === true) return block;
        const id = ids.take(block.id);
        const name = legalName(block.name, target);
        names.set(id, name);
        const waiting = open.get(block.id);
        const call = { turn: index, position, id };
        if (waiting === undefined) open.set(block.id, [call]);
        else waiting.push(call);
        return { ...block, id, name };
      });
      return { ...turn, blocks };
    }
    if (turn.role !== 'tool') return turn;
    const orphans: Block[] = [];
    for (const result of turn.blocks) {
      if (!isClientResult(result)) continue;
      const call = takeCall(open, result.id);
      if (call !== undefined) {
        answers[call.turn]?.push({ position: call.position, result: { ...result, id: call.id } });
      } else {
        orphanResults++;
        orphans.push(
          { kind: 'text', text: `[tool result] ${resultText(result)}` },
          ...result.media,
        );
      }
    }
    return { role: 'user', blocks: orphans };
  });
  const paired = kept.flatMap((turn, index): readonly Turn[] => {
    if (turns[index]?.role === 'tool') return turn.blocks.length === 0 ? [] : [turn];
    const given = answers[index] ?? [];
    if (given.length === 0) return [turn];
    const sorted = target.ordersResults
      ? [...given].sort((a, b) => a.position - b.position)
      : given;
    const results: Turn = { role: 'tool', blocks: sorted.map(({ result }) => result) };
    const calls = turn.blocks.filter((block) => block.kind === 'tool-call' && !block.server);
    return [turn, given.length < calls.length ? { ...results, isPartial: true } : results];
  });
  return { turns: paired, names, renamedIds: ids.renamed, orphanResults };
}

function takeCall(open: Map<string, OpenCall[]>, id: string): OpenCall | undefined {
  const waiting = open.get(id);
  const latest = waiting?.at(-1)?.turn;
  if (waiting === undefined || latest === undefined) return undefined;
  const at = waiting.findIndex((call) => call.turn === latest);
  const [call] = waiting.splice(at, 1);
  return call;
}

/** The name as a provider of the target takes it. */
export function legalName(name: string, target: Target): string {
  const legal = name.replace(target.badNameCharacters, '_').slice(0, LONGEST_ID);
  return legal === '' ? 'tool' : legal;
}

/** Longest call id and tool name that all providers take. */
const LONGEST_ID = 64;

/**
 * Ids that every provider takes and that occur once. An id depends on the calls before it alone, so that
 * a longer conversation has the ids of the shorter one.
 */
class CallIds {
  renamed = 0;
  readonly #used = new Set<string>();
  readonly #next = new Map<string, number>();

  take(recorded: string): string {
    const base = legalId(recorded);
    let id = base;
    for (let number = this.#next.get(base) ?? 2; this.#used.has(id); number++) {
      const suffix = `_${number}`;
      id = `${base.slice(0, LONGEST_ID - suffix.length)}${suffix}`;
      this.#next.set(base, number + 1);
    }
    this.#used.add(id);
    if (id !== recorded) this.renamed++;
    return id;
  }
}

function legalId(recorded: string): string {
  const legal = recorded.replace(/[^a-zA-Z0-9_-]/g, '_');
  if (legal === '') return 'call';
  if (legal.length <= LONGEST_ID) return legal;
  const digest = createHash('sha256').update(recorded, 'utf8').digest('hex').slice(0, 16);
  return `${legal.slice(0, LONGEST_ID - 17)}_${digest}`;
}

/** Joins neighbours as the target asks; results stay apart from a user's turn unless roles must alternate. */
export function joinTurns(turns: readonly Turn[], joins: Target['joins']): readonly Turn[] {
  if (joins === 'none') return turns;
  const kindOf = (turn: Turn) => (joins === 'role' && turn.role === 'tool' ? 'user' : turn.role);
  const joined: { role: Role; blocks: Block[] }[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (last !== undefined && last.role === kindOf(turn)) pushAll(last.blocks, turn.blocks);
    else joined.push({ role: kindOf(turn), blocks: [...turn.blocks] });
  }
  return joined;
}
