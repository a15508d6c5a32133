/** Rules of Gemini generateContent. */
import { digestOf } from '../digest.ts';
import {
  asObject,
  asString,
  canonicalText,
  isObject,
  type JsonObject,
  objectsOf,
} from '../json-values.ts';
import { enforcesThoughtSignatures } from '../models.ts';
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

interface SignedPart {
  readonly part: number;
  readonly signature: string;
  readonly content: string;
  /** Digest of the part without its signature. */
  readonly said: string;
}

/** Bits of `kinds`. */
const KIND = { call: 1, response: 2, signed: 4 } as const;

interface GeminiFacts {
  readonly kinds: number;
  readonly role: string;
  readonly calls: number;
  /** Index of the first call, and whether it carries a signature. */
  readonly firstCall: { readonly part: number; readonly signed: boolean } | undefined;
  readonly responses: number;
  readonly signed: readonly SignedPart[];
}

/** Signatures that the provider accepts in place of a real one, on any part. */
const SENTINELS: ReadonlySet<string> = new Set([
  'skip_thought_signature_validator',
  'context_engineering_is_the_way_to_go',
]);

const NOTHING_SIGNED: readonly SignedPart[] = [];

// The wire takes both spellings of its keys.
function callOf(part: JsonObject): unknown {
  return part.functionCall ?? part.function_call;
}

function responseOf(part: JsonObject): unknown {
  return part.functionResponse ?? part.function_response;
}

function signatureOf(part: JsonObject): string {
  return asString(part.thoughtSignature) ?? asString(part.thought_signature) ?? '';
}

function geminiFacts(items: readonly JsonObject[]): GeminiFacts {
  const parts = objectsOf(items[0]?.parts);
  const calls = parts.filter((part) => isObject(callOf(part)));
  const first = parts.findIndex((part) => isObject(callOf(part)));
  const signed = parts.flatMap((part, index): SignedPart[] => {
    const signature = signatureOf(part);
    if (signature === '' || SENTINELS.has(signature)) return [];
    const { thoughtSignature: _, thought_signature: __, ...said } = part;
    return [
      {
        part: index,
        signature: digestOf(signature),
        content: digestOf(canonicalText(part)),
        said: digestOf(canonicalText(said)),
      },
    ];
  });
  const responses = parts.filter((part) => isObject(responseOf(part))).length;
  return {
    kinds:
      (calls.length > 0 ? KIND.call : 0) |
      (responses > 0 ? KIND.response : 0) |
      (signed.length > 0 ? KIND.signed : 0),
    role: asString(items[0]?.role) ?? 'user',
    calls: calls.length,
    firstCall:
      first < 0 ? undefined : { part: first, signed: signatureOf(asObject(parts[first])) !== '' },
    responses,
    signed: signed.length === 0 ? NOTHING_SIGNED : signed,
  };
}

function described(
  text: Omit<RuleText, 'provider' | 'severity' | 'source'> & { severity?: 'warning' },
): RuleText {
  return {
    provider: 'gemini',
    severity: 'error',
    source: 'shape-rules.md, Gemini generateContent: provider documentation and public reports',
    ...text,
  };
}

function isModel(facts: GeminiFacts | undefined): boolean {
  return facts?.role === 'model';
}

