import { identifiersIn } from '../text/identifiers.ts';
import type { TurnRequest, TurnTaker, WireName } from './model.ts';
import { type TurnStep, turnReply } from './scripted-turns.ts';
import { stubAnswer } from './stub-questions.ts';
import { readTurn, type ShownCall, type TurnContent } from './turn-content.ts';

const EXPAND = 'context_guru_expand';
/** Where the question of a probe begins. */
const QUESTION = '<question>';
const MARKER = /<<cg:([0-9a-f]{16})>>/g;

/**
 * An agent of a few rules, the same under both stubs, since it stands for the agent and not for the summarizer.
 *
 * After a change, which is a call with several texts (a file and its new content), it checks as it did before:
 * it repeats the calls of the turn before. Else it goes on with the tool of the latest call, on the newest identifier of the list that this tool has not
 * been called on; without a call, with the first declared tool. Where nothing is left it gets back what
 * markers hide, if it can, and else ends its turn. A probe question it answers from the list.
 */
export function stubTurns(wire: WireName = 'anthropic'): TurnTaker {
  return {
    wire,
    ask: async (request, signal) => {
      signal.throwIfAborted();
      return turnReply(stubStep(request), request);
    },
  };
}

function stubStep(request: TurnRequest): TurnStep {
  const content = readTurn(request);
  return request.purpose === 'probe' ? probeStep(content) : actionStep(content);
}

function actionStep(content: TurnContent): TurnStep {
  const check = checkAfterChange(content);
  if (check !== undefined) return check;
  const calls = content.calls.filter(({ name }) => name !== EXPAND);
  const latest = calls.at(-1);
  const own = content.tools.filter((name) => name !== EXPAND);
  const tool = latest?.name ?? own[0];
  const key = firstKey(latest?.input) ?? 'input';
  const done = new Set(
    calls.filter(({ name }) => name === tool).flatMap(({ input }) => valuesOf(input)),
  );
  const target = newestName(content.entries, done);
  if (tool !== undefined && target !== undefined) {
    return { kind: 'calls', calls: [{ name: tool, arguments: JSON.stringify({ [key]: target }) }] };
  }
  return expandStep(content) ?? { kind: 'text', text: 'That is all.' };
}

/** The calls of the latest turn before a change, where the list ends with one. */
function checkAfterChange({ turns }: TurnContent): TurnStep | undefined {
  const isChange = (turn: readonly ShownCall[]) =>
    turn.some(({ input }) => valuesOf(input).length > 1);
  if (!turns.slice(-1).some(isChange)) return undefined;
  const check = turns.findLast((turn) => !isChange(turn));
  if (check === undefined) return undefined;
  const calls = check.map(({ name, input }) => ({ name, arguments: JSON.stringify(input ?? {}) }));
  return { kind: 'calls', calls };
}

function probeStep(content: TurnContent): TurnStep {
  // The question is the last thing that was asked; behind it stands only what was expanded.
  const at = content.entries.findLastIndex((entry) => entry.includes(QUESTION));
  const texts = content.entries.map((entry, index) =>
    index === at ? entry.slice(0, entry.indexOf(QUESTION)) : entry,
  );
  const answer = stubAnswer(content.entries[at] ?? '', texts);
  if (answer !== undefined) return { kind: 'text', text: answer };
  return expandStep(content) ?? { kind: 'text', text: 'UNKNOWN' };
}

/** Gets back all that markers hide and that has not been asked for, where the tool is declared. */
function expandStep({ entries, calls, tools }: TurnContent): TurnStep | undefined {
  if (!tools.includes(EXPAND)) return undefined;
  const asked = new Set(
    calls.filter(({ name }) => name === EXPAND).flatMap(({ input }) => valuesOf(input)),
  );
  const hashes = new Set(
    entries.flatMap((entry) => [...entry.matchAll(MARKER)].map((match) => match[1] ?? '')),
  );
  const wanted = [...hashes].filter((hash) => !asked.has(hash));
  if (wanted.length === 0) return undefined;
  return {
    kind: 'calls',
    calls: wanted.map((hash) => ({ name: EXPAND, arguments: JSON.stringify({ hash }) })),
  };
}

function newestName(entries: readonly string[], done: ReadonlySet<string>): string | undefined {
  for (const entry of entries.toReversed()) {
    const names = identifiersIn(entry.replace(MARKER, ' ')).map(({ value }) => value);
    const name = names.findLast((value) => !done.has(value));
    if (name !== undefined) return name;
  }
  return undefined;
}

function firstKey(input: unknown): string | undefined {
  return typeof input === 'object' && input !== null ? Object.keys(input)[0] : undefined;
}

function valuesOf(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.values(input).flatMap((value) => (typeof value === 'string' ? [value] : []));
}
