import type { DialectName, Message } from '../../../src/transcript/message.ts';
import { elements, path, slice } from '../../../src/wire/json-spans.ts';
import { ContractBreach } from './breach.ts';

/** How a rewritten list lies against the recorded one, worked out from the lists alone. */
export type Change =
  /** One message with other tool outputs, at the same place. */
  | {
      readonly kind: 'rewritten';
      readonly index: number;
      readonly before: Message;
      readonly after: Message;
    }
  /** A run of units that gave way to others. */
  | {
      readonly kind: 'replaced';
      readonly dropped: readonly Unit[];
      readonly inserted: readonly Unit[];
    };

/** What is kept or dropped whole: a message; on Bedrock, where turns are joined, a block of one. */
export interface Unit {
  readonly raw: string;
  readonly role: string;
  /** Index of its message in its list. */
  readonly message: number;
  /** Same key: the same unit. */
  readonly key: unknown;
}

export function unitsOf(dialect: DialectName, list: readonly Message[]): readonly Unit[] {
  return list.flatMap((message, index): Unit[] => {
    const { raw, role } = message;
    if (dialect !== 'bedrock') return [{ raw, role, message: index, key: message }];
    const content = path(raw, ['content']);
    const blocks = content === undefined ? [] : elements(raw, content);
    return blocks.map((span) => {
      const block = slice(raw, span);
      return { raw: block, role, message: index, key: `${role} ${block}` };
    });
  });
}

export function changesOf(
  dialect: DialectName,
  before: readonly Message[],
  after: readonly Message[],
): readonly Change[] {
  if (before.length === after.length) {
    const changes: Change[] = [];
    for (const [index, message] of before.entries()) {
      const now = after[index];
      if (now === undefined || now === message) continue;
      if (!hasOtherOutputs(message, now)) return replacements(dialect, before, after);
      changes.push({ kind: 'rewritten', index, before: message, after: now });
    }
    return changes;
  }
  return replacements(dialect, before, after);
}

/** Whether the messages differ in tool outputs at most. */
function hasOtherOutputs(before: Message, after: Message): boolean {
  if (before.role !== after.role || before.blocks.length !== after.blocks.length) return false;
  return before.blocks.every((block, index) => {
    const now = after.blocks[index];
    if (block.kind === 'tool-result') return now?.kind === 'tool-result' && now.id === block.id;
    return JSON.stringify(block) === JSON.stringify(now);
  });
}

function replacements(
  dialect: DialectName,
  beforeList: readonly Message[],
  afterList: readonly Message[],
): readonly Change[] {
  const before = unitsOf(dialect, beforeList);
  const after = unitsOf(dialect, afterList);
  let head = 0;
  while (head < before.length && head < after.length && before[head]?.key === after[head]?.key)
    head++;
  let tail = 0;
  const room = Math.min(before.length, after.length) - head;
  while (tail < room && before.at(-1 - tail)?.key === after.at(-1 - tail)?.key) tail++;
  const kept = new Set(before.map(({ key }) => key));
  const changes: Change[] = [];
  let from = head;
  let inserted: Unit[] = [];
  const close = (to: number) => {
    const dropped = before.slice(from, to);
    if (dropped.length + inserted.length > 0) changes.push({ kind: 'replaced', dropped, inserted });
    inserted = [];
  };
  for (const unit of after.slice(head, after.length - tail)) {
    if (!kept.has(unit.key)) {
      inserted.push(unit);
      continue;
    }
    const at = before.findIndex(({ key }, index) => index >= from && key === unit.key);
    if (at < 0 || at >= before.length - tail) {
      throw new ContractBreach(
        'same-objects',
        `message ${unit.message} stands in another order or twice`,
      );
    }
    close(at);
    from = at + 1;
  }
  close(before.length - tail);
  return changes;
}