const listRules: readonly ListRule<GeminiFacts>[] = [
  {
    ...described({
      id: 'G-ORDER-1',
      explanation: 'A function call comes right after a user turn or a function response.',
      providerError:
        'function call turn must come immediately after a user turn or after a function response turn',
      needs: 'list',
      fix: 'Keep the user turn or the response before the call, or drop the call with its response.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.call,
    *find(facts): Generator<Finding> {
      for (const [message, { calls, role, firstCall }] of facts.entries()) {
        if (calls === 0 || role !== 'model') continue;
        const previous = facts[message - 1];
        if (previous !== undefined && !isModel(previous)) continue;
        const found = previous === undefined ? 'begins the list' : "follows role 'model'";
        yield { message, block: firstCall?.part, detail: `a function call ${found}` };
      }
    },
  },
  {
    ...described({
      id: 'G-ORDER-2',
      explanation: 'A function response comes right after the turn of its call.',
      providerError: 'function response turn must come immediately after a function call turn',
      needs: 'list',
      fix: 'Drop the response together with its call; insert after the response.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.response,
    *find(facts): Generator<Finding> {
      for (const [message, { responses }] of facts.entries()) {
        const previous = facts[message - 1];
        if (responses === 0 || (isModel(previous) && (previous?.calls ?? 0) > 0)) continue;
        yield { message, detail: 'a function response does not follow a function call' };
      }
    },
  },
  {
    ...described({
      id: 'G-COUNT',
      explanation: 'A turn of function calls is followed by as many function responses.',
      providerError:
        'the number of function response parts must equal the number of function call parts',
      needs: 'list',
      fix: 'Keep or drop a call together with its response.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.call,
    *find(facts, { mode }): Generator<Finding> {
      for (const [message, { calls, role }] of facts.entries()) {
        if (calls === 0 || role !== 'model') continue;
        const next = facts[message + 1];
        const responses = isModel(next) ? 0 : (next?.responses ?? 0);
        if (responses === calls) continue;
        const atEnd = message + 1 >= facts.length - 1;
        const answering = next === undefined || responses > 0;
        if (mode === 'prefix' && atEnd && answering && responses < calls) continue;
        yield { message, detail: `${calls} function calls, ${responses} responses after them` };
      }
    },
  },
  {
    ...described({
      id: 'G-SIG-1',
      explanation: 'On Gemini 3 the first function call of a step keeps its thought signature.',
      providerError: 'Function call is missing a thought_signature',
      needs: 'list',
      fix: 'Write the part back with its thoughtSignature.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.call,
    *find(facts, { context }): Generator<Finding> {
      if (!enforcesThoughtSignatures(context.model)) return;
      for (const [message, { firstCall, role }] of facts.entries()) {
        if (role !== 'model' || firstCall === undefined || firstCall.signed) continue;
        const detail = 'the first function call of a step has no thoughtSignature';
        yield { message, block: firstCall.part, detail };
      }
    },
  },
  {
    ...described({
      id: 'G-SIG-2',
      explanation:
        'On Gemini 3 a part that carries a thought signature is unchanged, and so is its signature.',
      providerError: 'Thought signature is not valid',
      needs: 'pair',
      fix: 'Write the signed part back as it was recorded.',
      rewriteCanBreak: true,
    }),
    concerns: KIND.signed,
    *find(facts, { context, factsBefore }): Generator<Finding> {
      const recorded = factsBefore();
      if (!enforcesThoughtSignatures(context.model) || recorded === undefined) return;
      const kept = new Set(facts.flatMap(({ signed }) => signed.map(({ signature }) => signature)));
      const contents = new Map<string, Set<string>>();
      // Parts whose signature is nowhere in the list any more.
      const lost = new Set<string>();
      for (const { signed } of recorded) {
        for (const { signature, content, said } of signed) {
          contents.set(signature, (contents.get(signature) ?? new Set()).add(content));
          if (!kept.has(signature)) lost.add(said);
        }
      }
      for (const [message, { signed }] of facts.entries()) {
        for (const { signature, content, said, part } of signed) {
          const known = contents.get(signature);
          if (known === undefined && lost.has(said)) {
            const detail = 'a part has another thoughtSignature than recorded';
            yield { message, block: part, detail };
          } else if (known?.has(content) === false) {
            yield { message, block: part, detail: 'a part was changed under its thoughtSignature' };
          }
        }
      }
    },
  },
  {
    ...described({
      id: 'G-END',
      severity: 'warning',
      explanation: 'The list ends in a user turn or a function response.',
      providerError: 'multiturn requests must end with a user role or a function response',
      needs: 'list',
      fix: 'Send what ends the list with role user.',
      rewriteCanBreak: true,
    }),
    *find(facts, { mode }): Generator<Finding> {
      if (mode === 'prefix' || !isModel(facts.at(-1))) return;
      yield { message: facts.length - 1, detail: "the list ends in role 'model'" };
    },
  },
];

const messageRules: readonly MessageRule[] = [
  {
    ...described({
      id: 'G-EMPTY',
      explanation: 'A content has at least one part.',
      providerError: 'contents.parts must not be empty',
      needs: 'list',
      fix: 'Drop the content, or put a short note in it.',
      rewriteCanBreak: true,
    }),
    *find([content]): Generator<MessageFinding> {
      const parts = content?.parts;
      if (!Array.isArray(parts) || parts.length === 0) yield { detail: 'a content without parts' };
    },
  },
];

export const geminiRules: readonly Rule[] = dialectRules({
  facts: geminiFacts,
  message: [...messageRules, wellFormed],
  list: listRules,
});
