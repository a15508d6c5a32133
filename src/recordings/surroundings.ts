import { createHash } from 'node:crypto';
import type { Envelope } from '../transcript/transcript.ts';
import { canonicalJson } from '../wire/canonical.ts';
import { isObject } from '../wire/json-object.ts';

interface Surroundings {
  readonly system: string;
  readonly all: string;
}

const known = new WeakMap<Envelope, Surroundings>();

/**
 * Digest of what stands around a request's messages in canonical form, to tell agents apart: the top-level system
 * prompt and the tool declarations, or the system prompt alone. Cache marks, string against one text
 * block, and a billing header that a host writes as a system block do not count.
 */
export function surroundings(envelope: Envelope, part: 'all' | 'system' = 'all'): string {
  let found = known.get(envelope);
  if (found === undefined) {
    const system = systemText(envelope.system);
    const tools = envelope.tools === undefined ? '' : canonical(envelope.tools);
    found = { system: digest(system), all: digest(`${system}\0${tools}`) };
    known.set(envelope, found);
  }
  return found[part];
}

function systemText(raw: string | undefined): string {
  if (raw === undefined) return '';
  const value: unknown = JSON.parse(raw);
  const blocks = Array.isArray(value) ? value : [{ type: 'text', text: value }];
  return canonicalJson(
    raw,
    blocks.filter((block: unknown) => !isBillingHeader(block)),
  );
}

/** A header that a host writes as a system block and that differs from call to call. */
export function isBillingHeader(block: unknown): boolean {
  return (
    isObject(block) &&
    typeof block.text === 'string' &&
    block.text.startsWith('x-anthropic-billing-header')
  );
}

function canonical(raw: string): string {
  const value: unknown = JSON.parse(raw);
  return canonicalJson(raw, value);
}

function digest(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
