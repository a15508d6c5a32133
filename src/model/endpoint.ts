/** Whom a live call asks: the wire, the address, the model's name there and the key. */

import { isLocalHost } from './local-host.ts';
import type { WireName } from './model.ts';
import { nameAtProvider, vendorOf } from './vendors.ts';

/** A `model` block as a config gives it, with every default filled in. */
export interface ModelChoice {
  readonly source: 'incoming' | 'config';
  readonly model?: string | undefined;
  readonly provider: 'anthropic' | 'openai';
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly auth: 'x-api-key' | 'bearer';
}

/** What a transcript says of the model that its agent asked. */
export interface IncomingModel {
  readonly model: string | undefined;
  /** Name of the transcript's dialect. */
  readonly dialect: string;
}

/** Environment variables. */
export type Variables = Readonly<Record<string, string | undefined>>;

export interface Endpoint {
  readonly wire: WireName;
  /** The model's id as this endpoint knows it. */
  readonly model: string;
  /** As the wire's SDK takes it, without credentials: `https://api.openai.com/v1`, `http://localhost:8080`. */
  readonly baseUrl: string;
  /** Host and port, the only part of the address that messages show. */
  readonly host: string;
  /** True at the provider's own address. */
  readonly official: boolean;
  /** Absent where the server asks for none. */
  readonly key?: string;
  readonly auth: 'x-api-key' | 'bearer';
  /** `user:password` that stood in the address. */
  readonly login?: string;
  /** Where the key can be set, for messages. */
  readonly keyHint: string;
}

/** An endpoint, or what is missing: `reason` says what to do and never names the model. */
export type EndpointChoice =
  | { readonly kind: 'endpoint'; readonly endpoint: Endpoint }
  | { readonly kind: 'missing'; readonly reason: string; readonly model: string | undefined };

const PROVIDERS = {
  anthropic: {
    address: 'https://api.anthropic.com',
    keyVariable: 'ANTHROPIC_API_KEY',
    addressVariable: 'ANTHROPIC_BASE_URL',
  },
  'openai-chat': {
    address: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    addressVariable: 'OPENAI_BASE_URL',
  },
} as const satisfies Readonly<Record<WireName, unknown>>;

/** Bearer token of a gateway in front of Anthropic, as its SDKs read it; used where there is no key. */
const ANTHROPIC_TOKEN = 'ANTHROPIC_AUTH_TOKEN';

/**
 * Chooses whom to ask. `incoming`: the transcript's own model, over the transcript's wire where an address
 * is given for it, else at the model's own provider, with the key of the environment. `config`: what the
 * block says. The provider's variables fill in the address and the key in both cases.
 */
export function chooseEndpoint(
  choice: ModelChoice,
  incoming: IncomingModel,
  variables: Variables,
): EndpointChoice {
  const model = choice.model ?? (choice.source === 'incoming' ? incoming.model : undefined);
  const missing = (reason: string): EndpointChoice => ({ kind: 'missing', reason, model });
  if (model === undefined) {
    return missing(
      choice.source === 'incoming'
        ? 'the recording names no model: give --assume-model MODEL, or use model.source: config'
        : 'model.source is config, but no model is named: set model.model or CHEAP_MODEL',
    );
  }
  const wire = wireOf(choice, incoming, model, variables);
  if (wire === undefined) {
    return missing(
      `the model's provider is neither Anthropic nor OpenAI: set OPENAI_BASE_URL to an endpoint that serves it, or use model.source: config`,
    );
  }
  const { keyVariable, addressVariable } = PROVIDERS[wire];
  const address = addressOf(choice, wire, variables);
  const source = choice.base_url === undefined ? addressVariable : 'model.base_url';
  if (!address.ok) return missing(`${source} ${address.problem}`);
  const { host, official, login } = address;
  const { key, auth } = credentialsOf(choice, wire, variables);
  const keyHint = choice.source === 'config' ? `CHEAP_MODEL_KEY or ${keyVariable}` : keyVariable;
  if (key === undefined && login === undefined && !isLocalHost(host)) {
    return missing(`no key for ${host}: set ${keyHint}, or model.api_key in the config`);
  }
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    return missing(
      `the key for ${host} holds spaces or characters that no header can carry: check ${keyHint}, or model.api_key in the config`,
    );
  }
  if (login !== undefined && key !== undefined && auth === 'bearer') {
    return missing(
      `${source} holds a user name, which cannot go with a bearer key: remove one of the two`,
    );
  }
  const endpoint: Endpoint = {
    wire,
    model: official ? nameAtProvider(model, wire) : model,
    baseUrl: address.baseUrl,
    host,
    official,
    auth,
    ...(key === undefined ? {} : { key }),
    ...(login === undefined ? {} : { login }),
    keyHint: `${keyHint} or model.api_key`,
  };
  return { kind: 'endpoint', endpoint };
}

