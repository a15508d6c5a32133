import { z } from 'zod';
import { type BoundComponent, bindComponent } from '../../src/compaction/bound.ts';
import {
  type CompactionRequest,
  type Context,
  defineComponent,
  type Outcome,
} from '../../src/compaction/component.ts';
import type { Message } from '../../src/transcript/message.ts';

/** A component that does what the function says: to seed a fault, or to watch what it is given. */
export function componentOf(
  compact: (request: CompactionRequest, context: Context) => Promise<Outcome> | Outcome,
  facts: { name?: string; kind?: 'reformat' | 'offload'; timeLimit?: number } = {},
): BoundComponent {
  const { name = 'seeded', kind = 'offload', timeLimit = 1000 } = facts;
  const component = defineComponent({
    name,
    kind,
    about: 'Does what a test says.',
    version: 1,
    timeLimit,
    config: z.strictObject({}),
    compact: async (request, _config, context) => compact(request, context),
  });
  const bound = bindComponent(component, name, {});
  if (!bound.ok) throw bound.error;
  return bound.bound;
}

/** An outcome that sends this list. */
export function changed(
  messages: readonly Message[],
  facts: Partial<Omit<Outcome & { kind: 'changed' }, 'kind' | 'messages'>> = {},
): Outcome {
  return { kind: 'changed', messages, stashed: [], ...facts };
}

/** `messages[from, to)` stashed whole, with their marker in a user message in their place. */
export function dropSpan(
  messages: readonly Message[],
  from: number,
  to: number,
  context: Context,
  text = '',
): Outcome {
  const key = context.stash.putMessages(messages, from, to);
  const marker = context.dialect.userText(`${text}<<cg:${key}>>`, context.table);
  return changed([...messages.slice(0, from), marker, ...messages.slice(to)], { stashed: [key] });
}
