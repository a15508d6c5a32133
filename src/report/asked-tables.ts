import type { AskedTotals, TaskMean } from './asked-totals.ts';
import { oneDecimal, thousands, UNMEASURED } from './numbers.ts';
import type { TableColumn } from './table.ts';

/** Columns of a table of the summary, names left out. */
export interface AskedTable {
  readonly title: string;
  readonly columns: readonly TableColumn[];
}

/** The tables of agreement and probes: those that some config was asked about. */
export function askedTables(totals: readonly (AskedTotals | undefined)[]): AskedTable[] {
  return [
    ...(totals.some((total) => total?.agreement !== undefined) ? [agreementTable(totals)] : []),
    ...(totals.some((total) => total?.probes !== undefined) ? [probeTable(totals)] : []),
  ];
}

/** What the figures of these tables mean, one line each. */
export function askedNotes(totals: readonly (AskedTotals | undefined)[]): string[] {
  const titles = new Set(askedTables(totals).map(({ title }) => title));
  const notes: string[] = [];
  if (titles.has('Agrees')) {
    notes.push(
      'agrees         next action on the rewritten request: 1 same tools and targets,',
      '               0.5 same tools; only where the model repeats the recorded one',
      'scored         of the sampled requests; the others were not reproduced as',
      '               recorded, or a reply was no action (never scored 0)',
    );
  }
  if (titles.has('Recalls')) {
    notes.push('right          probe questions about dropped messages, asked on what is sent');
  }
  if (notes.length > 0)
    notes.push('95 % interval  Wilson score interval over the means of the tasks');
  return notes;
}

function agreementTable(totals: readonly (AskedTotals | undefined)[]): AskedTable {
  const agreement = totals.map((total) => total?.agreement);
  const counts = (header: readonly string[], value: (total: Agreement) => number) =>
    right(
      header,
      agreement.map((total) => (total === undefined ? UNMEASURED : thousands(value(total)))),
    );
  return {
    title: 'Agrees',
    columns: [
      right(['agrees', '%'], agreement.map(percent)),
      right(['95 %', 'interval'], agreement.map(interval)),
      counts(['scored'], ({ count }) => count),
      counts(['sampled'], ({ sampled }) => sampled),
      counts(['eli-', 'gible'], ({ eligible }) => eligible),
      counts(['not re-', 'produced'], ({ notReproduced }) => notReproduced),
      counts(['un-', 'parsed'], ({ unparsed }) => unparsed),
    ],
  };
}

type Agreement = NonNullable<AskedTotals['agreement']>;
type Probes = NonNullable<AskedTotals['probes']>;

function probeTable(totals: readonly (AskedTotals | undefined)[]): AskedTable {
  const probes = totals.map((total) => total?.probes);
  const counts = (header: readonly string[], value: (total: Probes) => number) =>
    right(
      header,
      probes.map((total) => (total === undefined ? UNMEASURED : thousands(value(total)))),
    );
  return {
    title: 'Recalls',
    columns: [
      right(
        ['right', '%'],
        probes.map((total) => percent(total?.plain)),
      ),
      right(
        ['95 %', 'interval'],
        probes.map((total) => interval(total?.plain)),
      ),
      right(
        ['+ expand', '%'],
        probes.map((total) => percent(total?.withExpand)),
      ),
      counts(['ques-', 'tions'], ({ plain }) => plain.count),
      counts(['spans'], ({ spans }) => spans),
      counts(['un-', 'parsed'], ({ unparsed }) => unparsed),
      counts(['not', 'usable'], ({ dropped }) => dropped),
    ],
  };
}

function percent(mean: TaskMean | undefined): string {
  return oneDecimal(mean?.mean === undefined ? undefined : 100 * mean.mean);
}

function interval(mean: TaskMean | undefined): string {
  if (mean?.interval === undefined) return UNMEASURED;
  const { low, high } = mean.interval;
  return `[${oneDecimal(100 * low)}, ${oneDecimal(100 * high)}]`;
}

function right(header: readonly string[], cells: readonly string[]): TableColumn {
  return { header, cells, align: 'right' };
}
