import type { Config } from '../../src/compaction/config.ts';
import { markerOf, Stash } from '../../src/compaction/stash.ts';
import type { ModelRequest, TurnRequest, WireName } from '../../src/model/model.ts';
import { scriptedModel } from '../../src/model/scripted.ts';
import {
  type ScriptedTurns,
  scriptedTurns,
  type TurnStep,
} from '../../src/model/scripted-turns.ts';
import type { AskedFigures, AskingPlan } from '../../src/replay/asking.ts';
import { CellAsking } from '../../src/replay/asking.ts';
import type { RequestReplay } from '../../src/replay/result.ts';
import { SharedAnswers } from '../../src/replay/shared-answers.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Request, Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { configsNamed } from '../support/sweeps.ts';

/** What stands in the recorded requests and not in the rewritten ones. */
const DETAIL = 'The owner of the ledger is account-4711 and the port is 8443 today.';

const table = new MessageTable();
const anthropic = dialectOf('anthropic');

const TOOLS = [
  { name: 'read_file', input_schema: { type: 'object', properties: { path: { type: 'string' } } } },
  { name: 'run', input_schema: { type: 'object', properties: { command: { type: 'string' } } } },
];

export const call = (name: string, input: object) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'toolu_action', name, input }],
});
export const calls = (name: string, input: object | string): TurnStep => ({
  kind: 'calls',
  calls: [{ name, arguments: typeof input === 'string' ? input : JSON.stringify(input) }],
});
export const says = (text: string): TurnStep => ({ kind: 'text', text });

/** A transcript of Anthropic requests that each hold the detail, followed by these actions. */
export function transcriptOf(actions: readonly object[], hash = 'constructed'): Transcript {
  const requests = actions.map((action, index): Request => {
    const messages = [
      { role: 'user', content: 'Find the owner.' },
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: `t${index}`, name: 'read_file', input: { path: 'a.md' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: `t${index}`, content: `${DETAIL}\n${FILLER}` },
        ],
      },
      { role: 'assistant', content: 'I have read it.' },
      { role: 'user', content: `Go on with step ${index}.` },
    ];
    const body = JSON.stringify({ model: 'm', system: 'Be brief.', tools: TOOLS, messages });
    const parsed = anthropic.parse(body, table);
    return {
      segment: 0,
      messages: parsed.messages,
      envelope: parsed.envelope,
      action: anthropic.parseMessage(JSON.stringify(action), table),
    };
  });
  return {
    task: 'constructed',
    trial: '0',
    lineage: 'main',
    source: { file: 'constructed.json', format: 'constructed', session: 's' },
    dialect: 'anthropic',
    requests,
    retries: 0,
    hash,
  };
}

const FILLER = 'all of this is in order here\n'.repeat(12);

/** A rewrite that stashes the detail; without `marker` nothing leads back to it. */
export function rewrittenOf(
  before: readonly Message[],
  stash: Stash,
  marker = true,
): readonly Message[] {
  return before.map((message, index) => {
    if (index !== 2) return message;
    const key = stash.putMessages(before, 2, 3);
    return anthropic.replaceResult(message, 0, marker ? `Gone: ${markerOf(key)}` : 'Gone.', table);
  });
}

/** Only what a sample looks at. */
export function replayOf(index: number, changed = true): RequestReplay {
  return {
    index,
    changed,
    tokensBefore: 0,
    tokensAfter: 0,
    steps: [],
    violationsBefore: 0,
    violationsAdded: [],
    addedMs: 0,
    evidence: undefined,
    markers: { visible: 0, nested: 0, depth: 0 },
  };
}

export interface AskOptions {
  readonly transcript: Transcript;
  /** Reply to a request that still has the detail, and to one that has not. */
  readonly original: TurnStep | ((request: TurnRequest) => TurnStep);
  readonly rewritten: TurnStep | ((request: TurnRequest) => TurnStep);
  /** Reply to the prompt that asks for questions. */
  readonly writer?: (request: ModelRequest) => string;
  readonly plan?: Partial<AskingPlan>;
  readonly shared?: SharedAnswers;
  readonly wire?: WireName;
  readonly config?: Config;
  readonly marker?: boolean;
  readonly sample?: number;
}

/** Asks about every request of the transcript, each rewritten, and gives what the model was asked. */
export async function ask(
  options: AskOptions,
): Promise<AskedFigures & { readonly turns: ScriptedTurns; readonly shared: SharedAnswers }> {
  const { transcript, original, rewritten, wire = 'anthropic' } = options;
  const config = options.config ?? (await maskConfig());
  const plan = { agreement: 10, probes: 0, seed: 1, ...options.plan };
  const shared = options.shared ?? new SharedAnswers();
  const turns = scriptedTurns(
    (request) => {
      const step = request.messages.includes('account-4711') ? original : rewritten;
      return typeof step === 'function' ? step(request) : step;
    },
    { wire },
  );
  const model = scriptedModel(options.writer ?? (() => '[]'), { turns });
  const stash = new Stash();
  const asking = new CellAsking({ transcript, config }, plan);
  for (const [index, { messages }] of transcript.requests.entries()) {
    asking.observe(replayOf(index), messages, rewrittenOf(messages, stash, options.marker));
  }
  const { sample = 0 } = options;
  const signal = new AbortController().signal;
  const figures = await asking.measure({ stash }, { model, shared, sample, signal });
  return { ...figures, turns, shared };
}

export async function maskConfig(): Promise<Config> {
  const [config] = await configsNamed('cg-mask');
  if (config === undefined) throw new Error('no config');
  return config;
}
