import { createHash } from 'node:crypto';
import { codeSystem, repairPrompt } from '../../compaction/extract/code-prompt.ts';
import { ASK_SYSTEM, exploreSystem } from '../../compaction/extract/rlm-prompt.ts';
import type { Model, ModelPurpose, ToolUse, TurnReply, WireName } from '../../model/model.ts';
import { stubNames } from '../../model/stub.ts';
import { stubTurns } from '../../model/stub-turns.ts';
import { hasToolCall, type Message, plainText } from '../../transcript/message.ts';
import { argumentsFor, fitted } from './tool-arguments.ts';
import type { ServedRequest } from './wire.ts';

/**
 * What the model says to a request. A conversation without tools is taken as what `Model.ask` sends, and gets
 * what the model says in process; to anything else the model replies as the agent, or, where it cannot, the
 * stub's agent does.
 *
 * @param id of the request; ids of calls are made from it, so that none comes twice in a session
 */
export async function answer(
  model: Model,
  wire: WireName,
  request: ServedRequest,
  id: string,
  signal: AbortSignal,
): Promise<TurnReply> {
  const { systemText: system, maxOutputTokens, messages, raw, tools } = request;
  const prompt = lastUserText(messages);
  const asksProbe = prompt.includes(QUESTION) && system !== ASK_SYSTEM;
  if (tools.length === 0 && !asksProbe && !messages.some(hasToolCall)) {
    const purpose = purposeOf(system, prompt);
    const asked = { purpose, system, prompt, maxOutputTokens, sample: 0 };
    return { ...(await model.ask(asked, signal)), toolCalls: [] };
  }
  const isStub = model.turns === undefined || stubNames.some((name) => name === model.name);
  const turns = model.turns ?? stubTurns(wire);
  const purpose = asksProbe ? 'probe' : 'agreement';
  const reply = await turns.ask({ purpose, ...raw, maxOutputTokens, sample: 0 }, signal);
  const calls = chosenCalls(reply, request).map((call, index) => {
    const hash = createHash('sha256').update(`${id} ${index}`).digest('hex').slice(0, 24);
    const own = wire === 'anthropic' ? `toolu_${hash}` : `call_${hash}`;
    const written = isStub ? fitted(call, tools) : call;
    return { ...written, id: /^call_\d+$/.test(call.id) ? own : call.id };
  });
  return { ...reply, toolCalls: calls };
}

/** The model's calls, as far as the request lets it choose. */
function chosenCalls({ toolCalls }: TurnReply, request: ServedRequest): readonly ToolUse[] {
  const { toolChoice, tools } = request;
  if (toolChoice.kind === 'none') return [];
  if (toolChoice.kind === 'auto') return toolCalls;
  const name = toolChoice.kind === 'tool' ? toolChoice.name : tools[0]?.name;
  const allowed = toolCalls.filter((call) => toolChoice.kind === 'any' || call.name === name);
  if (allowed.length > 0 || name === undefined) return allowed;
  const schema = tools.find((tool) => tool.name === name)?.schema;
  return [{ id: 'call_0', name, arguments: JSON.stringify(argumentsFor(schema, undefined)) }];
}

function lastUserText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user' && plainText(message) !== '');
  return last === undefined ? '' : plainText(last);
}

/** Where the question of a probe begins. */
const QUESTION = '<question>';
const PROBE_START = 'Questions to write: ';
const [REPAIR_START = ''] = repairPrompt('', '').split('\n', 1);
const LANGUAGES = ['javascript', 'starlark'] as const;

/** The wire does not carry the purpose, and the stub's reply depends on it; the prompts show it. */
function purposeOf(system: string, prompt: string): ModelPurpose {
  if (LANGUAGES.some((language) => system === codeSystem(language))) {
    return prompt.startsWith(REPAIR_START) ? 'repair' : 'extract';
  }
  if (system === ASK_SYSTEM || LANGUAGES.some((language) => system === exploreSystem(language))) {
    return 'explore';
  }
  if (prompt.startsWith(PROBE_START)) return 'probe';
  const isSummary = /at most \d[\d,_]* tokens/.test(system) && prompt.includes('<transcript>');
  return isSummary ? 'summarize' : 'agreement';
}
