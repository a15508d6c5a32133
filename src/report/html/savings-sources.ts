import { type Message, resultText } from '../../transcript/message.ts';
import type { ReplayedCell } from '../show/cell.ts';
import type { RequestView } from '../show/request-view.ts';

/** What one component of a config did, over its cells. */
export interface ComponentShare {
  /** Σ over requests of tokens before − after this step. */
  gross: number;
  /** Requests that it rewrote. */
  fired: number;
  calls: number;
}

/** Where the savings of one config come from. */
export interface ConfigSources {
  readonly components: ReadonlyMap<string, ComponentShare>;
  /**
   * Tokens that were taken away, each distinct message once, by what it is: outputs by their tool, or what
   * else it holds. What was put in is below 0.
   */
  readonly parts: ReadonlyMap<string, number>;
}

/** Texts of our own in the place of a tool's name. */
const INSERTED = '(put in: summaries, markers)';
const PARTS = {
  system: '(system text)',
  user: '(user text)',
  assistant: '(assistant text and calls)',
  tool: '(tool output without a call)',
} as const;

/** Adds up where savings come from, cell by cell; nothing of a cell is kept. */
export class SourcesTally {
  readonly #configs = new Map<
    string,
    { readonly components: Map<string, ComponentShare>; readonly parts: Map<string, number> }
  >();

  /** @param config the name that the report has for it */
  add(config: string, cell: ReplayedCell, views: readonly RequestView[]): void {
    const known = this.#configs.get(config) ?? { components: new Map(), parts: new Map() };
    this.#configs.set(config, known);
    for (const { steps } of cell.replay.requests) {
      for (const step of steps) {
        const share = known.components.get(step.component) ?? { gross: 0, fired: 0, calls: 0 };
        share.gross += step.tokensBefore - step.tokensAfter;
        share.fired += step.kind === 'changed' ? 1 : 0;
        share.calls += step.calls.length;
        known.components.set(step.component, share);
      }
    }
    for (const [part, tokens] of partsOf(cell, views)) {
      known.parts.set(part, (known.parts.get(part) ?? 0) + tokens);
    }
  }

  /** @param spell makes names of tools fit to be shown */
  result(spell: (name: string) => string): ReadonlyMap<string, ConfigSources> {
    return new Map(
      [...this.#configs].map(([config, { components, parts }]) => {
        const spelled = new Map<string, number>();
        for (const [part, tokens] of parts) {
          const name = spell(part);
          spelled.set(name, (spelled.get(name) ?? 0) + tokens);
        }
        return [config, { components, parts: spelled }];
      }),
    );
  }
}

/** Of each distinct message its largest reduction, as unique savings are counted. */
function partsOf(cell: ReplayedCell, views: readonly RequestView[]): Map<string, number> {
  const reductions = new Map<string, { message: Message; tokens: number }>();
  const insertions = new Map<string, number>();
  for (const { changes } of views) {
    const here = new Map<string, { message: Message; tokens: number }>();
    for (const { fate, before, after, tokensBefore = 0, tokensAfter = 0 } of changes) {
      if (fate === 'kept') continue;
      if (before === undefined) {
        if (after !== undefined) insertions.set(after.message.identity.hash, tokensAfter);
        continue;
      }
      const { hash } = before.message.identity;
      const tokens = tokensBefore - tokensAfter + (here.get(hash)?.tokens ?? 0);
      here.set(hash, { message: before.message, tokens });
    }
    for (const [hash, reduction] of here) {
      const largest = reductions.get(hash);
      if (largest === undefined || largest.tokens < reduction.tokens)
        reductions.set(hash, reduction);
    }
  }
  const tools = toolNames(cell);
  const parts = new Map<string, number>();
  const add = (part: string, tokens: number) => parts.set(part, (parts.get(part) ?? 0) + tokens);
  for (const { message, tokens } of reductions.values()) {
    for (const { part, share } of sharesOf(message, tools)) add(part, tokens * share);
  }
  for (const tokens of insertions.values()) add(INSERTED, -tokens);
  return parts;
}

/** Names of the tools by the ids of their calls. */
function toolNames({ transcript }: ReplayedCell): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const seen = new Set<Message>();
  for (const { messages } of transcript.requests) {
    for (const message of messages) {
      if (seen.has(message)) continue;
      seen.add(message);
      for (const block of message.blocks) {
        if (block.kind === 'tool-call') names.set(block.id, block.name);
      }
    }
  }
  return names;
}

/** What a message holds, as shares of 1: results by their tool in proportion to their length. */
function sharesOf(
  message: Message,
  tools: ReadonlyMap<string, string>,
): readonly { readonly part: string; readonly share: number }[] {
  const results = message.blocks.flatMap((block) => (block.kind === 'tool-result' ? block : []));
  if (results.length === 0) return [{ part: PARTS[message.role], share: 1 }];
  const lengths = results.map((result) => resultText(result).length + 1);
  const whole = lengths.reduce((sum, length) => sum + length, 0);
  return results.map((result, index) => ({
    part: tools.get(result.id) ?? PARTS.tool,
    share: (lengths[index] ?? 0) / whole,
  }));
}
