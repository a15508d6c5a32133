import type { KeyedRedaction } from '../../text/redact-keyed.ts';
import { inOrder } from '../../text/redact-known.ts';
import { kindOfName, type SecretKind } from '../../text/redact-patterns.ts';
import { isSecretName, isSecretValue } from '../../text/redact-values.ts';
import { jsonStringView, type View } from '../../text/redact-views.ts';
import { skipSpace, valueEnd } from '../../wire/json-spans.ts';

/** Members whose values are words of the wire. */
const WIRE_WORDS = new Set([
  'role',
  'type',
  'stop_reason',
  'finish_reason',
  'status',
  'media_type',
]);

/** Members that hold what providers made and check: signatures, encrypted thinking, bytes of media. */
const OPAQUE =
  /^(?:signature|thought_?signature|encrypted_(?:content|index)|redacted_?content|data|bytes|file_data|url|image_url)$/i;
const SHORTEST_OPAQUE = 64;

/** A string of a JSON text: offsets of what is between its quotes. */
interface JsonString {
  readonly start: number;
  readonly view: View;
  /** Name of the member whose value it is; undefined for a name or an element of an array. */
  readonly member: string | undefined;
}

/**
 * The strings of a JSON text that may hold what somebody wrote. Also of a piece of JSON that neither begins nor
 * ends inside of a string, such as a body without its messages.
 */
function* stringsOf(json: string): Generator<JsonString> {
  let name: string | undefined;
  let nameEnd = -1;
  for (let quote = json.indexOf('"'); quote >= 0; ) {
    const end = valueEnd(json, quote);
    const view = jsonStringView(json.slice(quote + 1, end - 1));
    const colon = skipSpace(json, end);
    const member = nameEnd >= 0 && skipSpace(json, nameEnd + 1) === quote ? name : undefined;
    if (json[colon] === ':') {
      name = view.text;
      nameEnd = colon;
    }
    if (!isLeftAlone(member, view.text)) yield { start: quote + 1, view, member };
    quote = json.indexOf('"', end);
  }
}

function isLeftAlone(member: string | undefined, text: string): boolean {
  if (text.length < 3) return true;
  if (member !== undefined && WIRE_WORDS.has(member)) return true;
  if (/^data:[\w/+.-]{0,80};base64,/.test(text.slice(0, 100))) return true;
  return (
    member !== undefined &&
    OPAQUE.test(member) &&
    text.length >= SHORTEST_OPAQUE &&
    /^[A-Za-z0-9+/_=-]+$/.test(text)
  );
}

/** What the name of a member shows its value to be. */
function namedKind({ member, view }: JsonString): SecretKind | undefined {
  if (member === undefined || !isSecretName(member)) return undefined;
  const standing = { quoted: true, next: '' };
  return isSecretValue(member, view.text, standing) ? kindOfName(member) : undefined;
}

/** Takes note of the secrets in the strings of a JSON text, also of those that two texts in a row share. */
export function learnJson(json: string, redaction: KeyedRedaction): void {
  const before = new Map<string, string>();
  for (const string of stringsOf(json)) {
    const { text } = string.view;
    const kind = namedKind(string);
    if (kind !== undefined) redaction.learnSecret(text, kind);
    redaction.learn(text);
    if (string.member === undefined) continue;
    const previous = before.get(string.member);
    if (previous !== undefined) redaction.learnAcross(previous, text);
    before.set(string.member, text);
  }
}

/** The JSON text with the secrets in its strings replaced; no other byte changes. */
export function redactJson(json: string, redaction: KeyedRedaction): string {
  const parts: string[] = [];
  let copied = 0;
  for (const string of stringsOf(json)) {
    const { start, view } = string;
    const replacements = redaction.replacementsIn(view.text, namedKind(string));
    for (const one of inOrder(replacements)) {
      parts.push(json.slice(copied, start + view.at(one.start)), one.text);
      copied = start + view.end(one.end);
    }
  }
  if (copied === 0) return json;
  parts.push(json.slice(copied));
  return parts.join('');
}
