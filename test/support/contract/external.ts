import { turnsOf } from '../../../src/compaction/control-turns.ts';
import type { ExternalCall } from '../../../src/compaction/external-call.ts';
import { MessageTable } from '../../../src/transcript/intern.ts';
import type { Dialect } from '../../../src/wire/dialect.ts';

/** Somebody else's compactor, well behaved: it drops the older half of the turns, and says nothing of it. */
export function callExternal(dialect: Dialect): ExternalCall {
  return async (_target, body) => {
    const { messages, envelope } = dialect.parse(body, new MessageTable());
    const { head, turns } = turnsOf(messages, { countMessage: () => 1 });
    const kept = turns[Math.floor(turns.length / 2)]?.from ?? messages.length;
    const list = [...messages.slice(0, head.to), ...messages.slice(kept)];
    return { kind: 'reply', body: dialect.encode(list, envelope) };
  };
}
