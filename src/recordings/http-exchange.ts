import { isObject, type JsonObject } from '../wire/json-object.ts';
import { path, slice } from '../wire/json-spans.ts';
import { stringOf } from '../wire/parts.ts';
import { eventStreamAnswer } from './event-stream.ts';

/*
 * Logged HTTP exchanges: `{request: {url, headers, body}, response: {body}}` of proxies and browsers, or a call
 * whose bodies are texts. They are read as captures of the bodies, byte for byte.
 */

/** Where an exchange keeps the body that was sent, and the one that came back. */
const SENT: readonly (readonly string[])[] = [
  ['request', 'body'],
  ['request', 'content'],
  ['request', 'text'],
  ['request', 'postData', 'text'],
  ['request_body'],
  ['body'],
  ['request'],
];
const CAME: readonly (readonly string[])[] = [
  ['response', 'body'],
  ['response', 'body_raw'],
  ['response', 'content', 'text'],
  ['response', 'content'],
  ['response', 'text'],
  ['response_body'],
  ['response'],
];
const ADDRESSES: readonly (readonly string[])[] = [
  ['request', 'url'],
  ['url'],
  ['request', 'path'],
  ['path'],
];
const TIMES: readonly (readonly string[])[] = [
  ['timestamp'],
  ['time'],
  ['startedDateTime'],
  ['request', 'timestamp'],
  ['request', 'timestamp_start'],
];

/** @param isBody tells a request body */
export function isExchange(value: unknown, isBody: (body: unknown) => boolean): boolean {
  return isObject(value) && bodyIn(value, isBody) !== undefined;
}

interface Found {
  readonly steps: readonly string[];
  /** Text of the body, where it stands as a string. */
  readonly text: string | undefined;
}

function bodyIn(value: JsonObject, isBody: (body: unknown) => boolean): Found | undefined {
  // What counts the tokens of a request has its body, and asks no model.
  if (/count_?tokens/i.test(stringOf(first(value, ADDRESSES)))) return undefined;
  for (const steps of SENT) {
    const body = at(value, steps);
    // An object at the top is a capture as it is.
    if (isObject(body) && steps.length > 1 && isBody(body)) return { steps, text: undefined };
    if (typeof body === 'string' && isBody(parsed(body))) return { steps, text: body };
  }
  return undefined;
}

/**
 * The exchange as a capture `{provider, body, response, headers, timestamp}`.
 * @returns undefined for what is none
 */
export function captureOfExchange(
  text: string,
  isBody: (body: unknown) => boolean,
): string | undefined {
  if (!MAY_BE.test(text)) return undefined;
  const value = parsed(text);
  const sent = isObject(value) ? bodyIn(value, isBody) : undefined;
  if (!isObject(value) || sent === undefined) return undefined;
  const span = sent.text === undefined ? path(text, sent.steps) : undefined;
  const body = sent.text ?? (span === undefined ? '' : slice(text, span));
  const url = stringOf(first(value, ADDRESSES));
  const around = Object.entries(value).filter(([key]) => !BODIES.has(key));
  const facts: JsonObject = {
    ...Object.fromEntries(around),
    provider: value.provider ?? providerOf(url),
    model: value.model ?? modelOf(url),
    timestamp: first(value, TIMES),
    headers: headersOf(at(value, ['request', 'headers']) ?? value.headers),
  };
  const answer = answerOf(value, text);
  const members = Object.entries(facts)
    .filter(([, fact]) => fact !== undefined)
    .map(([key, fact]) => `${JSON.stringify(key)}:${JSON.stringify(fact)}`);
  const response = answer === undefined ? [] : [`"response":${answer}`];
  return `{${[...members, `"body":${body}`, ...response].join(',')}}`;
}

/** A request that is an object, or a body that is a text with an object: most captures have neither. */
const MAY_BE = /"request"\s*:\s*\{|"(?:body|request|request_body)"\s*:\s*"\s*\{/;

const BODIES = new Set([
  ...['request', 'response', 'body', 'request_body', 'response_body'],
  ...['provider', 'model', 'timestamp', 'time', 'headers'],
]);

/** Raw JSON of what came back; of a stream, what its events add up to. */
function answerOf(value: JsonObject, text: string): string | undefined {
  for (const steps of CAME) {
    const body = at(value, steps);
    if (typeof body === 'string') {
      if (isObject(parsed(body))) return body;
      const answer = eventStreamAnswer(body);
      if (answer !== undefined) return JSON.stringify(answer);
    } else if (isObject(body) && (steps.length > 1 || !('headers' in body))) {
      const span = path(text, steps);
      if (span !== undefined) return slice(text, span);
    }
  }
  return undefined;
}

function at(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}

function first(value: JsonObject, places: readonly (readonly string[])[]): unknown {
  return places.map((steps) => at(value, steps)).find((found) => found !== undefined);
}

function parsed(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** By name; some logs have a list of names and values. */
function headersOf(headers: unknown): unknown {
  if (!Array.isArray(headers)) return headers;
  return Object.fromEntries(
    headers.flatMap((header: unknown) => {
      if (Array.isArray(header)) return [[stringOf(header[0]), header[1]]];
      return isObject(header) ? [[stringOf(header.name), header.value]] : [];
    }),
  );
}

function providerOf(url: string): string | undefined {
  return /anthropic|bedrock|openai|azure/.exec(url)?.[0];
}

/** Two providers' models stand in the address. */
function modelOf(url: string): string | undefined {
  const name = /\/models?\/([^/:?]+(?::\d+)?)(?::|\/|$)/.exec(url)?.[1];
  return name === undefined ? undefined : decoded(name);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
