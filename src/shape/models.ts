/**
 * Which models a rule concerns: the one table of the oracle. Sources are named beside each entry; where the
 * public evidence names single models only, the entry says how it was widened.
 */

/** Family and version of a Claude model; the version is absent where the name has none. */
interface Claude {
  readonly family: string;
  /** `4.5` reads as 4.05, so that 4.10 comes after 4.9. */
  readonly version: number | undefined;
}

/**
 * Reads `claude-opus-4-5-20251101`, `claude-3-5-sonnet-latest`, `anthropic/claude-opus-4.6`,
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `aws/claude-sonnet-5`, … Other vendors: `undefined`.
 */
function claudeOf(model: string): Claude | undefined {
  const found = /(?:^|[^a-z])claude[-_. ]?(.*)$/i.exec(model);
  if (found === null) return undefined;
  const parts = (found[1] ?? '').toLowerCase().split(/[-_.@: ]+/);
  const family = parts.find((part) => /^[a-z]{3,}$/.test(part) && part !== 'latest') ?? '';
  const first = parts.findIndex((part) => /^v?\d{1,2}$/.test(part));
  if (first < 0) return { family, version: undefined };
  const major = Number((parts[first] ?? '').replace('v', ''));
  const second = parts[first + 1] ?? '';
  return { family, version: version(major, /^\d{1,2}$/.test(second) ? Number(second) : 0) };
}

function version(major: number, minor = 0): number {
  return major + minor / 100;
}

/** Claude families that existed before versions 4.6; a newer family without a version is a newer model. */
const OLD_FAMILIES: ReadonlySet<string> = new Set(['', 'instant', 'haiku', 'sonnet', 'opus']);

/**
 * Whether the model refuses a list that ends in an assistant turn (A-END-1) or takes it as the beginning of its
 * answer (A-END-2). Source: provider documentation of prefill, withdrawn with Opus 4.6 and Sonnet 4.6 and not
 * restored since; shape case 072 for Sonnet 4.5.
 */
export function prefillOf(model: string | undefined): 'refused' | 'accepted' | 'unknown' {
  const claude = model === undefined ? undefined : claudeOf(model);
  if (claude === undefined) return 'unknown';
  if (claude.version === undefined) {
    return OLD_FAMILIES.has(claude.family) ? 'accepted' : 'refused';
  }
  return claude.version >= version(4, 6) ? 'refused' : 'accepted';
}

/**
 * Whether a signed thinking block is bound to all that stood before it (A-THINK-5). Source: shape cases 046 and 048
 * (Opus 5.5, Fable 5.1). Widened to every Claude from version 5: a false alarm costs a saving, a miss costs a request.
 */
export function bindsThinking(model: string | undefined): boolean {
  const claude = model === undefined ? undefined : claudeOf(model);
  if (claude === undefined) return false;
  if (claude.version === undefined) return !OLD_FAMILIES.has(claude.family);
  return claude.version >= version(5);
}

/**
 * Whether the model keeps the thinking of all turns in its context, where others keep only that of the current
 * tool loop. Source: provider documentation of extended thinking: all from Opus 4.5 and Sonnet 4.6.
 */
export function keepsAllThinking(model: string | undefined): boolean {
  const claude = model === undefined ? undefined : claudeOf(model);
  if (claude === undefined) return false;
  if (claude.version === undefined) return !OLD_FAMILIES.has(claude.family);
  if (claude.version >= version(5)) return true;
  if (claude.family === 'opus') return claude.version >= version(4, 5);
  return claude.family === 'sonnet' && claude.version >= version(4, 6);
}

/** Whether thought signatures are enforced (G-SIG-1, G-SIG-2). Source: provider documentation: from Gemini 3. */
export function enforcesThoughtSignatures(model: string | undefined): boolean {
  const found = /(?:^|[^a-z])gemini-(\d+)/i.exec(model ?? '');
  return found !== null && Number(found[1]) >= 3;
}

/**
 * Model families on Bedrock for which public reports show text beside a tool result refused. Claude takes it (shape
 * case 131); the others differ by model version, hence B-MIX is a warning.
 */
const NO_MIXED_TURNS =
  /(?:^|[./:])(?:meta|mistral|cohere|ai21|amazon|deepseek|writer|qwen)\.|llama|mistral|mixtral|command-r|jamba|nova-/i;

/** Whether a Bedrock model is of a family that may refuse text beside a tool result (B-MIX). */
export function refusesMixedTurns(model: string | undefined): boolean {
  if (model === undefined || claudeOf(model) !== undefined) return false;
  return NO_MIXED_TURNS.test(model);
}
