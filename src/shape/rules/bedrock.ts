/** Rules of Bedrock Converse. */
import { quote } from '../excerpt.ts';
import {
  asObject,
  asString,
  isBlank,
  isObject,
  type JsonObject,
  kindOf,
  objectsOf,
} from '../json-values.ts';
import { refusesMixedTurns } from '../models.ts';
import {
  dialectRules,
  type Finding,
  type ListRule,
  type MessageFinding,
  type MessageRule,
  type Rule,
  type RuleText,
} from '../rule.ts';
import { wellFormed } from './any.ts';

interface Tool {
  readonly id: string;
  readonly block: number;
}

/** Bits of `kinds`. */
const KIND = { use: 1, result: 2 } as const;

interface BedrockFacts {
  readonly kinds: number;
  readonly role: string;
  readonly uses: readonly Tool[];
  readonly results: readonly Tool[];
  /** Index of the first text block. */
  readonly text: number | undefined;
  /** Whether the message holds nothing but tool results. */
  readonly onlyResults: boolean;
}

const NO_TOOLS: readonly Tool[] = [];

function toolsOf(blocks: readonly JsonObject[], key: 'toolUse' | 'toolResult'): readonly Tool[] {
  const found = blocks.flatMap((block, index): Tool[] => {
    const tool = block[key];
    return isObject(tool) ? [{ id: asString(tool.toolUseId) ?? '', block: index }] : [];
  });
  return found.length === 0 ? NO_TOOLS : found;
}

function bedrockFacts(items: readonly JsonObject[]): BedrockFacts {
  const blocks = objectsOf(items[0]?.content);
  const results = toolsOf(blocks, 'toolResult');
  const text = blocks.findIndex((block) => typeof block.text === 'string');
  const uses = toolsOf(blocks, 'toolUse');
  return {
    kinds: (uses.length > 0 ? KIND.use : 0) | (results.length > 0 ? KIND.result : 0),
    role: asString(items[0]?.role) ?? '',
    uses,
    results,
    text: text < 0 ? undefined : text,
    onlyResults: results.length === blocks.length,
  };
}

function described(
  text: Omit<RuleText, 'provider' | 'severity' | 'source'> & { severity?: 'warning' },
): RuleText {
  return {
    provider: 'bedrock',
    severity: 'error',
    source: 'shape-rules.md, Bedrock Converse: provider documentation and public reports',
    ...text,
  };
}

