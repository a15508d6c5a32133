import { markersIn } from '../../../src/compaction/stash.ts';
import { MessageTable } from '../../../src/transcript/intern.ts';
import { type Message, resultText } from '../../../src/transcript/message.ts';
import { listTokens, messageCounter } from '../../../src/transcript/message-tokens.ts';
import { dialectOf } from '../../../src/wire/catalog.ts';
import { type Change, changesOf, type Unit, unitsOf } from './alignment.ts';
import { ContractBreach } from './breach.ts';
import { countingOf, type Turn, type Variant } from './replay.ts';
import type { Reply } from './replies.ts';

/** What must hold of one request, whatever the component; each throws a `ContractBreach`. */

/** Retained messages are the same objects with the same bytes, and of a rewritten one only outputs differ. */
export function keepsObjects(turn: Turn, variant: Variant): void {
  const objects = new Set(turn.before);
  const bytes = new Set(turn.before.map(({ raw }) => raw));
  for (const [index, message] of turn.after.entries()) {
    if (objects.has(message) || !bytes.has(message.raw)) continue;
    throw new ContractBreach('same-objects', `message ${index} is a copy of a retained one`);
  }
  const dialect = dialectOf(variant.dialect);
  const table = new MessageTable();
  for (const change of changesOf(variant.dialect, turn.before, turn.after)) {
    if (change.kind !== 'rewritten') continue;
    // The outputs alone, written into the recorded bytes, give the whole rewritten message.
    const expected = change.before.blocks.reduce((message, block, at) => {
      const now = change.after.blocks[at];
      if (block.kind !== 'tool-result' || now?.kind !== 'tool-result') return message;
      if (resultText(block) === resultText(now)) return message;
      return dialect.replaceResult(message, at, resultText(now), table);
    }, change.before);
    if (expected.raw === change.after.raw) continue;
    throw new ContractBreach(
      'same-objects',
      `message ${change.index}: more than the outputs changed\n${expected.raw}\n${change.after.raw}`,
    );
  }
}

/** A rewrite has at most as many tokens, and a rewritten message fewer. */
export function doesNotGrow(turn: Turn, variant: Variant): void {
  const counting = countingOf(variant);
  const before = listTokens(turn.before, counting);
  const after = listTokens(turn.after, counting);
  if (after > before) throw new ContractBreach('no-growth', `${before} tokens became ${after}`);
  if (turn.report.tokensAfter !== after) {
    throw new ContractBreach(
      'no-growth',
      `${turn.report.tokensAfter} tokens reported, ${after} found`,
    );
  }
  const countBefore = messageCounter(turn.before, counting);
  const countAfter = messageCounter(turn.after, counting);
  for (const change of changesOf(variant.dialect, turn.before, turn.after)) {
    if (change.kind === 'rewritten' && countAfter(change.after) >= countBefore(change.before)) {
      throw new ContractBreach('no-growth', `message ${change.index} did not get smaller`);
    }
  }
}

/** In `full` mode what was dropped lies behind markers, and they give back exactly that. */
export function expands(turn: Turn, variant: Variant): void {
  if (turn.report.kind !== 'changed' || turn.outcome?.kind !== 'changed') return;
  if (turn.outcome.irreversible === true) return;
  // Where equal messages stand in several places, changes alone cannot tell which of them were dropped.
  if (expandsList(turn, variant)) return;
  for (const change of changesOf(variant.dialect, turn.before, turn.after)) {
    if (change.kind === 'rewritten') expandsOutputs(change, turn);
    else expandsSpan(change, turn, variant);
  }
}

function expandsOutputs(change: Change & { kind: 'rewritten' }, turn: Turn): void {
  for (const [at, block] of change.before.blocks.entries()) {
    const now = change.after.blocks[at];
    if (block.kind !== 'tool-result' || now?.kind !== 'tool-result') continue;
    const text = resultText(block);
    const written = resultText(now);
    if (written === text) continue;
    const old = new Set(markersIn(text));
    const keys = markersIn(written).filter((key) => !old.has(key));
    const found = keys.map((key) => turn.expand(key));
    if (keys.length === 1 && found[0] === text) continue;
    throw new ContractBreach(
      'expand',
      `message ${change.index}, block ${at}: ${keys.length} markers give ${JSON.stringify(found)} for ${JSON.stringify(text)}`,
    );
  }
}

