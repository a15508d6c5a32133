import type { BoundComponent } from '../../src/compaction/bound.ts';
import { catalog } from '../../src/compaction/catalog.ts';
import type { CompactionRequest, Context, Outcome } from '../../src/compaction/component.ts';
import { Lineage, type PipelineResult, runPipeline } from '../../src/compaction/pipeline.ts';
import { markerOf } from '../../src/compaction/stash.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { PropertyName } from '../support/contract/breach.ts';
import type { Pipeline } from '../support/contract/replay.ts';
import { type Subject, subjectOf } from '../support/contract/subjects.ts';
import type { Fault } from './fault.ts';

/** Variants of the real components and of the pipeline that break another promise than the wire's shape. */

function real(name: string): Subject {
  const entry = catalog.get(name);
  if (entry === undefined) throw new Error(`no component ${name}`);
  return subjectOf(entry);
}

type Compact = (
  request: CompactionRequest,
  context: Context,
  component: BoundComponent,
) => Promise<Outcome> | Outcome;

/** The component with another `compact`, which may call the real one. */
function wrong(name: string, make: () => Compact): Subject {
  const subject = real(name);
  return {
    ...subject,
    bind: (settings) => {
      const component = subject.bind(settings);
      const compact = make();
      return {
        ...component,
        compact: async (request, context) => compact(request, context, component),
      };
    },
  };
}

/** The real rewrite with its list changed afterwards. */
function rewritten(
  name: string,
  change: (
    messages: readonly Message[],
    request: CompactionRequest,
    context: Context,
  ) => readonly Message[],
): Subject {
  return wrong(name, () => async (request, context, component) => {
    const outcome = await component.compact(request, context);
    if (outcome.kind !== 'changed') return outcome;
    return { ...outcome, messages: change(outcome.messages, request, context) };
  });
}

function fault(name: string, property: PropertyName, subject: Subject, pipeline?: Pipeline): Fault {
  return {
    name,
    dialect: 'anthropic',
    property,
    subject,
    ...(pipeline === undefined ? {} : { pipeline }),
  };
}

/** The real pipeline, with its result changed afterwards. */
function resulting(
  change: (
    result: PipelineResult,
    ...given: Parameters<Pipeline>
  ) => PipelineResult | Promise<PipelineResult>,
): Pipeline {
  return async (messages, lineage, options) =>
    change(await runPipeline(messages, lineage, options), messages, lineage, options);
}

let runs = 0;

/** Fourth of the public record: it looks at the message before the kept ones, which there is none of. */
export const outOfRange = wrong('summarize', () => (request, context, component) => {
  const { keep_last: keepLast } = component.settings as { readonly keep_last: number };
  const at = request.messages.length - keepLast;
  if (at < 0) throw new RangeError(`index out of range [${at}]`);
  return component.compact(request, context);
});

