import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { HarnessError, messageOf } from '../errors.ts';

const budgetLine = z.object({ cell: z.string(), after: z.array(z.int().min(0)) });

/** Tokens after of each request, by the id of the cell that left them. */
export type Budgets = ReadonlyMap<string, readonly number[]>;

/** Keeps what a matched cell left of each request, for its controls. Rejects with `output.write`. */
export async function appendBudget(
  file: string,
  cell: string,
  after: readonly number[],
): Promise<void> {
  try {
    await appendFile(file, `${JSON.stringify({ cell, after })}\n`);
  } catch (cause) {
    const message = `cannot write: ${messageOf(cause)}; free space, or choose another --out`;
    throw new HarnessError('output.write', message, { cause, at: { file } });
  }
}

/** What an earlier start of the run kept. A line that it did not finish is left out: its cell is replayed again. */
export async function readBudgets(file: string): Promise<Budgets> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const budgets = new Map<string, readonly number[]>();
  for (const line of text.split('\n')) {
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
