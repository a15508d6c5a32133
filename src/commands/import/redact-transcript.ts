import { toTranscript } from '../../recordings/transcripts.ts';
import type { KeyedRedaction } from '../../text/redact-keyed.ts';
import { MessageTable } from '../../transcript/intern.ts';
import type { Message } from '../../transcript/message.ts';
import type { Envelope, Request, Transcript } from '../../transcript/transcript.ts';
import { dialectOf } from '../../wire/catalog.ts';
import { learnJson, redactJson } from './redact-json.ts';

/** Takes note of the secrets of a transcript. */
export function learnTranscript(transcript: Transcript, redaction: KeyedRedaction): void {
  const { task, trial, lineage, agent = '', model = '', source } = transcript;
  for (const text of [task, trial, lineage, agent, model, source.file, source.session]) {
    redaction.learn(text);
  }
  const seen = new Set<Message | Envelope>();
  for (const { messages, action, envelope } of transcript.requests) {
    for (const message of action === undefined ? messages : [...messages, action]) {
      if (seen.has(message)) continue;
      seen.add(message);
      learnJson(message.raw, redaction);
    }
    if (envelope === undefined || seen.has(envelope)) continue;
    seen.add(envelope);
    learnJson(envelope.head, redaction);
    learnJson(envelope.tail, redaction);
  }
}

/**
 * The transcript with its secrets replaced, in messages, actions, system prompts, tools and names. What has
 * none is the same object.
 */
export function redactTranscript(transcript: Transcript, redaction: KeyedRedaction): Transcript {
  const dialect = dialectOf(transcript.dialect);
  const table = new MessageTable();
  const messages = memoized((message: Message) => {
    const raw = redactJson(message.raw, redaction);
    return raw === message.raw ? message : dialect.parseMessage(raw, table);
  });
  const envelopes = memoized((envelope: Envelope) => redactEnvelope(envelope, redaction));
  let before:
    | { readonly list: readonly Message[]; readonly written: readonly Message[] }
    | undefined;
  const requests = transcript.requests.map((request): Request => {
    const list = request.messages;
    // The same list again stays one list.
    const written = before?.list === list ? before.written : list.map(messages);
    before = { list, written };
    const { action, envelope, model } = request;
    return {
      ...request,
      messages: written,
      ...(action === undefined ? {} : { action: messages(action) }),
      ...(envelope === undefined ? {} : { envelope: envelopes(envelope) }),
      ...(model === undefined ? {} : { model: redaction.redact(model) }),
    };
  });
  const { hash: _, source, agent, model, ...rest } = transcript;
  const redact = (text: string) => redaction.redact(text);
  return toTranscript({
    ...rest,
    task: redact(rest.task),
    trial: redact(rest.trial),
    lineage: redact(rest.lineage),
    source: { ...source, file: redact(source.file), session: redact(source.session) },
    ...(agent === undefined ? {} : { agent: redact(agent) }),
    ...(model === undefined ? {} : { model: redact(model) }),
    requests,
  });
}

function redactEnvelope(envelope: Envelope, redaction: KeyedRedaction): Envelope {
  const { system, tools } = envelope;
  return {
    ...envelope,
    head: redactJson(envelope.head, redaction),
    tail: redactJson(envelope.tail, redaction),
    // They are parts of head and tail, and their strings are redacted as there.
    ...(system === undefined ? {} : { system: redactJson(system, redaction) }),
    ...(tools === undefined ? {} : { tools: redactJson(tools, redaction) }),
  };
}

function memoized<T extends object>(make: (value: T) => T): (value: T) => T {
  const made = new Map<T, T>();
  return (value) => {
    const known = made.get(value) ?? make(value);
    made.set(value, known);
    return known;
  };
}
