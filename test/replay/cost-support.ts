import type { MarkLifetime } from '../../src/model/caching.ts';
import { CostLedger, type CostReplay } from '../../src/replay/cost-ledger.ts';
import type { Expansion } from '../../src/replay/expansion.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { DialectName, Message } from '../../src/transcript/message.ts';
import type { Request, Transcript, Usage } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';

/** A text of exactly so many tokens, another for each name. */
function textOf(name: string, tokens: number): string {
  const start = `${name}:`;
  const text = start + ' on'.repeat(Math.max(0, tokens - countTokens(start)));
  const counted = countTokens(text);
  if (counted !== tokens) throw new Error(`${name}: ${counted} tokens, not ${tokens}`);
  return text;
}

/** A block of a message or of the system prompt: its name, its tokens, and its cache mark. */
export type Part = readonly [name: string, tokens: number, mark?: MarkLifetime];

interface Prompt {
  /** Tool declarations, of exactly so many tokens. */
  readonly tools?: readonly Part[];
  readonly system?: readonly Part[];
  /** Turns of one or several blocks; those whose name begins with an `a` or is a call are the model's. */
  readonly turns: readonly (readonly Part[])[];
  /** A mark of the whole request (anthropic). */
  readonly automatic?: MarkLifetime;
}

export interface Step extends Prompt {
  /** The turns that are sent after compaction; absent: as recorded. */
  readonly after?: readonly (readonly Part[])[];
  /** Minutes since the session began; absent: no time is recorded. */
  readonly minute?: number;
  readonly model?: string;
  readonly usage?: Usage;
  /** Tokens of the answer; absent: it is not known. */
  readonly answer?: number;
  readonly expansion?: Expansion;
}

/** Bodies without any envelope: as recordings that hold messages only. */
export interface SessionOptions {
  readonly dialect: DialectName;
  readonly model?: string;
  readonly bodies?: false;
  readonly assumeModel?: string;
  readonly declaration?: number;
}

export function costOf(steps: readonly Step[], options: SessionOptions): CostReplay {
  const table = new MessageTable();
  const { dialect } = options;
  const read = (prompt: Prompt) => dialectOf(dialect).parse(bodyOf(prompt, dialect), table);
  const sent: (readonly Message[])[] = [];
  const requests = steps.map((step): Request => {
    const { messages, envelope } = read(step);
    sent.push(step.after === undefined ? messages : read({ ...step, turns: step.after }).messages);
    const action =
      step.answer === undefined
        ? undefined
        : read({ turns: [[['u', 5]], [['answer', step.answer]]] }).messages.at(-1);
    return {
      segment: 0,
      messages,
      ...(options.bodies === false ? {} : { envelope }),
      ...(step.minute === undefined ? {} : { time: START + step.minute * 60_000 }),
      ...(step.model === undefined ? {} : { model: step.model }),
      ...(step.usage === undefined ? {} : { usage: step.usage }),
      ...(action === undefined ? {} : { action }),
    };
  });
  const transcript: Transcript = {
    task: 'task',
    trial: '0',
    lineage: 'main',
    source: { file: 'f', format: 'x', session: 's' },
    dialect,
    ...(options.model === undefined ? {} : { model: options.model }),
    requests,
    retries: 0,
    hash: '',
  };
  const ledger = new CostLedger(transcript, 'o200k_base', {
    countingOf: () => ({ tokenizer: 'o200k_base', dialect, thinking: 'all' }),
    assumeModel: options.assumeModel,
    declaration: options.declaration,
  });
  for (const [index, request] of requests.entries()) {
    ledger.add(request, sent[index] ?? [], steps[index]?.expansion);
  }
  return ledger.result();
}

const START = Date.UTC(2026, 0, 1);

/** `[fresh, read, written for 5 minutes, written for an hour]` of each request. */
export function tiers(cost: CostReplay, side: 'before' | 'after'): (number | undefined)[][] {
  return cost.requests.flatMap((request) =>
    (side === 'before' ? [request.before] : request.after).map((charge) => [
      charge.fresh,
      charge.cacheRead,
      charge.cacheWrite5m,
      charge.cacheWrite1h,
    ]),
  );
}

function bodyOf(prompt: Prompt, dialect: DialectName): string {
  const { tools = [], system = [], turns } = prompt;
  const role = (parts: readonly Part[]) => (isAnswer(parts) ? 'assistant' : 'user');
  switch (dialect) {
    case 'anthropic': {
      const block = ([name, tokens, mark]: Part) => ({
        type: 'text',
        text: textOf(name, tokens),
        ...control(mark),
      });
      return JSON.stringify({
        tools: tools.map((part) => ({ ...tool(part), ...control(part[2]) })),
        system: system.map(block),
        messages: turns.map((parts) => ({ role: role(parts), content: parts.map(block) })),
        ...control(prompt.automatic),
      });
    }
    case 'bedrock': {
      const blocks = (parts: readonly Part[], write: (part: Part) => object) =>
        parts.flatMap((part) => [write(part), ...point(part[2])]);
      const text = ([name, tokens]: Part) => ({ text: textOf(name, tokens) });
      return JSON.stringify({
        toolConfig: { tools: blocks(tools, tool) },
        system: blocks(system, text),
        messages: turns.map((parts) => ({ role: role(parts), content: blocks(parts, text) })),
      });
    }
    case 'openai-chat': {
      const content = (parts: readonly Part[]) =>
        parts.map(([name, tokens, mark]) => ({
          type: 'text',
          text: textOf(name, tokens),
          ...control(mark),
        }));
      const first = system.length === 0 ? [] : [{ role: 'system', content: content(system) }];
      return JSON.stringify({
        tools: tools.map(tool),
        messages: [
          ...first,
          ...turns.map((parts) => ({ role: role(parts), content: content(parts) })),
        ],
      });
    }
    case 'openai-responses':
      return JSON.stringify({
        tools: tools.map(tool),
        instructions: system.map(([name, tokens]) => textOf(name, tokens)).join(''),
        input: turns.map((parts) => ({
          type: 'message',
          role: role(parts),
          content: parts.map(([name, tokens]) => ({
            type: isAnswer(parts) ? 'output_text' : 'input_text',
            text: textOf(name, tokens),
          })),
        })),
      });
    case 'gemini': {
      const parts = (given: readonly Part[]) =>
        given.map(([name, tokens]) => ({ text: textOf(name, tokens) }));
      return JSON.stringify({
        tools: tools.map(tool),
        systemInstruction: { parts: parts(system) },
        contents: turns.map((given) => ({
          role: isAnswer(given) ? 'model' : 'user',
          parts: parts(given),
        })),
      });
    }
  }
}

function isAnswer(parts: readonly Part[]): boolean {
  return /^(?:a|call )/.test(parts[0]?.[0] ?? '');
}

function control(mark: MarkLifetime | undefined): object {
  if (mark === undefined) return {};
  return { cache_control: { type: 'ephemeral', ...(mark === '1h' ? { ttl: '1h' } : {}) } };
}

function point(mark: MarkLifetime | undefined): object[] {
  if (mark === undefined) return [];
  return [{ cachePoint: { type: 'default', ...(mark === '1h' ? { ttl: '1h' } : {}) } }];
}

/** A declaration whose JSON text has exactly so many tokens. */
function tool([name, tokens]: Part): object {
  for (let length = 0; length <= tokens; length++) {
    const declared = { name, description: `Runs${' on'.repeat(length)}.` };
    if (countTokens(JSON.stringify(declared)) === tokens) return declared;
  }
  throw new Error(`no declaration of ${tokens} tokens`);
}
