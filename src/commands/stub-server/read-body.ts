/** What both wires read of a request's body in the same way, and refuse in the same places. */
import { HarnessError, messageOf } from '../../errors.ts';
import type { WireName } from '../../model/model.ts';
import { contextOfBody } from '../../shape/context.ts';
import { asObject, type JsonObject, kindOf } from '../../shape/json-values.ts';
import { rules, validate } from '../../shape/validate.ts';
import { MessageTable } from '../../transcript/intern.ts';
import { dialectOf } from '../../wire/catalog.ts';
import type { ParsedRequest } from '../../wire/dialect.ts';
import { member, rootSpan, slice } from '../../wire/json-spans.ts';
import { RefusedRequest } from './wire.ts';

export interface Body {
  readonly value: JsonObject;
  readonly parsed: ParsedRequest;
  readonly model: string;
  /** JSON text of the message list. */
  readonly list: string;
}

/** @throws RefusedRequest of status 400 */
export function readBody(text: string, wire: WireName): Body {
  const value = asObject(parseJson(text));
  if (typeof value.model !== 'string' || value.model === '') {
    refuse(wire === 'anthropic' ? 'model: Field required' : 'you must provide a model parameter');
  }
  if (!Array.isArray(value.messages)) {
    const found = kindOf(value.messages);
    if (found === 'missing') {
      refuse(
        wire === 'anthropic'
          ? 'messages: Field required'
          : "Missing required parameter: 'messages'.",
        'messages',
      );
    }
    refuse(`messages: Input should be a valid list, found ${found}`, 'messages');
  }
  return { value, parsed: parse(text, wire), model: value.model, list: listText(text) };
}

/**
 * Refuses what the provider would: the first error that the shape oracle finds, in the provider's words.
 * @throws RefusedRequest of status 400
 */
export function refuseViolations({ value, parsed }: Body, wire: WireName): void {
  const context = contextOfBody(wire, value);
  const found = validate({ dialect: wire, messages: parsed.messages, context });
  const violation = found.find(({ severity }) => severity === 'error');
  if (violation === undefined) return;
  const { rule, message, block, detail } = violation;
  const says = rules.find(({ id }) => id === rule)?.providerError ?? 'invalid request';
  const place = `messages.${message}${block === undefined ? '' : `.content.${block}`}`;
  refuse(`${place}: ${says} (${detail}) [${rule}]`, 'messages');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return refuse(`The request body is not valid JSON: ${messageOf(error)}`);
  }
}

function parse(text: string, wire: WireName): ParsedRequest {
  try {
    return dialectOf(wire).parse(text, new MessageTable());
  } catch (error) {
    if (error instanceof HarnessError) refuse(error.message, 'messages');
    throw error;
  }
}

function listText(text: string): string {
  const span = member(text, rootSpan(text), 'messages');
  return span === undefined ? '[]' : slice(text, span);
}

export function refuse(message: string, param?: string): never {
  throw new RefusedRequest({ status: 400, message, ...(param === undefined ? {} : { param }) });
}

/** A number of tokens, at least 1. @throws RefusedRequest */
export function tokenLimit(value: unknown, key: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  return refuse(`${key}: Input should be a whole number greater than 0`, key);
}

/** JSON text of a value without its cache mark. */
export function cachePart(value: unknown): { text: string; marked: boolean } {
  const { cache_control, ...rest } = asObject(value);
  const isMarked = cache_control !== undefined && cache_control !== null;
  return { text: JSON.stringify(isMarked ? rest : value), marked: isMarked };
}
