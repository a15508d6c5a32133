import { pushAll } from '../text/long-lists.ts';
import { askedNotes, askedTables } from './asked-tables.ts';
import { costColumns, costNotes, dearerLines } from './cost-tables.ts';
import { oneDecimal, thousands, tokenColumn, UNMEASURED } from './numbers.ts';
import type { Paint } from './paint.ts';
import { shortenNames } from './shorten.ts';
import { type TableColumn, tableLines, tableWidth } from './table.ts';
import type { ConfigTotals } from './totals.ts';

/** Narrowest terminal that the tables are made for. */
const SUMMARY_WIDTH = 80;

/**
 * The end of a sweep on a terminal: small tables, one row a config, and a line for each figure that
 * is easily taken for another. No line is longer than 80 characters, colour aside.
 */
export function summaryLines(totals: readonly ConfigTotals[], paint: Paint): string[] {
  return [
    ...titled('Sent', sentColumns(totals), totals, paint),
    ...titled('Saved', savedColumns(totals), totals, paint),
    ...titled('Kept', keptColumns(totals), totals, paint),
    ...titled('Spent', spentColumns(totals), totals, paint),
    ...titled('Cost', costColumns(totals), totals, paint),
    ...dearer(totals, paint),
    ...askedTables(totals.map(({ asked }) => asked)).flatMap(({ title, columns }) =>
      titled(title, columns, totals, paint),
    ),
    ...footnotes(totals).map((line) => paint.dim(line)),
  ];
}

function dearer(totals: readonly ConfigTotals[], paint: Paint): string[] {
  const lines = dearerLines(totals, SUMMARY_WIDTH);
  return lines.length === 0 ? [] : [...lines.map((line) => paint.yellow(line)), ''];
}

function titled(
  title: string,
  figures: readonly TableColumn[],
  totals: readonly ConfigTotals[],
  paint: Paint,
): string[] {
  const room = SUMMARY_WIDTH - tableWidth(figures) - 2;
  const cells = shortenNames(
    totals.map(({ config }) => config),
    room,
  );
  const names: TableColumn = { header: [title], cells, align: 'left' };
  const { header, rows } = tableLines([names, ...figures]);
  return [...header.map((line) => paint.bold(line)), ...rows, ''];
}

function sentColumns(totals: readonly ConfigTotals[]): TableColumn[] {
  return [
    plain(['tasks'], totals, ({ tasks }) => thousands(tasks)),
    tokens('before', totals, ({ before }) => before),
    tokens('after', totals, ({ after }) => after),
    plain(['% of', 'baseline'], totals, ({ sentPercent }) => oneDecimal(sentPercent)),
    plain(['+ model', '%'], totals, ({ sentWithModelPercent }) => oneDecimal(sentWithModelPercent)),
  ];
}

function savedColumns(totals: readonly ConfigTotals[]): TableColumn[] {
  return [
    plain([''], totals, ({ frontier }) => (frontier ? '*' : '')),
    tokens('gross', totals, ({ gross }) => gross),
    tokens('unique', totals, ({ unique }) => unique),
    tokens('net', totals, ({ net }) => net),
    plain(['pooled', '%'], totals, ({ pooledPercent }) => oneDecimal(pooledPercent)),
    plain(['mean', '%'], totals, ({ meanPercent }) => oneDecimal(meanPercent)),
  ];
}

function keptColumns(totals: readonly ConfigTotals[]): TableColumn[] {
  const resolved = (label: string, value: (total: ConfigTotals) => number) =>
    plain(['resolved', label], totals, (total) =>
      total.rewarded === 0 ? UNMEASURED : `${thousands(value(total))}/${thousands(total.rewarded)}`,
    );
  return [
    resolved('recorded', (total) => total.resolvedRecorded),
    resolved('grounded', (total) => total.resolved),
    resolved('expanded', (total) => total.resolvedWithExpand),
    plain(['evidence', 'used'], totals, ({ evidence }) => thousands(evidence)),
    plain(['kept', '%'], totals, (total) => oneDecimal(total.evidenceKeptPercent)),
    plain(['behind', '%'], totals, (total) => oneDecimal(total.evidenceRecoverablePercent)),
    plain(['lost', '%'], totals, (total) => oneDecimal(total.evidenceLostPercent)),
  ];
}

function spentColumns(totals: readonly ConfigTotals[]): TableColumn[] {
  const columns = [
    plain(['fired', 'cells'], totals, ({ firedCells, cells }) => `${firedCells}/${cells}`),
    plain(['fired', 'requests'], totals, ({ fired }) => thousands(fired)),
    plain(['model', 'calls'], totals, ({ modelCalls }) => thousands(modelCalls)),
    tokens('model in', totals, ({ modelInput }) => modelInput),
    tokens('model out', totals, ({ modelOutput }) => modelOutput),
    plain(['model', 'USD'], totals, ({ modelUsd }) => dollars(modelUsd)),
    plain(['pays', 'after'], totals, (total) => oneDecimal(total.breakEvenRequests)),
  ];
  if (totals.every(({ failed }) => failed === 0)) return columns;
  return [...columns, plain(['failed', 'cells'], totals, ({ failed }) => thousands(failed))];
}

/** Cents and their hundredths; what no table prices is unknown. */
function dollars(usd: number | undefined): string {
  return usd === undefined ? UNMEASURED : usd.toFixed(usd < 100 ? 4 : 2);
}

function plain(
  header: readonly string[],
  totals: readonly ConfigTotals[],
  cell: (total: ConfigTotals) => string,
): TableColumn {
  return { header, cells: totals.map(cell), align: 'right' };
}

function tokens(
  name: string,
  totals: readonly ConfigTotals[],
  value: (total: ConfigTotals) => number,
): TableColumn {
  const { unit, cells } = tokenColumn(totals.map(value));
  return { header: [name, unit], cells, align: 'right' };
}

function footnotes(totals: readonly ConfigTotals[]): string[] {
  const lines = [
    'before, after  tokens of all requests, as recorded and as they would be sent',
    '% of baseline  tokens sent against what the baseline sent for the same requests;',
    "               + model adds what the components' own model calls read and wrote",
    'gross          Σ before − after: a drop counts again at every later request',
    'unique         what was dropped, once, minus what was inserted, once',
    'net            unique minus what expand gave back (--expand off: nothing)',
    'model USD      component calls at the price of their model, or the recording’s',
    'pays after     later requests that earn it again, at the price of cache reads',
    ...costNotes,
    "pooled, mean   % of all tokens together; mean of each transcript's own %",
    'resolved       reward 1: recorded; grounded, if all that actions used is kept;',
    '               expanded, if the rest is behind a marker (an upper bound)',
    'evidence       identifiers that actions took from their requests: kept in front',
    '               of the model, only behind a marker, or lost',
  ];
  pushAll(lines, askedNotes(totals.map(({ asked }) => asked)));
  if (totals.some(({ frontier }) => frontier)) {
    lines.push(
      '*              no other config is as good in all of these and better in one:',
      '               net saved, evidence kept, model tokens, broken rules',
    );
  }
  return lines;
}
