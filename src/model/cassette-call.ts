/** One call as a cassette knows it: everything that can change the answer, and nothing else. */
import { createHash } from 'node:crypto';
import type { ModelRequest, TurnRequest, WireName } from './model.ts';
import { nameAtProvider, vendorOf } from './vendors.ts';

/** Settings of the model that go with every call of it, such as a temperature. */
export type CallParameters = Readonly<Record<string, string | number | boolean>>;

export type CassetteCall = {
  /** As the caller knows it; routers' prefixes do not matter. */
  readonly model: string;
  readonly parameters?: CallParameters | undefined;
} & (
  | { readonly kind: 'prompt'; readonly request: ModelRequest }
  | { readonly kind: 'turn'; readonly wire: WireName; readonly request: TurnRequest }
);

/**
 * SHA-256 over the call, as 64 hexadecimal digits. Address, key and headers are no part of a call; nor is the
 * wire of a plain prompt, over which the model is told the same.
 */
export function keyOf(call: CassetteCall): string {
  const told = JSON.stringify([1, modelIdentity(call.model), sorted(call.parameters), asked(call)]);
  // Not UTF-8, in which a lone surrogate is like any other.
  return createHash('sha256').update(told, 'utf16le').digest('hex');
}

function asked(call: CassetteCall): readonly unknown[] {
  const { purpose, maxOutputTokens, sample, system } = call.request;
  const common = [call.kind, purpose, maxOutputTokens, sample, system ?? null];
  if (call.kind === 'prompt') return [...common, call.request.prompt];
  const { messages, tools } = call.request;
  return [...common, call.wire, tools ?? null, messages];
}

/**
 * The name without what depends on the address: through a gateway, the same model has a prefix. Of models
 * that several vendors serve, the prefix may be part of the name, and stays.
 */
function modelIdentity(name: string): string {
  const vendor = vendorOf(name);
  return vendor === 'anthropic' || vendor === 'openai-chat' ? nameAtProvider(name, vendor) : name;
}

function sorted(parameters: CallParameters = {}): readonly unknown[] {
  return Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
}
