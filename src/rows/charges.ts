import type { Config } from '../compaction/config.ts';
import { stubNames } from '../model/stub.ts';
import type { AskedCalls } from '../replay/asker.ts';
import type { CostReplay, RequestCharges } from '../replay/cost-ledger.ts';
import type { TranscriptReplay } from '../replay/result.ts';

/** A call that a component made. Tokens are those that its provider would bill. */
export interface ComponentCharge {
  /** 0-based index of the request that it was made at. */
  readonly request: number;
  /** Whose price it has; undefined where nobody names a model. */
  readonly model: string | undefined;
  /** True of a stub's call: nobody was paid, and it is priced as the model that the stub stands for. */
  readonly assumed: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Of the input. */
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
}

/** Everything of a cell that has a price, without the prices. */
export interface CellCharges {
  readonly requests: readonly RequestCharges[];
  readonly components: readonly ComponentCharge[];
  /** What was assumed about the requests. */
  readonly assumed: readonly string[];
  readonly uniqueSaved: number;
  /** Calls behind agreement and probes; absent where nothing was asked. */
  readonly asked?: Pick<AskedCalls, 'model' | 'usages'>;
}

/** What a cell is billed as, to be priced by `priced`: now, and again when prices change. */
export function chargesOf(
  config: Config,
  { cost, requests, savings }: Pick<TranscriptReplay, 'cost' | 'requests' | 'savings'>,
): CellCharges {
  const configured = new Map(config.steps.map(({ key, settings }) => [key, modelOf(settings)]));
  const components = requests.flatMap(({ steps }, index) =>
    steps.flatMap(({ component, calls }) =>
      calls.map((call): ComponentCharge => {
        if (!isStub(call.model)) return { ...call, request: index, assumed: false };
        const own = configured.get(component);
        const incoming = cost.requests[index]?.before.model;
        // The stub's tokens are the harness's own, and are those of the agent's model after scaling.
        const ratio = own === undefined ? cost.ratio : 1;
        return {
          request: index,
          model: own ?? incoming,
          assumed: own === undefined,
          inputTokens: Math.round(call.inputTokens * ratio),
          outputTokens: Math.round(call.outputTokens * ratio),
        };
      }),
    ),
  );
  const { assumed } = cost;
  return { requests: cost.requests, components, assumed, uniqueSaved: savings.unique };
}

const NOT_PAID: ReadonlySet<string> = new Set([...stubNames, 'scripted']);

function isStub(model: string): boolean {
  return NOT_PAID.has(model);
}

function modelOf(settings: unknown): string | undefined {
  if (typeof settings !== 'object' || settings === null || !('model' in settings)) return undefined;
  const { model } = settings;
  if (typeof model !== 'object' || model === null || !('model' in model)) return undefined;
  return typeof model.model === 'string' ? model.model : undefined;
}

/** Tokens by tier over all requests of one side; a tier that no request has is undefined. */
export interface TierTotals {
  readonly fresh: number;
  readonly cacheRead: number;
  readonly cacheWrite: number | undefined;
  readonly cacheWrite1h: number | undefined;
  readonly output: number | undefined;
}

export function tierTotals({ requests }: CostReplay, side: 'before' | 'after'): TierTotals {
  const totals = { fresh: 0, cacheRead: 0 };
  let write: { all: number; long: number } | undefined;
  let output: number | undefined;
  for (const request of requests) {
    for (const charge of side === 'before' ? [request.before] : request.after) {
      totals.fresh += charge.fresh;
      totals.cacheRead += charge.cacheRead;
      const { cacheWrite5m, cacheWrite1h } = charge;
      if (cacheWrite5m !== undefined || cacheWrite1h !== undefined) {
        write ??= { all: 0, long: 0 };
        write.all += (cacheWrite5m ?? 0) + (cacheWrite1h ?? 0);
        write.long += cacheWrite1h ?? 0;
      }
      if (charge.output !== undefined) output = (output ?? 0) + charge.output;
    }
  }
  return { ...totals, cacheWrite: write?.all, cacheWrite1h: write?.long, output };
}