/** Whether the list with what its new markers give back, in their places, is the recorded one. */
function expandsList(turn: Turn, variant: Variant): boolean {
  const before = unitsOf(variant.dialect, turn.before);
  const recorded = new Set(before.map(({ key }) => key));
  const restored = unitsOf(variant.dialect, turn.after).flatMap((unit) => {
    if (recorded.has(unit.key)) return [unit.raw];
    return markersIn(unit.raw).flatMap((key) => {
      const text = turn.expand(key);
      // A marker that gives nothing back is one that nobody can resolve.
      if (text === undefined) return ['nothing'];
      if (!text.startsWith('[{')) return [];
      if (variant.dialect !== 'bedrock') return [text.slice(1, -1)];
      return blocksOf(text, variant).map(({ raw }) => raw);
    });
  });
  return joined(before) === restored.join(',');
}

function expandsSpan(change: Change & { kind: 'replaced' }, turn: Turn, variant: Variant): void {
  const keys = change.inserted.flatMap(({ raw }) => markersIn(raw));
  const texts = keys.map((key) => {
    const text = turn.expand(key);
    if (text !== undefined) return text;
    throw new ContractBreach('expand', `the marker of ${key} gives nothing back`);
  });
  const dropped = joined(change.dropped);
  const restored =
    variant.dialect === 'bedrock'
      ? joined(texts.flatMap((text) => blocksOf(text, variant)))
      : texts.map((text) => text.slice(1, -1)).join(',');
  if (dropped === restored) return;
  throw new ContractBreach(
    'expand',
    `${change.dropped.length} messages dropped, ${keys.length} markers; dropped:\n${dropped}\nrestored:\n${restored}`,
  );
}

function joined(units: readonly Unit[]): string {
  return units.map(({ raw }) => raw).join(',');
}

/** Turns were joined around the summary, so what was dropped is compared block by block. */
function blocksOf(list: string, { dialect }: Variant): readonly Unit[] {
  return unitsOf(dialect, dialectOf(dialect).parseList(list, new MessageTable()));
}

/** The component does not fail by itself: only its model may, or its summary turn out too long. */
export function failsOpen(turn: Turn, replies: readonly Reply[]): void {
  const { report } = turn;
  if (report.kind !== 'reverted') return;
  const { reason, detail } = report;
  if (turn.after !== turn.before) {
    throw new ContractBreach('fail-open', `reverted for ${reason}, and the list is another`);
  }
  const asked = report.calls.length > 0;
  const isReply = GREW.has(reason) && (asked || isReuse(turn));
  const isModel = reason.startsWith('error:model.') && asked;
  const isHang = reason === 'error:component.timeout' && replies.includes('hang');
  if (isReply || isModel || isHang || reason.startsWith('shape:')) return;
  throw new ContractBreach('fail-open', `the component failed by itself: ${reason}, ${detail}`);
}

/** Reasons of a reversal that the length of a model's reply decides. */
export const GREW: ReadonlySet<string> = new Set(['grew', 'message_grew']);

function isReuse({ outcome }: Turn): boolean {
  return outcome?.kind === 'changed' && outcome.reused === true;
}

/** What a model is asked can be sent, and has something in it. */
export function asksWell({ calls }: Turn): void {
  for (const { system, prompt } of calls) {
    const isGood = [system, prompt].every((text) => text.isWellFormed() && text.trim() !== '');
    if (!isGood)
      throw new ContractBreach('prompt', 'a model was asked with a broken or blank prompt');
  }
}

/** The recorded lists, frozen to their depth, with what they said. */
export function freeze(lists: readonly (readonly Message[])[]): () => void {
  const snapshots = lists.map((list) => {
    for (const message of list) {
      for (const block of message.blocks) Object.freeze(block);
      Object.freeze(message.blocks);
      Object.freeze(message);
    }
    return { list, texts: list.map(({ raw }) => raw) };
  });
  return () => {
    for (const { list, texts } of snapshots) {
      if (list.length !== texts.length || list.some(({ raw }, at) => raw !== texts[at])) {
        throw new ContractBreach('not-mutated', 'a recorded list was changed');
      }
    }
  };
}
