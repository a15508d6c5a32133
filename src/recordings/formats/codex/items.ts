import { isObject, type JsonObject } from '../../../wire/json-object.ts';
import { stringOf } from '../../../wire/parts.ts';

/** True for what the model wrote: reasoning, text, calls. */
export function isModelItem(item: JsonObject): boolean {
  const type = stringOf(item.type);
  if (type === 'message') return item.role === 'assistant';
  if (item.execution === 'server' && type.endsWith('_output')) return true;
  return type === 'reasoning' || type.endsWith('_call');
}

/** True for the result of a call. */
export function isOutput(item: JsonObject): boolean {
  return stringOf(item.type).endsWith('_output') && item.execution !== 'server';
}

/** Why an item never goes to the model; undefined for one that does. */
export function unsentReason(item: JsonObject): string | undefined {
  const type = stringOf(item.type);
  if (type === 'ghost_snapshot') return 'snapshot of the files, not sent';
  if (type === 'message') {
    return typeof item.role === 'string' ? undefined : 'message without a role';
  }
  if (isModelItem(item) || isOutput(item) || ALONE.has(type)) return undefined;
  return `unknown item "${type}"`;
}

const ALONE = new Set(['compaction', 'compaction_summary', 'context_compaction', 'item_reference']);

/** What the client writes in the person's name: instructions, surroundings, notes. */
const CONTEXT = /^\s*(?:# AGENTS\.md instructions\b|<([a-z][\w-]*)[\s>])/;

/** True for a message that the person wrote. */
export function isUserInput(item: JsonObject): boolean {
  if (item.type !== 'message' || item.role !== 'user') return false;
  const parts = Array.isArray(item.content) ? item.content : [item.content];
  const first: unknown = parts[0];
  const text = isObject(first) ? stringOf(first.text) : stringOf(first);
  return !CONTEXT.test(text);
}
