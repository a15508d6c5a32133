import { dirname } from 'node:path';
import { HarnessError } from '../errors.ts';
import type { DialectName } from '../transcript/message.ts';
import { type CaptureEntry, captureEntries, isCapture, sampleBodies } from './capture-entries.ts';
import { CaptureReader } from './capture-reader.ts';
import type { CapturedRequest } from './captured.ts';
import { judgeDialect } from './dialects.ts';
import type { Document } from './document.ts';
import type { ReadContext } from './formats/format.ts';
import { LossReport } from './loss.ts';
import { byNaturalOrder } from './paths.ts';

/** How much distinct text of several sessions is held at once, in characters: more is read again, session by session. */
const MOST_HELD_CHARACTERS = 2 ** 25;
/** How much of it is seen before it is forgotten, where only places are kept. */
const MOST_SEEN_CHARACTERS = 2 ** 22;
/** The same of one session, which is held whole. */
const MOST_SESSION_CHARACTERS = 2 ** 28;

/** The calls of one session, in the order in which they were logged. */
export interface LogSession {
  /** Explicit id, else file, else, where each file holds one call, folder. */
  readonly key: string;
  readonly requests: readonly CapturedRequest[];
}

/** Where a call stands: its document's number, offset, length and line, and its dialect's number. */
type Places = number[];
const PLACE_NUMBERS = 5;

interface Held {
  requests: CapturedRequest[];
  readonly places: Places;
}

/**
 * The sessions of logs in the order in which they begin. Calls of several may be interleaved, so no session is known
 * to be over before the end. While they are small, all are held. Else only the places of their lines are kept, and
 * each session is read anew when it is its turn.
 *
 * @throws HarnessError `input.size` for a session of more distinct text than can be held
 */
export function* logSessions(
  documents: readonly Document[],
  context: ReadContext,
  { held, seen } = { held: MOST_HELD_CHARACTERS, seen: MOST_SEEN_CHARACTERS },
): Generator<LogSession> {
  const ordered = inOrder(documents);
  const mayReread = ordered.every(({ kind }) => kind === 'jsonl');
  const known = certainDialect(documents);
  const sessions = new Map<string, Held>();
  let reader = new CaptureReader(context);
  let isHeld = true;
  for (const [number, document] of ordered.entries()) {
    const { path } = document.file;
    const place = isSingleCall(document) ? dirname(path) : path;
    const fallback = certainDialect([document]) ?? known;
    for (const entry of captureEntries(document)) {
      const request = reader.read(path, entry, fallback);
      if (request !== undefined) {
        const session = sessionOf(sessions, request.session ?? place);
        session.places.push(...placeOf(entry, number, request.dialect));
        if (isHeld) session.requests.push(request);
      }
      const { characters } = context.table;
      if (characters <= (isHeld ? held : seen)) continue;
      if (isHeld && sessions.size === 1) checkSession(path, characters);
      else if (mayReread) {
        for (const session of sessions.values()) session.requests = [];
        isHeld = false;
        context.renew();
        reader = reader.anew();
      }
    }
  }
  if (isHeld) for (const [key, { requests }] of sessions) yield { key, requests };
  else for (const [key, { places }] of sessions) yield reread(key, places, ordered, context);
}

/** Reads the calls of one session, which were told of before. */
function reread(
  key: string,
  places: Places,
  documents: readonly Document[],
  context: ReadContext,
): LogSession {
  context.renew();
  const loss = new LossReport('');
  const reader = new CaptureReader({ ...context, table: context.table, report: () => {}, loss });
  const requests: CapturedRequest[] = [];
  for (let at = 0; at < places.length; at += PLACE_NUMBERS) {
    const document = documents[places[at] ?? 0];
    if (document?.kind !== 'jsonl') continue;
    const [start = 0, length = 0, line = 0, dialect = 0] = places.slice(at + 1, at + PLACE_NUMBERS);
    const json = document.content.read(start, length);
    const { path } = document.file;
    const request = reader.read(path, { json, start, line }, undefined, DIALECTS[dialect]);
    if (request !== undefined) requests.push(request);
    checkSession(path, context.table.characters);
  }
  return { key, requests };
}

/** Logs are in the order of their names. */
export function inOrder(documents: readonly Document[]): readonly Document[] {
  return [...documents].sort((a, b) => byNaturalOrder(a.file.path, b.file.path));
}

const DIALECTS: readonly DialectName[] = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
  'bedrock',
];

function placeOf({ json, start, line }: CaptureEntry, document: number, dialect: DialectName) {
  return [document, start ?? 0, json.length, line ?? 0, DIALECTS.indexOf(dialect)];
}

function sessionOf(sessions: Map<string, Held>, key: string): Held {
  const known = sessions.get(key);
  if (known !== undefined) return known;
  const session = { requests: [], places: [] };
  sessions.set(key, session);
  return session;
}

function checkSession(file: string, characters: number): void {
  if (characters <= MOST_SESSION_CHARACTERS) return;
  const message = `calls without a session id of their own, or of one session, hold more than ${MOST_SESSION_CHARACTERS} characters of messages, and a session is read whole; split the log, or log session ids`;
  throw new HarnessError('input.size', message, { at: { file } });
}

/** True for a file that is one logged call. */
export function isSingleCall(document: Document): boolean {
  return document.kind === 'json' && isCapture(document.sample[0]);
}

/** The dialect of the first body whose shape leaves no doubt. */
function certainDialect(documents: readonly Document[]): DialectName | undefined {
  for (const document of documents) {
    for (const { body, provider } of sampleBodies(document)) {
      const verdict = judgeDialect(body, provider);
      if (verdict?.certain === true) return verdict.dialect;
    }
  }
  return undefined;
}
