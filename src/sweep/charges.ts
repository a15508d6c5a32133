import { z } from 'zod';
import type { PriceTable } from '../model/prices.ts';
import type { Charge } from '../replay/cost-ledger.ts';
import { askedPrice } from '../rows/asked.ts';
import type { CellCharges, ComponentCharge } from '../rows/charges.ts';
import type { CellResult } from '../rows/result.ts';
import { priced } from '../rows/spend.ts';
import { appendLines, linesOf } from '../text/append-lines.ts';

/** Index into `models`; null where no model is named. */
const modelIndex = z.int().min(0).nullable();
const tokens = z.int().min(0);
const maybe = tokens.nullable();

/** Model, fresh, cache read, cache write for 5 minutes, for an hour, output. */
const charge = z.tuple([modelIndex, tokens, tokens, maybe, maybe, maybe]);

/** Request, model, assumed, input, output, and of the input: cache read, cache write. */
const component = z.tuple([tokens, modelIndex, z.boolean(), tokens, tokens, maybe, maybe]);

/** Of a call behind agreement or probes: input, output, and of the input: cache read, cache write, of that for an hour. */
const asked = z.tuple([tokens, tokens, maybe, maybe, maybe]);

/** How the file holds what a cell is billed as. */
export const chargesLine = z.object({
  cell: z.string(),
  models: z.array(z.string()),
  before: z.array(charge),
  after: z.array(z.array(charge)),
  components: z.array(component),
  assumed: z.array(z.string()),
  unique: z.number(),
  asked: z.object({ model: z.string(), usages: z.array(asked) }).optional(),
});

export type ChargesLine = z.output<typeof chargesLine>;

/** Keeps what a cell is billed as, so that it can be priced anew. Rejects with `output.write`. */
export async function appendCharges(
  file: string,
  cell: string,
  charges: CellCharges,
): Promise<void> {
  await appendLines(file, `${JSON.stringify(toChargesLine(cell, charges))}\n`);
}

/**
 * The rows with other prices: no model is asked and nothing is replayed. A row whose charges were not kept
 * stays as it is.
 */
export async function repriced(
  rows: ReadonlyMap<string, CellResult>,
  file: string,
  prices: PriceTable,
): Promise<ReadonlyMap<string, CellResult>> {
  const changed = new Map(rows);
  for await (const entry of linesOf(file)) {
    const found = parseLine(entry);
    const row = found === undefined ? undefined : rows.get(found.cell);
    if (found === undefined || row === undefined) continue;
    const charges = fromChargesLine(found);
    const again = { ...row, ...priced(charges, prices) };
    changed.set(
      found.cell,
      charges.asked === undefined
        ? again
        : { ...again, usdAgreement: askedPrice(charges.asked, prices) },
    );
  }
  return changed;
}

export function toChargesLine(cell: string, charges: CellCharges): ChargesLine {
  const models = new Map<string, number>();
  const indexOf = (model: string | undefined) => {
    if (model === undefined) return null;
    const index = models.get(model) ?? models.size;
    models.set(model, index);
    return index;
  };
  const pack = (given: Charge): z.output<typeof charge> => [
    indexOf(given.model),
    given.fresh,
    given.cacheRead,
    given.cacheWrite5m ?? null,
    given.cacheWrite1h ?? null,
    given.output ?? null,
  ];
  const before = charges.requests.map((request) => pack(request.before));
  const after = charges.requests.map((request) => request.after.map(pack));
  const components = charges.components.map(
    (call): z.output<typeof component> => [
      call.request,
      indexOf(call.model),
      call.assumed,
      call.inputTokens,
      call.outputTokens,
      call.cacheReadTokens ?? null,
      call.cacheWriteTokens ?? null,
    ],
  );
  return {
    cell,
    models: [...models.keys()],
    before,
    after,
    components,
    assumed: [...charges.assumed],
    unique: charges.uniqueSaved,
    ...(charges.asked === undefined ? {} : { asked: packAsked(charges.asked) }),
  };
}

function packAsked({ model, usages }: NonNullable<CellCharges['asked']>): ChargesLine['asked'] {
  return {
    model,
    usages: usages.map(
      (usage): z.output<typeof asked> => [
        usage.inputTokens,
        usage.outputTokens,
        usage.cacheReadTokens ?? null,
        usage.cacheWriteTokens ?? null,
        usage.cacheWrite1hTokens ?? null,
      ],
    ),
  };
}

function unpackAsked({
  model,
  usages,
}: NonNullable<ChargesLine['asked']>): NonNullable<CellCharges['asked']> {
  return {
    model,
    usages: usages.map(([inputTokens, outputTokens, read, write, write1h]) => ({
      inputTokens,
      outputTokens,
      ...(read === null ? {} : { cacheReadTokens: read }),
      ...(write === null ? {} : { cacheWriteTokens: write }),
      ...(write1h === null ? {} : { cacheWrite1hTokens: write1h }),
    })),
  };
}

export function fromChargesLine({
  models,
  before,
  after,
  components,
  assumed,
  unique,
  asked: calls,
}: ChargesLine): CellCharges {
  const named = (index: number | null) => (index === null ? undefined : models[index]);
  const unpack = ([index, fresh, cacheRead, write5m, write1h, output]: z.output<
    typeof charge
  >): Charge => {
    const model = named(index);
    return {
      fresh,
      cacheRead,
      ...(model === undefined ? {} : { model }),
      ...(write5m === null ? {} : { cacheWrite5m: write5m }),
      ...(write1h === null ? {} : { cacheWrite1h: write1h }),
      ...(output === null ? {} : { output }),
    };
  };
  return {
    requests: before.map((recorded, index) => ({
      before: unpack(recorded),
      after: (after[index] ?? []).map(unpack),
      bust: 0,
    })),
    components: components.map(
      ([request, model, isAssumed, inputTokens, outputTokens, read, write]): ComponentCharge => ({
        request,
        model: named(model),
        assumed: isAssumed,
        inputTokens,
        outputTokens,
        ...(read === null ? {} : { cacheReadTokens: read }),
        ...(write === null ? {} : { cacheWriteTokens: write }),
      }),
    ),
    assumed,
    uniqueSaved: unique,
    ...(calls === undefined ? {} : { asked: unpackAsked(calls) }),
  };
}

/** Undefined of a line that a killed writer did not finish. */
function parseLine(text: string): ChargesLine | undefined {
  try {
    return chargesLine.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