const listRules: readonly ListRule<BedrockFacts>[] = [
  {
    ...described({
      id: 'B-ALT',
      explanation: 'Roles alternate between user and assistant.',
      providerError: 'roles must alternate between "user" and "assistant"',
      needs: 'list',
      fix: 'Join neighbours of one role into one message.',
      rewriteCanBreak: true,
    }),
    *find(facts): Generator<Finding> {
      for (const [message, { role }] of facts.entries()) {
        if (role !== 'user' && role !== 'assistant') {
          yield { message, detail: `role ${quote(role)}: expected user or assistant` };
        } else if (facts[message - 1]?.role === role) {
          yield { message, detail: `role '${role}' twice in a row` };
        }
      }
    },
  },
  {
    ...described({
      id: 'B-FIRST',
      explanation: 'The first message is a user turn.',
      providerError: 'A conversation must start with a user message',
      needs: 'list',
      fix: 'Keep the first user turn, or put a user message in front.',
      rewriteCanBreak: true,
    }),
    *find(facts): Generator<Finding> {
      const first = facts[0];
      if (first === undefined || first.role === 'user') return;
      yield { message: 0, detail: `the first message has role ${quote(first.role)}` };
    },
  },
  {
    ...described({
      id: 'B-PAIR-1',
      explanation: 'Every toolUse is answered by a toolResult in the very next turn.',
      providerError: 'Expected toolResult blocks for the following Ids',
      needs: 'list',
      fix: 'Keep or drop a toolUse together with its toolResult; insert after the results.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.use,
    *find(facts, { mode }): Generator<Finding> {
      for (const [message, { uses }] of facts.entries()) {
        if (uses.length === 0) continue;
        const next = facts[message + 1];
        const inFlight =
          message + 1 >= facts.length - 1 &&
          (next === undefined || (next.role === 'user' && next.onlyResults));
        if (mode === 'prefix' && inFlight) continue;
        const answered = new Set(next?.role === 'user' ? next.results.map(({ id }) => id) : []);
        for (const { id, block } of uses) {
          if (answered.has(id)) continue;
          yield {
            message,
            block,
            detail: `toolUse ${quote(id)} has no toolResult in the next turn`,
          };
        }
      }
    },
  },
  {
    ...described({
      id: 'B-PAIR-2',
      explanation:
        'A turn holds no more toolResult blocks than the turn before it has toolUse blocks.',
      providerError:
        'The number of toolResult blocks exceeds the number of toolUse blocks of previous turn',
      needs: 'list',
      fix: 'Drop the toolResult together with its toolUse.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.result,
    *find(facts): Generator<Finding> {
      for (const [message, { results, role }] of facts.entries()) {
        if (results.length === 0) continue;
        const previous = facts[message - 1];
        const called = role === 'user' && previous?.role === 'assistant' ? previous.uses : NO_TOOLS;
        const open = new Set(called.map(({ id }) => id));
        for (const { id, block } of results) {
          if (open.delete(id)) continue;
          yield {
            message,
            block,
            detail: `toolResult ${quote(id)} answers no toolUse of the turn before`,
          };
        }
      }
    },
  },
  {
    ...described({
      id: 'B-CFG',
      explanation: 'A request whose list holds tool blocks has a toolConfig.',
      providerError:
        'The toolConfig field must be defined when using toolUse and toolResult content blocks',
      needs: 'request',
      fix: 'Keep the tool declarations, or write the tool blocks as text.',
      rewriteCanBreak: false,
    }),
    concerns: KIND.use | KIND.result,
    *find(facts, { context }): Generator<Finding> {
      if (context.toolConfig === undefined) return;
      if (objectsOf(asObject(context.toolConfig).tools).length > 0) return;
      const message = facts.findIndex(({ uses, results }) => uses.length + results.length > 0);
      if (message >= 0) yield { message, detail: 'tool blocks in a request without toolConfig' };
    },
  },
  {
    ...described({
      id: 'B-MIX',
      severity: 'warning',
      explanation: 'Some model families take no text beside a tool result.',
      providerError:
        'Conversation blocks and tool result blocks cannot be provided in the same turn',
      needs: 'list',
      fix: 'Put the text into the toolResult, or behind an assistant turn.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.result,
    *find(facts, { context }): Generator<Finding> {
      if (!refusesMixedTurns(context.model)) return;
      for (const [message, { results, text }] of facts.entries()) {
        if (results.length === 0 || text === undefined) continue;
        yield { message, block: text, detail: 'text beside a toolResult' };
      }
    },
  },
];

const messageRules: readonly MessageRule[] = [
  {
    ...described({
      id: 'B-BLANK',
      explanation: 'No text is blank, also inside a toolResult, and no content is empty.',
      providerError: 'The text field in the ContentBlock object is blank',
      needs: 'list',
      fix: 'Drop the block, or put a short note in its place; join the neighbours of a dropped message.',
      rewriteCanBreak: true,
    }),
    *find([message]): Generator<MessageFinding> {
      const blocks = objectsOf(message?.content);
      if (blocks.length === 0) yield { detail: 'the content is empty' };
      for (const [index, block] of blocks.entries()) {
        const inner = objectsOf(asObject(block.toolResult).content);
        if ([block, ...inner].every(({ text }) => typeof text !== 'string' || !isBlank(text)))
          continue;
        yield { block: index, detail: 'a text is blank' };
      }
    },
  },
  {
    ...described({
      id: 'B-INPUT',
      explanation: 'The input of a toolUse is an object.',
      providerError: 'toolUse.input is invalid. Provide a json object',
      needs: 'list',
      fix: 'Shorten values inside the input, not its JSON text.',
      rewriteCanBreak: true,
    }),
    *find([message]): Generator<MessageFinding> {
      for (const [index, { toolUse }] of objectsOf(message?.content).entries()) {
        if (!isObject(toolUse) || isObject(toolUse.input)) continue;
        yield { block: index, detail: `the input of a toolUse is ${kindOf(toolUse.input)}` };
      }
    },
  },
];

export const bedrockRules: readonly Rule[] = dialectRules({
  facts: bedrockFacts,
  message: [...messageRules, wellFormed],
  list: listRules,
});
