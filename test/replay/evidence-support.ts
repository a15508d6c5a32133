import { Stash } from '../../src/compaction/stash.ts';
import type { ActionEvidence } from '../../src/replay/evidence.ts';
import type { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Request, Transcript } from '../../src/transcript/transcript.ts';
import { conversation, type Step, type WireDialect } from '../support/wire-steps.ts';

/** A recording of these steps: one request for each assistant message, which is its action. */
export interface Session {
  readonly transcript: Transcript;
  readonly table: MessageTable;
  readonly stash: Stash;
  /** A message of this wire, as a component would make it. */
  user(text: string): Message;
}

export function session(
  dialect: WireDialect,
  steps: readonly Step[],
  facts: { readonly system?: string; readonly unknownLast?: boolean } = {},
): Session {
  const { messages, table } = conversation(dialect, steps);
  const envelope =
    facts.system === undefined
      ? {}
      : { envelope: { head: '', separator: ',', tail: '', system: facts.system } };
  const requests: Request[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const list = messages.slice(0, index);
    requests.push({ segment: 0, messages: list, action: message, ...envelope });
  }
  if (facts.unknownLast === true) requests.push({ segment: 0, messages, ...envelope });
  const transcript: Transcript = {
    task: 'task',
    trial: '0',
    lineage: 'main',
    source: { file: 'session.json', format: 'messages', session: 'session' },
    dialect,
    requests,
    retries: 0,
    hash: 'hash',
  };
  return {
    transcript,
    table,
    stash: new Stash(),
    user: (text) => userMessage(dialect, text, table),
  };
}

function userMessage(dialect: WireDialect, text: string, table?: MessageTable): Message {
  const [message] = conversation(dialect, [{ kind: 'user', text }], table).messages;
  if (message === undefined) throw new Error('no message');
  return message;
}

/** `value: status` of each identifier that the action used. */
export function statuses(evidence: ActionEvidence | undefined): Record<string, string> {
  return Object.fromEntries((evidence?.used ?? []).map(({ value, status }) => [value, status]));
}

/** A call with these arguments, and what it gave. */
export function exchange(number: number, input: unknown, result = 'ok'): Step {
  const call = { id: `call_${number}`, name: 'run', input: JSON.stringify(input), result };
  return { kind: 'exchange', calls: [call] };
}
