/** What a single message may hold: blocks by role, tool blocks, keys and marks. Its texts stand in `emptiness.ts`. */
import { quote } from '../../excerpt.ts';
import { asArray, asObject, asString, isBlank, isObject, kindOf } from '../../json-values.ts';
import type { MessageFinding, MessageRule } from '../../rule.ts';
import { isServerCall, isServerResult, isThinking, ROLES } from './facts.ts';
import { type Part, partsOf } from './parts.ts';
import { described } from './source.ts';

const MESSAGE_KEYS: ReadonlySet<string> = new Set(['role', 'content', 'output_config', 'clear_at']);
const TOOL_ID = /^[a-zA-Z0-9_-]+$/;

function isCall({ block }: Part): boolean {
  return block.type === 'tool_use' || isServerCall(asString(block.type) ?? '');
}

/** Why a block may not stand in a message of this role. */
function misplaced(role: string, type: string): string | undefined {
  if (type === 'tool_result') return role === 'user' ? undefined : 'only in user turns';
  if (type !== 'tool_use' && !isThinking(type) && !isServerCall(type) && !isServerResult(type)) {
    return undefined;
  }
  return role === 'assistant' ? undefined : 'only in assistant turns';
}

export const contentRules: readonly MessageRule[] = [
  {
    ...described({
      id: 'A-ROLE-1',
      explanation:
        'tool_use and thinking stand in assistant turns only, tool_result in user turns only; there is no role tool.',
      providerError: 'tool_use blocks can only be in assistant messages',
      needs: 'list',
      fix: 'Split the message by role, or write the block as text.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      const role = asString(items[0]?.role) ?? '';
      if (!ROLES.has(role)) {
        yield { detail: `role ${quote(role)}: expected user, assistant or system` };
        return;
      }
      for (const { block, index } of partsOf(items)) {
        const type = asString(block.type) ?? '';
        const reason = misplaced(role, type);
        if (reason === undefined) continue;
        yield {
          block: index,
          detail: `${type} in a message of role ${role}; it may stand ${reason}`,
        };
      }
    },
  },
  {
    ...described({
      id: 'A-ERR-TEXT',
      explanation: 'A tool_result with is_error holds text only.',
      providerError: 'all content must be type "text" if "is_error" is true',
      needs: 'list',
      fix: 'Drop what is not text, or the flag.',
      rewriteCanBreak: false,
    }),
    *find(items): Generator<MessageFinding> {
      for (const { block, index } of partsOf(items)) {
        if (block.type !== 'tool_result' || block.is_error !== true) continue;
        const other = asArray(block.content).find((inner) => asObject(inner).type !== 'text');
        if (other === undefined) continue;
        const type = quote(String(asObject(other).type));
        yield { block: index, detail: `a tool_result with is_error holds a block of type ${type}` };
      }
    },
  },
  {
    ...described({
      id: 'A-CACHE-2',
      explanation: 'No cache mark stands on empty text or on thinking.',
      providerError: 'cache_control cannot be set for empty text blocks',
      needs: 'list',
      fix: 'Move the mark to the nearest text or tool block.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const { block, index } of partsOf(items)) {
        for (const marked of [block, ...asArray(block.content).map(asObject)]) {
          if (!isObject(marked.cache_control)) continue;
          const type = asString(marked.type) ?? '';
          const emptyText = type === 'text' && (marked.text ?? '') === '';
          if (!emptyText && !isThinking(type)) continue;
          yield {
            block: index,
            detail: `cache mark on ${emptyText ? 'an empty text block' : type}`,
          };
        }
      }
    },
  },
  {
    ...described({
      id: 'A-ID-1',
      explanation: 'A tool id holds letters, digits, "_" and "-" only.',
      providerError: "String should match pattern '^[a-zA-Z0-9_-]+$'",
      needs: 'list',
      fix: 'Rename the id in the call and in its result by one map.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const part of partsOf(items)) {
        const { block, index } = part;
        if (!isCall(part) && block.type !== 'tool_result') continue;
        const id = isCall(part) ? block.id : block.tool_use_id;
        if (typeof id === 'string' && TOOL_ID.test(id)) continue;
        const found = typeof id === 'string' ? quote(id) : kindOf(id);
        yield { block: index, detail: `the id of ${String(block.type)} is ${found}` };
      }
    },
  },
  {
    ...described({
      id: 'A-NAME-1',
      explanation: 'A tool name is not empty.',
      providerError: 'tool_use.name: String should have at least 1 character',
      needs: 'list',
      fix: 'Keep the name that was recorded.',
      rewriteCanBreak: false,
    }),
    *find(items): Generator<MessageFinding> {
      for (const part of partsOf(items)) {
        if (!isCall(part) || !isBlank(asString(part.block.name) ?? '')) continue;
        yield { block: part.index, detail: `the name of ${String(part.block.type)} is empty` };
      }
    },
  },
  {
    ...described({
      id: 'A-INPUT-1',
      explanation: 'The input of a call is an object.',
      providerError: 'tool_use.input: Input should be a valid dictionary',
      needs: 'list',
      fix: 'Shorten values inside the input, not its JSON text.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const part of partsOf(items)) {
        if (!isCall(part) || isObject(part.block.input)) continue;
        const { type, input } = part.block;
        yield { block: part.index, detail: `the input of ${String(type)} is ${kindOf(input)}` };
      }
    },
  },
  {
    ...described({
      id: 'A-EXTRA-1',
      explanation: 'A message has no key but role, content, output_config and clear_at.',
      providerError: 'Extra inputs are not permitted',
      needs: 'list',
      fix: 'Leave bookkeeping out of what is sent.',
      rewriteCanBreak: true,
    }),
    *find(items): Generator<MessageFinding> {
      for (const key of Object.keys(items[0] ?? {})) {
        if (!MESSAGE_KEYS.has(key)) yield { detail: `unknown key ${quote(key)}` };
      }
    },
  },
];
