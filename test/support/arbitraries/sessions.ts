import * as fc from 'fast-check';
import type { ShapeContext } from '../../../src/shape/context.ts';
import { MessageTable } from '../../../src/transcript/intern.ts';
import type { DialectName, Message } from '../../../src/transcript/message.ts';
import { dialectOf } from '../../../src/wire/catalog.ts';
import { type Damage, damaged, damages, withTexts } from './damage.ts';
import { type Script, scripts } from './script.ts';
import { spell } from './spelling.ts';
import { anthropicWriter } from './writers/anthropic.ts';
import { bedrockWriter } from './writers/bedrock.ts';
import type { Entry, Writer } from './writers/entry.ts';
import { geminiWriter } from './writers/gemini.ts';
import { openaiChatWriter } from './writers/openai-chat.ts';
import { openaiResponsesWriter } from './writers/openai-responses.ts';

/** A growing session: the list of each request as an agent would send it, and what stands around the list. */
export interface Session {
  readonly dialect: DialectName;
  readonly lists: readonly (readonly Message[])[];
  readonly context: ShapeContext;
  readonly table: MessageTable;
}

/** What a session is made of: plain data. */
export interface SessionPlan {
  readonly script: Script;
  /** What happened to the lists before anybody saw them; none in a valid session. */
  readonly damages: readonly Damage[];
}

export const dialectNames: readonly DialectName[] = [
  'anthropic',
  'openai-chat',
  'openai-responses',
  'gemini',
  'bedrock',
];

const writers: { readonly [Name in DialectName]: Writer } = {
  anthropic: anthropicWriter,
  'openai-chat': openaiChatWriter,
  'openai-responses': openaiResponsesWriter,
  gemini: geminiWriter,
  bedrock: bedrockWriter,
};

/** Sessions whose every list the provider takes. */
export function validPlans(dialect: DialectName): fc.Arbitrary<SessionPlan> {
  return scripts(dialect).map((script) => ({ script, damages: [] }));
}

/** Sessions that something happened to: most of their lists are refused. */
export function damagedPlans(dialect: DialectName): fc.Arbitrary<SessionPlan> {
  return fc.record({ script: scripts(dialect), damages });
}

/** Requests of a session at most; those of a long one are spread over it. */
const MOST_REQUESTS = 6;

export function sessionOf({ script, damages: done }: SessionPlan): Session {
  const writer = writers[script.dialect];
  const entries = damaged(writer.entries(script), done);
  const table = new MessageTable();
  const dialect = dialectOf(script.dialect);
  const lists = ends(entries).map((end, request) => {
    const edited = edit(entries.slice(0, end), script, request);
    const marked =
      script.marks === 'none' ? edited : (writer.marked?.(edited, script.marks) ?? edited);
    const texts = marked.map(({ value }) => spell(value, script.spelling));
    return dialect.parseList(`[${texts.join(',')}]`, table);
  });
  return { dialect: script.dialect, lists, context: contextOf(script), table };
}

/** Where requests were sent: before each turn of the model, and at the end unless the model wrote it. */
function ends(entries: readonly Entry[]): readonly number[] {
  const all = entries.flatMap(({ by }, index) =>
    index > 0 && by === 'model' && entries[index - 1]?.by === 'host' ? [index] : [],
  );
  if (entries.at(-1)?.by === 'host') all.push(entries.length);
  if (all.length <= MOST_REQUESTS) return all;
  const step = (all.length - 1) / (MOST_REQUESTS - 1);
  return Array.from({ length: MOST_REQUESTS }, (_, index) => all[Math.round(index * step)] ?? 0);
}

/** From some request on the host says another thing early in the list, as after a rewind. */
function edit(
  entries: readonly Entry[],
  { editedFrom }: Script,
  request: number,
): readonly Entry[] {
  if (editedFrom === undefined || request < editedFrom) return entries;
  const at = entries.findIndex(({ by }, index) => index > 1 && by === 'host');
  return entries.map((entry, index) =>
    index === at ? withTexts(entry, (text) => `${text} (again)`) : entry,
  );
}

function contextOf({ dialect, model, manualThinking }: Script): ShapeContext {
  return {
    ...(model === undefined ? {} : { model }),
    ...(dialect === 'anthropic' && manualThinking
      ? { thinking: { type: 'enabled', budget_tokens: 2000 } }
      : {}),
    ...(dialect === 'bedrock' ? { toolConfig: { tools: [{ toolSpec: { name: 'run' } }] } } : {}),
  };
}
