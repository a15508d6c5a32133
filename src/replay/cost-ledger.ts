import { expandCallTokens } from '../compaction/expand-tool.ts';
import { type Caching, cachingOf } from '../model/caching.ts';
import type { Message } from '../transcript/message.ts';
import { type Counting, messageTokens } from '../transcript/message-tokens.ts';
import type { Request, Transcript } from '../transcript/transcript.ts';
import { bustTokens } from './cost-bust.ts';
import { type InputTiers, PromptCache } from './cost-cache.ts';
import { type Calibration, calibrate, compared, type Scale } from './cost-calibration.ts';
import { CostLabels } from './cost-labels.ts';
import { type Marking, markingOf } from './cost-marking.ts';
import { type Prefix, PrefixReader } from './cost-pieces.ts';
import { GrowingPrompt, Numbering } from './cost-prompt.ts';
import type { Expansion } from './expansion.ts';

/** The tier of every token of one call, as its provider would bill it. */
export interface Charge extends InputTiers {
  /** Absent where no recording and no option names it. */
  readonly model?: string;
  /** Absent where the answer is not known. */
  readonly output?: number;
}

/** One request before and after compaction. */
export interface RequestCharges {
  readonly before: Charge;
  /** The call, and behind it one for each round of expansion. */
  readonly after: readonly Charge[];
  /** Tokens that the original would have read from the cache and that were processed anew. */
  readonly bust: number;
}

/** What every request of a transcript is billed as. Prices are not part of it. */
export interface CostReplay {
  readonly requests: readonly RequestCharges[];
  /** Provider's tokens for one of the harness's own; 1 where no usage is recorded. */
  readonly ratio: number;
  readonly calibration?: Calibration;
  /** What was assumed, for `price_basis`. */
  readonly assumed: readonly string[];
}

export interface CostOptions {
  readonly countingOf: (request: Request) => Counting;
  /** Names the model where the recording does not. */
  readonly assumeModel: string | undefined;
  /** Tokens of the expand tool's declaration; undefined where it is not declared. */
  readonly declaration: number | undefined;
}

/** One side of the ledger: its prompts, and a cache for each model. */
interface Side {
  readonly prompt: GrowingPrompt;
  readonly caches: Map<string, PromptCache>;
}

/** What a side needs for a call, beside its list. */
interface Call {
  readonly prefix: Prefix;
  readonly counting: Counting;
  readonly model: string | undefined;
  readonly caching: Caching;
  /** In milliseconds; never before that of the call before it. */
  readonly time: number;
}

const UNRECORDED = 'prompt that is not recorded';
const DECLARATION = 'declaration of the expand tool';

/**
 * Bills each request of a lineage twice: as recorded, and as it would be sent. Each side has its own caches,
 * one for each model, cold at the first request: what another lineage of the session may have left there
 * is not counted, on neither side, since a row is one lineage.
 */
export class CostLedger {
  readonly #transcript: Transcript;
  readonly #options: CostOptions;
  readonly #prefixes: PrefixReader;
  readonly #scale: Scale | undefined;
  readonly #marking: Marking;
  readonly #unrecorded: Prefix | undefined;
  readonly #sides: { readonly before: Side; readonly after: Side };
  readonly #requests: RequestCharges[] = [];
  readonly #labels = new CostLabels();
  /** Calls so far, as long as both sides were the same: the one stands for the other. */
  #alike: (Call & { readonly request: Request })[] | undefined;
  #time: number;