/** Every key and password that live calls could use: none of them may be written anywhere. */
export function secretsOf(choices: readonly ModelChoice[], variables: Variables): string[] {
  const { anthropic, 'openai-chat': openai } = PROVIDERS;
  const keys = [anthropic.keyVariable, ANTHROPIC_TOKEN, openai.keyVariable, 'CHEAP_MODEL_KEY'];
  const addresses = [anthropic.addressVariable, openai.addressVariable, 'CHEAP_MODEL_BASE'];
  const urls = [...addresses.map((name) => variables[name]), ...choices.map((one) => one.base_url)];
  const found = [
    ...keys.map((name) => variables[name]),
    ...choices.map((one) => one.api_key),
    ...urls.flatMap(loginSecrets),
  ];
  const trimmed = found.map((secret) => secret?.trim() ?? '').filter((secret) => secret !== '');
  return [...new Set(trimmed)];
}

/** Shortest user name without a password that is taken for a token; `user` alone is none. */
const SHORTEST_TOKEN = 8;

/**
 * What of a URL's login is secret, as it is written and as it is meant: the password, else a user name that may
 * be a token; and the whole login, whose Base64 form the header carries.
 */
function loginSecrets(url: string | undefined): string[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  const secret = password === '' ? username : password;
  if (secret === '' || (password === '' && secret.length < SHORTEST_TOKEN)) return [];
  return [secret, decoded(secret), `${decoded(username)}:${decoded(password)}`];
}

function wireOf(
  choice: ModelChoice,
  { dialect }: IncomingModel,
  model: string,
  variables: Variables,
): WireName | undefined {
  const written = choice.provider === 'openai' ? 'openai-chat' : 'anthropic';
  // Of an `incoming` block, `anthropic` may be nothing but the default.
  if (choice.source === 'config' || written === 'openai-chat') return written;
  const own = dialect === 'anthropic' || dialect === 'bedrock' ? 'anthropic' : 'openai-chat';
  // A gateway knows the recorded name, whoever's model it is.
  const hasAddress = choice.base_url ?? given(variables[PROVIDERS[own].addressVariable]);
  if (hasAddress !== undefined) return own;
  const vendor = vendorOf(model);
  if (vendor === 'other') return undefined;
  return vendor === 'unknown' ? own : vendor;
}

type Address =
  | {
      readonly ok: true;
      readonly baseUrl: string;
      readonly host: string;
      readonly official: boolean;
      readonly login?: string;
    }
  | { readonly ok: false; readonly problem: string };

function addressOf(choice: ModelChoice, wire: WireName, variables: Variables): Address {
  const { address, addressVariable } = PROVIDERS[wire];
  const text = choice.base_url ?? given(variables[addressVariable]) ?? address;
  if (!URL.canParse(text)) {
    return { ok: false, problem: `is no address: expected one like ${address}` };
  }
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, problem: `begins with ${url.protocol}, expected http: or https:` };
  }
  if (url.search !== '' || url.hash !== '') {
    return { ok: false, problem: 'has a query (what follows ?), which no request could keep' };
  }
  const { username, password } = url;
  const path = pathFor(wire, url.pathname);
  return {
    ok: true,
    baseUrl: `${url.origin}${path}`,
    host: url.host,
    official: url.origin === new URL(address).origin,
    ...(username === '' && password === ''
      ? {}
      : { login: `${decoded(username)}:${decoded(password)}` }),
  };
}

/** The SDKs add `/v1/messages` and `/chat/completions`; people give addresses with and without. */
function pathFor(wire: WireName, pathname: string): string {
  const path = pathname.replace(/\/+$/, '');
  if (wire === 'anthropic') return path.replace(/\/v1(?:\/messages)?$/, '');
  const base = path.replace(/\/chat\/completions$/, '');
  return base === '' ? '/v1' : base;
}

function credentialsOf(
  choice: ModelChoice,
  wire: WireName,
  variables: Variables,
): { readonly key: string | undefined; readonly auth: Endpoint['auth'] } {
  const key = given(choice.api_key) ?? given(variables[PROVIDERS[wire].keyVariable]);
  // Of OpenAI's wire there is but one way, whatever the block's default says.
  if (wire === 'openai-chat') return { key, auth: 'bearer' };
  const token = given(variables[ANTHROPIC_TOKEN]);
  if (key === undefined && token !== undefined) return { key: token, auth: 'bearer' };
  return { key, auth: choice.auth };
}

/** The value without the blanks around it; undefined where nothing is left. */
function given(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === '' ? undefined : trimmed;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
