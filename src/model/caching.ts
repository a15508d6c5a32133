import { bareNames } from './windows.ts';

/**
 * How a provider's prompt cache treats a model. Sizes are in tokens as the provider counts them, times in
 * milliseconds. `assumed` says what no source states for this very model.
 */
export type Caching = (
  | {
      /** Written and read where the request marks it, and nowhere else. */
      readonly kind: 'marks';
      /** A prefix below this is not cached, mark or no mark. */
      readonly minimum: number;
      /** Positions that each mark is compared at, itself the first: one a content block, going back. */
      readonly lookBack: number;
    }
  | {
      /** Every prefix is cached by itself; there is no price for writing. */
      readonly kind: 'automatic';
      readonly minimum: number;
      /** Above the minimum, reads come in steps of this. */
      readonly step: number;
      /** A prefix that nobody sent for so long is gone. */
      readonly lifetime: number;
    }
  | { readonly kind: 'none' }
) & { readonly assumed?: string };

/** Lifetimes that a mark can ask for. Source: Anthropic, "Prompt caching": `ttl` is `5m` (default) or `1h`. */
export const MARK_LIFETIMES = { '5m': 300_000, '1h': 3_600_000 } as const;
export type MarkLifetime = keyof typeof MARK_LIFETIMES;

/** Source: Anthropic, "Prompt caching": at most 20 positions a breakpoint, the breakpoint itself included. */
const LOOK_BACK = 20;

interface Family {
  readonly name: string;
  /** From which version on, and the smallest prefix that is cached; the newest first. */
  readonly minimums: readonly (readonly [version: number, tokens: number])[];
  /** The newest version that the source lists. */
  readonly newest: number;
}

/**
 * Smallest cacheable prefix of Claude models. Source: Anthropic, "Prompt caching", cache limitations: 4,096 from
 * Opus 4.5 and of Haiku 4.5, 2,048 of Sonnet 4.6 and of Haiku 3 and 3.5, 1,024 of the other Sonnets and
 * Opuses. Amazon Bedrock, "Prompt caching", lists the same.
 */
const CLAUDE: readonly Family[] = [
  {
    name: 'opus',
    minimums: [
      [4.05, 4096],
      [0, 1024],
    ],
    newest: 4.07,
  },
  {
    name: 'sonnet',
    minimums: [
      [4.06, 2048],
      [0, 1024],
    ],
    newest: 4.06,
  },
  {
    name: 'haiku',
    minimums: [
      [4.05, 4096],
      [0, 2048],
    ],
    newest: 4.05,
  },
];

/**
 * Source: OpenAI, "Prompt caching": prompts from 1,024 tokens, hits in increments of 128, GPT-4o and newer;
 * a prefix stays for 5 to 10 minutes of inactivity. The longer of the two is taken.
 */
const OPENAI = { kind: 'automatic', minimum: 1024, step: 128, lifetime: 600_000 } as const;
const OPENAI_WITHOUT = /^gpt-(?:3|4(?:-|$))/;

/**
 * Source: Google, "Context caching": implicit caching from Gemini 2.5 on, from 4,096 tokens with Pro and 1,024
 * with Flash. Neither a step nor a lifetime is stated, nor that a hit is certain.
 */
const GEMINI = { kind: 'automatic', step: 1, lifetime: 600_000 } as const;

/** Wires, as `transcript/message.ts` names them. */
type Wire = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'bedrock';

/** By the model's name, whatever wire carries it; else as the wire's own provider does. */
export function cachingOf(model: string | undefined, wire: Wire): Caching {
  const name = ([...bareNames(model ?? '')].at(-1) ?? '').toLowerCase();
  if (name.includes('claude')) return claude(name);
  if (name.includes('gemini')) return gemini(name);
  if (OPENAI_WITHOUT.test(name)) return { kind: 'none' };
  if (/^(?:gpt-\d|chatgpt-|codex-|o\d)/.test(name)) return OPENAI;
  switch (wire) {
    case 'anthropic':
    case 'bedrock': {
      const assumed = `caching of ${name || 'the model'} as of a Claude model`;
      return { kind: 'marks', minimum: 1024, lookBack: LOOK_BACK, assumed };
    }
    case 'gemini':
      return gemini(name);
    case 'openai-chat':
    case 'openai-responses':
      return { ...OPENAI, assumed: `caching of ${name || 'the model'} as of an OpenAI model` };
  }
}

function claude(name: string): Caching {
  const rules = { kind: 'marks', lookBack: LOOK_BACK } as const;
  const family = CLAUDE.find((known) => name.includes(known.name));
  const found = /claude[^\d]*(\d{1,2})(?:[-.](\d{1,2})(?!\d))?(?!\d)/.exec(name);
  const version = found === null ? undefined : Number(found[1]) + Number(found[2] ?? 0) / 100;
  if (family === undefined) {
    return { ...rules, minimum: 4096, assumed: `smallest cached prefix of ${name}` };
  }
  // Without a version, the newest.
  const at = version ?? Number.POSITIVE_INFINITY;
  const minimum = family.minimums.find(([from]) => at >= from)?.[1] ?? 1024;
  if (at <= family.newest) return { ...rules, minimum };
  return { ...rules, minimum, assumed: `smallest cached prefix of ${name}` };
}

function gemini(name: string): Caching {
  const minimum = name.includes('pro') ? 4096 : 1024;
  const version = /gemini-(\d+(?:\.\d+)?)/.exec(name)?.[1];
  if (version !== undefined && Number(version) < 2.5) return { kind: 'none' };
  return { ...GEMINI, minimum, assumed: 'every implicit cache hit of Gemini' };
}
