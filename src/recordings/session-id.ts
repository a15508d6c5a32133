import { isObject, type JsonObject } from '../wire/json-object.ts';

const KEYS = ['session', 'session_id', 'sessionId', 'conversation_id', 'thread_id'];

/** Where a body of any provider may name its session. */
const HOLDERS = ['metadata', 'headers', 'request_headers', 'extra_headers'];

/**
 * The explicit session id of a logged call: its own key, a header, or the body's metadata. A
 * `metadata.user_id` counts only where a session is spelled in it, since a user has many.
 */
export function explicitSession(entry: JsonObject, metadata: unknown): string | undefined {
  return (
    idIn(entry) ??
    HOLDERS.map((key) => idIn(entry[key]))
      .concat(idIn(metadata))
      .find((id) => id !== undefined)
  );
}

function idIn(holder: unknown): string | undefined {
  if (!isObject(holder)) return undefined;
  for (const [key, value] of Object.entries(holder)) {
    const isId = KEYS.includes(key) || /^x-.*session(?:-id)?$|^session[-_]id$/i.test(key);
    const name = isId ? nameOf(value) : undefined;
    if (name !== undefined) return name;
  }
  return sessionOfUser(holder.user_id);
}

function nameOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function sessionOfUser(user: unknown): string | undefined {
  if (typeof user !== 'string') return undefined;
  return (
    /(?:^|_)session_([\w-]+)$/.exec(user)?.[1] ?? /"session_id"\s*:\s*"([^"]+)"/.exec(user)?.[1]
  );
}

/** All texts in a recording that may be session ids; too many are harmless. */
export function sessionLikeIds(text: string): readonly string[] {
  const found = new Set<string>();
  for (const match of text.matchAll(ID_MEMBER)) {
    const id = match[1] ?? match[2];
    if (id !== undefined && id !== '') found.add(id);
  }
  for (const match of text.matchAll(/session_([\w-]+)\\?"/g)) if (match[1]) found.add(match[1]);
  return [...found];
}

const ID_MEMBER =
  /"[\w-]*(?:session|conversation_id|thread_id)[\w-]*\\?"\s*:\s*(?:\\?"([^"\\]*)|(\d+))/gi;
