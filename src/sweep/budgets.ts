import { z } from 'zod';
import { appendLines, linesOf } from '../text/append-lines.ts';

const budgetLine = z.object({ cell: z.string(), after: z.array(z.int().min(0)) });

/** Tokens after of each request, by the id of the cell that left them. */
export type Budgets = ReadonlyMap<string, readonly number[]>;

/** Keeps what a matched cell left of each request, for its controls. Rejects with `output.write`. */
export async function appendBudget(
  file: string,
  cell: string,
  after: readonly number[],
): Promise<void> {
  await appendLines(file, `${JSON.stringify({ cell, after })}\n`);
}

/** What an earlier start of the run kept. A line that it did not finish is left out: its cell is replayed again. */
export async function readBudgets(file: string): Promise<Budgets> {
  const budgets = new Map<string, readonly number[]>();
  for await (const line of linesOf(file)) {
    const budget = parseLine(line);
    if (budget !== undefined) budgets.set(budget.cell, budget.after);
  }
  return budgets;
}

function parseLine(line: string): z.output<typeof budgetLine> | undefined {
  try {
    return budgetLine.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
