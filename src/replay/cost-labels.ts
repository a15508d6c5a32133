import type { Caching } from '../model/caching.ts';
import type { TokenizerName } from '../text/tokens.ts';
import type { Request } from '../transcript/transcript.ts';
import type { Marking } from './cost-marking.ts';

/** How one request was billed. */
interface Circumstances {
  readonly model: string | undefined;
  /** False where only an option names the model. */
  readonly isNamed: boolean;
  readonly caching: Caching;
  readonly marking: Marking;
  /** True where the usage tells what takes the place of a system prompt that is not recorded. */
  readonly hasUnrecorded: boolean;
  /** What the tokens are counted with; undefined where the usage scales them. */
  readonly tokenizer: TokenizerName | undefined;
}

/** Collects what was assumed over the requests of a lineage, in the words of `price_basis`. */
export class CostLabels {
  readonly #labels = new Set<string>();
  #requests = 0;
  #timeless = 0;
  #unanswered = 0;

  note(request: Request, how: Circumstances): void {
    const { model, caching, marking, tokenizer } = how;
    this.#requests++;
    if (request.time === undefined) this.#timeless++;
    if (request.usage?.outputTokens === undefined && request.action === undefined) {
      this.#unanswered++;
    }
    if (caching.assumed !== undefined) this.#labels.add(caching.assumed);
    if (!how.isNamed && model !== undefined) this.#labels.add(`model ${model}`);
    if (caching.kind === 'marks' && marking.kind === 'assumed') {
      this.#labels.add('cache marks behind the system prompt and the last message');
    }
    if (caching.kind === 'marks' && marking.kind === 'none') {
      this.#labels.add('no cache marks, as the usage says');
    }
    if (request.envelope === undefined) {
      const taken = how.hasUnrecorded ? 'taken from the usage' : 'left out';
      this.#labels.add(`system prompt and tools not recorded: ${taken}`);
    }
    if (tokenizer !== undefined && !isOwnTokenizer(model)) {
      this.#labels.add(`an estimate: tokens as ${tokenizer} counts them`);
    }
  }

  list(): readonly string[] {
    const labels = [...this.#labels];
    if (this.#timeless > 0) {
      const all = this.#timeless === this.#requests;
      const which = all ? 'no times' : `${this.#timeless} without a time`;
      labels.push(`${which}: caches taken as alive`);
    }
    if (this.#unanswered > 0) {
      labels.push(`output of ${this.#unanswered} not recorded: left out on both sides`);
    }
    return labels;
  }
}

/** The harness's encodings are those of OpenAI's models; a model that nobody names may be one. */
function isOwnTokenizer(model: string | undefined): boolean {
  return model !== undefined && /(?:^|\/)(?:gpt-|chatgpt-|codex-|o\d)/i.test(model);
}
