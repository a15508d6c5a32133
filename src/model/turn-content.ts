import type { TurnRequest } from './model.ts';

/** A call in a request's list. */
export interface ShownCall {
  readonly name: string;
  readonly input: unknown;
}

/** What a model without network reads of a request, in either wire. */
export interface TurnContent {
  /** Strings of each entry of the list, in order: what was said, call arguments, results. */
  readonly entries: readonly string[];
  readonly calls: readonly ShownCall[];
  /** The same calls, those of one assistant message together; none is empty. */
  readonly turns: readonly (readonly ShownCall[])[];
  /** Names of the declared tools. */
  readonly tools: readonly string[];
}

/** Ids and kinds are no content. */
const LABELS = new Set(['role', 'type', 'id', 'tool_use_id', 'tool_call_id', 'signature']);

export function readTurn({ messages, tools }: TurnRequest): TurnContent {
  const list = arrayOf(parsed(messages));
  const turns = list.map(callsOf).filter((calls) => calls.length > 0);
  return {
    entries: list.map((entry) => stringsOf(entry).join('\n')),
    calls: turns.flat(),
    turns,
    tools: arrayOf(parsed(tools ?? '[]')).flatMap((tool) => {
      const name = field(tool, 'name') ?? field(field(tool, 'function'), 'name');
      return typeof name === 'string' ? [name] : [];
    }),
  };
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') {
    // Arguments are JSON in a string on one of the wires; read alike on both.
    const inner = /^\s*[[{]/.test(value) ? parsed(value) : undefined;
    return inner === undefined ? [value] : stringsOf(inner);
  }
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (LABELS.has(key) ? [] : stringsOf(inner)));
}

function callsOf(entry: unknown): ShownCall[] {
  const blocks = arrayOf(field(entry, 'content')).flatMap((block): ShownCall[] => {
    const name = field(block, 'name');
    if (field(block, 'type') !== 'tool_use' || typeof name !== 'string') return [];
    return [{ name, input: field(block, 'input') }];
  });
  const calls = arrayOf(field(entry, 'tool_calls')).flatMap((call): ShownCall[] => {
    const [name, written] = ['name', 'arguments'].map((key) => field(field(call, 'function'), key));
    if (typeof name !== 'string') return [];
    return [{ name, input: typeof written === 'string' ? parsed(written) : undefined }];
  });
  return [...blocks, ...calls];
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