export const propertyFaults: readonly Fault[] = [
  fault('an index out of range on a transcript shorter than keep_last', 'fail-open', outOfRange),
  fault(
    'retained messages are copies',
    'same-objects',
    rewritten('summarize', (messages) => messages.map((message) => ({ ...message }))),
  ),
  fault(
    'retained messages stand in another order',
    'same-objects',
    rewritten('summarize', ([first, summary, ...tail]) =>
      [first, summary, ...tail.reverse()].filter((message) => message !== undefined),
    ),
  ),
  fault(
    'a mask also drops the flag of an error',
    'same-objects',
    rewritten('mask', (messages, _request, { dialect, table }) =>
      messages.map((message) =>
        message.raw.includes('output masked')
          ? dialect.parseMessage(message.raw.replace(/,\s*"is_error": ?true/, ''), table)
          : message,
      ),
    ),
  ),
  fault(
    'a recorded list is changed in place',
    'not-mutated',
    real('mask'),
    async (messages, lineage, options) => {
      const result = await runPipeline([...messages], lineage, options);
      if (Array.isArray(messages) && messages.length > 1) messages.pop();
      return result;
    },
  ),
  fault(
    'a summary has the number of the run in it',
    'deterministic',
    rewritten('summarize', (messages, _request, { dialect, table }) =>
      messages.map((message) =>
        message.raw.includes('=== History Summary ===')
          ? dialect.parseMessage(
              message.raw.replace('Earlier messages', `${runs++}: messages`),
              table,
            )
          : message,
      ),
    ),
  ),
  fault(
    'the session state is lost between requests',
    'reuse',
    real('summarize'),
    (messages, _lineage, options) => runPipeline(messages, new Lineage(), options),
  ),
  fault(
    'a stale checkpoint after an edited prefix',
    'reuse',
    wrong('summarize', () => {
      let last:
        | { readonly summary: Message; readonly dropped: number; readonly key: string | undefined }
        | undefined;
      return async (request, context, component) => {
        const { messages } = request;
        const [first] = messages;
        if (last !== undefined && first !== undefined && messages.length > last.dropped + 1) {
          const tail = messages.slice(1 + last.dropped);
          const stashed = [context.stash.putMessages(messages, 1, 1 + last.dropped)];
          return {
            kind: 'changed',
            messages: [first, last.summary, ...tail],
            stashed,
            irreversible: true,
            reused: true,
          };
        }
        const outcome = await component.compact(request, context);
        const summary = outcome.kind === 'changed' ? outcome.messages[1] : undefined;
        if (outcome.kind === 'changed' && summary !== undefined) {
          last = {
            summary,
            dropped: messages.length - outcome.messages.length + 1,
            key: outcome.stashed[0],
          };
        }
        return outcome;
      };
    }),
  ),
  fault(
    'a mask that is lifted in every other request',
    'reuse',
    wrong('mask', () => {
      let request = 0;
      return (given, context, component) =>
        request++ % 2 === 0
          ? component.compact(given, context)
          : { kind: 'skipped', gate: 'resting' };
    }),
  ),
  fault(
    'the span is stashed under the key of another',
    'expand',
    real('summarize'),
    resulting((result, messages, { stash }) => {
      for (const [key, entry] of stash.entries()) {
        if (entry.kind === 'messages') stash.refresh(key, messages, entry.from + 1, entry.to);
      }
      return result;
    }),
  ),
  fault(
    'the stash keeps the beginning of an output',
    'expand',
    real('mask'),
    resulting((result, _messages, { stash }) => {
      const expand = stash.expand.bind(stash);
      stash.expand = (key) => expand(key)?.slice(0, 100);
      return result;
    }),
  ),
  fault(
    'a summary without a marker',
    'fail-open',
    rewritten('summarize', (messages, _request, { dialect, table }) =>
      messages.map((message) =>
        message.raw.includes('=== History Summary ===')
          ? dialect.parseMessage(message.raw.replace(/<<cg:[0-9a-f]{16}>>/, ''), table)
          : message,
      ),
    ),
  ),
  fault(
    'a stash key of the wrong span',
    'fail-open',
    wrong('summarize', () => async (request, context, component) => {
      const outcome = await component.compact(request, context);
      if (outcome.kind !== 'changed' || outcome.irreversible === true) return outcome;
      const key = context.stash.putMessages(request.messages, 1, 2);
      const messages = outcome.messages.map((message) =>
        message.raw.includes('=== History Summary ===')
          ? context.dialect.parseMessage(
              message.raw.replace(/<<cg:[0-9a-f]{16}>>/, markerOf(key)),
              context.table,
            )
          : message,
      );
      return { ...outcome, messages, stashed: [key] };
    }),
  ),
  fault(
    'a model that fails takes the history with it',
    'fail-open',
    real('summarize'),
    resulting((result, messages) =>
      result.steps[0]?.kind === 'reverted' ? { ...result, messages: messages.slice(-1) } : result,
    ),
  ),
  fault(
    'a rewrite that grows is sent all the same',
    'no-growth',
    real('summarize'),
    async (messages, lineage, options) => {
      let written: readonly Message[] | undefined;
      const steps = options.steps.map((step) => ({
        ...step,
        compact: async (...given: Parameters<BoundComponent['compact']>) => {
          const outcome = await step.compact(...given);
          if (outcome.kind === 'changed') written = outcome.messages;
          return outcome;
        },
      }));
      const result = await runPipeline(messages, lineage, { ...options, steps });
      return written === undefined ? result : { ...result, messages: written };
    },
  ),
  fault(
    'the tokens of the request before are reported',
    'no-growth',
    real('mask'),
    resulting((result) => ({
      ...result,
      steps: result.steps.map((step) => ({ ...step, tokensAfter: step.tokensBefore })),
    })),
  ),
  fault(
    'a guard that compares the rewrite with itself',
    'guarded',
    real('mask'),
    (messages, lineage, options) =>
      runPipeline(messages, lineage, {
        ...options,
        addedViolations: (_before, after) => options.addedViolations?.(after, after) ?? [],
      }),
  ),
  fault(
    'a guard that is never asked',
    'guarded',
    real('summarize'),
    (messages, lineage, { addedViolations: _, ...options }) =>
      runPipeline(messages, lineage, options),
  ),
  fault(
    "a model's reply is taken as it is, markers and all",
    'expand',
    wrong('summarize', () => async ({ messages }, context) => {
      if (messages.length < 4) return { kind: 'skipped', gate: 'short' };
      const spec = { source: 'incoming', provider: 'anthropic', auth: 'x-api-key' } as const;
      const reply = await context.model(spec)?.ask({
        purpose: 'summarize',
        system: 'Be brief.',
        prompt: 'Say what happened.',
        maxOutputTokens: 100,
      });
      const to = messages.findLastIndex(({ role }) => role === 'assistant');
      const key = context.stash.putMessages(messages, 1, to);
      const said = context.dialect.userText(`${reply?.text} ${markerOf(key)}`, context.table);
      return {
        kind: 'changed',
        messages: [...messages.slice(0, 1), said, ...messages.slice(to)],
        stashed: [key],
      };
    }),
  ),
  fault(
    'a prompt is cut in the middle of an emoji',
    'prompt',
    wrong(
      'summarize',
      () => async (request, context, component) =>
        component.compact(request, {
          ...context,
          model: (spec) => {
            const model = context.model(spec);
            if (model === undefined) return undefined;
            const cut = (text: string) => text.slice(0, Math.max(1, text.search(EMOJI) + 1));
            return { ...model, ask: (asked) => model.ask({ ...asked, prompt: cut(asked.prompt) }) };
          },
        }),
    ),
  ),
  fault(
    'a component that waits for a list that never comes',
    'fired',
    wrong('mask', () => () => ({ kind: 'skipped', gate: 'never' })),
  ),
];

const EMOJI = /[\ud800-\udbff][\udc00-\udfff]/;
