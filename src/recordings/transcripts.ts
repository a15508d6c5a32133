import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { sharedStart } from '../transcript/growing-lists.ts';
import { requestOfView } from '../transcript/list-views.ts';
import type { Message } from '../transcript/message.ts';
import type { Envelope, Request, Transcript } from '../transcript/transcript.ts';
import type { LossReport } from './loss.ts';
import { withoutOddFigures } from './odd-figures.ts';

/** A transcript whose hash is still to be computed. */
export type TranscriptDraft = Omit<Transcript, 'hash'>;

/** Completes a transcript with its hash; what the recording leaves blank of its name gets one. */
export function toTranscript(written: TranscriptDraft): Transcript {
  const draft = withoutOddFigures(written);
  const task = draft.task.trim() === '' ? stemOf(draft.source.file) : draft.task;
  const trial = draft.trial.trim() === '' ? '0' : draft.trial;
  return { ...draft, task, trial, hash: hashOf(draft) };
}

/**
 * SHA-256 over all that replay and its figures depend on: dialect, agent model, reward, and for each request
 * its messages' bytes, envelope, action, segment, model, time and usage. Each distinct message is
 * hashed once, and a request as what it keeps of the list before it and what it adds.
 */
function hashOf(draft: TranscriptDraft): string {
  const hash = createHash('sha256');
  const numbers = new Map<Message, number>();
  const numberOf = (message: Message): number => {
    const known = numbers.get(message);
    if (known !== undefined) return known;
    const number = numbers.size;
    numbers.set(message, number);
    hash.update(`message ${number} ${message.raw.length} `).update(message.raw, 'utf8');
    return number;
  };
  const envelopes = new Map<Envelope, number>();
  const envelopeNumber = (envelope: Envelope): number => {
    const known = envelopes.get(envelope);
    if (known !== undefined) return known;
    const number = envelopes.size;
    envelopes.set(envelope, number);
    hash.update(`envelope ${number} ${JSON.stringify([envelope.system, envelope.tools])}`);
    return number;
  };
  hash.update(JSON.stringify([draft.dialect, draft.model, draft.reward]));
  let before: readonly Message[] = [];
  for (const request of draft.requests) {
    const { messages, action, envelope } = request;
    const kept = sharedStart(before, messages);
    const added = messages.slice(kept).map(numberOf);
    const rest = [
      request.segment,
      action === undefined ? undefined : numberOf(action),
      envelope === undefined ? undefined : envelopeNumber(envelope),
      request.model,
      request.time,
      request.usage,
    ];
    hash.update(`request ${kept} ${messages.length} ${added.join(',')} ${JSON.stringify(rest)}`);
    before = messages;
  }
  return hash.digest('hex');
}

/** What a recording says of a model call besides its messages. */
export type CallFacts = Omit<Request, 'segment' | 'messages' | 'action'>;

/**
 * One request for each assistant message of a recorded list: what stood before it. The assistant message
 * is the action. What follows the last one was never sent, and one at the very start answers nothing.
 *
 * @param facts what is known of the call that `message`, at `index` of the list, answers; undefined: it
 *   was no call (a greeting, an example).
 */
export function requestsOfList(
  messages: readonly Message[],
  facts: (message: Message, index: number) => CallFacts | undefined = () => ({}),
): readonly Request[] {
  const requests: Request[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant' || index === 0) continue;
    const known = facts(message, index);
    if (known === undefined) continue;
    requests.push(requestOfView(messages, index, { segment: 0, action: message, ...known }));
  }
  return requests;
}

/** Why messages behind the last answer are in no request. */
export const NEVER_SENT = 'behind the last answer, never sent';

/** Counts the messages of a list that one record each was read as: those that were sent, and the rest. */
export function countList(
  loss: LossReport,
  file: string,
  messages: readonly Message[],
  requests: readonly Request[],
): void {
  const last = requests.at(-1);
  const sent = last === undefined ? 0 : last.messages.length + (last.action === undefined ? 0 : 1);
  loss.read(file, sent);
  loss.skipped(file, requests.length === 0 ? 'no model call' : NEVER_SENT, messages.length - sent);
}

/** File name without its folders and its last extension: a task's name where none is recorded. */
export function stemOf(path: string): string {
  return basename(path)
    .replace(/(?<=.)\.gz$/i, '')
    .replace(/(?<=.)\.[^.]+$/, '');
}