  constructor(transcript: Transcript, tokenizer: Counting['tokenizer'], options: CostOptions) {
    const { dialect } = transcript;
    this.#transcript = transcript;
    this.#options = options;
    this.#prefixes = new PrefixReader(tokenizer, dialect);
    const known = factsOf(transcript, `${tokenizer} ${options.assumeModel ?? ''}`, () => ({
      scale: calibrate(transcript, this.#prefixes, options.countingOf),
      marking: markingOf(transcript, this.#prefixes),
    }));
    this.#scale = known.scale;
    this.#marking = known.marking;
    const { ratio, hidden } = this.#scale ?? { ratio: 1, hidden: 0 };
    if (hidden > 0) {
      this.#unrecorded = { keys: [UNRECORDED], tokens: [hidden / ratio], marks: [], tools: 1 };
    }
    const numbering = new Numbering();
    const side = (): Side => ({
      prompt: new GrowingPrompt(numbering, dialect, ratio),
      caches: new Map(),
    });
    this.#sides = { before: side(), after: side() };
    this.#alike = options.declaration === undefined ? [] : undefined;
    this.#time = transcript.requests.find(({ time }) => time !== undefined)?.time ?? 0;
  }

  /** @param after the list that would be sent; requests come in the order of the transcript */
  add(request: Request, after: readonly Message[], expansion: Expansion | undefined): void {
    const model = request.model ?? this.#transcript.model ?? this.#options.assumeModel;
    const counting = this.#options.countingOf(request);
    const caching = cachingOf(model, this.#transcript.dialect);
    this.#labels.note(request, {
      model,
      isNamed: request.model !== undefined || this.#transcript.model !== undefined,
      caching,
      marking: this.#marking,
      hasUnrecorded: this.#unrecorded !== undefined,
      tokenizer: this.#scale === undefined ? counting.tokenizer : undefined,
    });
    const time = this.#timeOf(request);
    const answer = this.#outputOf(request, counting);
    const prefix =
      request.envelope === undefined
        ? (this.#unrecorded ?? this.#prefixes.read(undefined))
        : this.#prefixes.read(request.envelope);
    const { before: recorded, after: sent } = this.#sides;
    const call = { prefix, counting, model, caching, time };
    const tiersBefore = this.#call(recorded, call, request.messages);
    if (after === request.messages && expansion === undefined && this.#alike !== undefined) {
      this.#alike.push({ ...call, request });
      const charge = chargeOf(model, tiersBefore, answer);
      this.#requests.push({ before: charge, after: [charge], bust: 0 });
      return;
    }
    for (const earlier of this.#alike ?? []) this.#call(sent, earlier, earlier.request.messages);
    this.#alike = undefined;
    const tiersAfter = this.#call(sent, call, after);
    const cache = cacheOf(sent, model, caching);
    const bust = bustTokens(
      { prompt: recorded.prompt, read: tiersBefore.cacheRead },
      { prompt: sent.prompt, read: tiersAfter.cacheRead },
    );
    const calls: Charge[] = [chargeOf(model, tiersAfter, answer)];
    if (expansion !== undefined) {
      const asked = this.#callTokens(expansion, counting);
      const share = (round: number) =>
        Math.round((asked * round) / expansion.rounds) -
        Math.round((asked * (round - 1)) / expansion.rounds);
      // Each round before the last answers with calls of the tool, the last one with the action.
      calls[0] = chargeOf(model, tiersAfter, share(1));
      for (let round = 1; round <= expansion.rounds; round++) {
        sent.prompt.push(
          `restored ${this.#requests.length} ${round}`,
          expansion.tokens / expansion.rounds,
        );
        const tiers = cache.call(sent.prompt, time);
        const last = round === expansion.rounds;
        calls.push(chargeOf(model, tiers, last ? answer : share(round + 1)));
      }
    }
    this.#requests.push({ before: chargeOf(model, tiersBefore, answer), after: calls, bust });
  }

  #call(
    side: Side,
    { prefix, counting, model, caching, time }: Call,
    list: readonly Message[],
  ): InputTiers {
    const { declaration } = this.#options;
    const extra =
      side === this.#sides.before || declaration === undefined
        ? undefined
        : { key: DECLARATION, tokens: declaration };
    side.prompt.set(prefix, extra, list, counting, this.#marking);
    return cacheOf(side, model, caching).call(side.prompt, time);
  }

  result(): CostReplay {
    const calibration =
      this.#scale === undefined
        ? undefined
        : compared(
            this.#scale,
            this.#transcript,
            this.#requests.map(({ before }) => before),
          );
    return {
      requests: this.#requests,
      ratio: this.#scale?.ratio ?? 1,
      ...(calibration === undefined ? {} : { calibration }),
      assumed: this.#labels.list(),
    };
  }

  /** A request without a time follows at once. */
  #timeOf({ time }: Request): number {
    if (time !== undefined) this.#time = Math.max(this.#time, time);
    return this.#time;
  }

  /** The recorded output, else the tokens of the action; undefined where neither is known. */
  #outputOf({ usage, action }: Request, counting: Counting): number | undefined {
    if (usage?.outputTokens !== undefined) return usage.outputTokens;
    if (action === undefined) return undefined;
    const { content, thinking } = messageTokens(action, counting);
    return this.#scaled(content + thinking);
  }

  #callTokens({ keys }: Expansion, { tokenizer }: Counting): number {
    return this.#scaled(keys.reduce((sum, key) => sum + expandCallTokens(key, tokenizer), 0));
  }

  #scaled(tokens: number): number {
    return Math.round(tokens * (this.#scale?.ratio ?? 1));
  }
}

/** Assigned and not spread: V8 would give each of thousands of charges a hidden class of its own. */
function chargeOf(
  model: string | undefined,
  { fresh, cacheRead, cacheWrite5m, cacheWrite1h }: InputTiers,
  output: number | undefined,
): Charge {
  const charge: { -readonly [Key in keyof Charge]: Charge[Key] } = { fresh, cacheRead };
  if (cacheWrite5m !== undefined) charge.cacheWrite5m = cacheWrite5m;
  if (cacheWrite1h !== undefined) charge.cacheWrite1h = cacheWrite1h;
  if (model !== undefined) charge.model = model;
  if (output !== undefined) charge.output = output;
  return charge;
}

interface Facts {
  readonly scale: Scale | undefined;
  readonly marking: Marking;
}

/** The same for every config of a transcript. */
const facts = new WeakMap<Transcript, Map<string, Facts>>();

function factsOf(transcript: Transcript, key: string, compute: () => Facts): Facts {
  const known = facts.get(transcript) ?? new Map<string, Facts>();
  facts.set(transcript, known);
  const found = known.get(key) ?? compute();
  known.set(key, found);
  return found;
}

function cacheOf({ caches }: Side, model: string | undefined, caching: Caching): PromptCache {
  const name = model ?? '';
  const known = caches.get(name);
  if (known !== undefined) return known;
  const cache = new PromptCache(caching);
  caches.set(name, cache);
  return cache;
}
