import { type CellResult, isFinished } from '../../rows/result.ts';
import { pValue, ratio, signed } from '../figures-text.ts';
import { type MarkdownColumn, markdownName, markdownTable } from '../markdown.ts';
import { thousands, UNMEASURED } from '../numbers.ts';
import type { Fidelity } from '../run-figures.ts';
import { compareMeasure, type MeasureComparison } from '../statistics/measures.ts';
import { controlledBy, withControlsBeside } from './controls.ts';
import { type Headline, keptPercentOf, type Published } from './published.ts';

/** Evidence kept against tokens taken away, one row a config. */
export function fidelityTable(fidelity: readonly Fidelity[]): string[] {
  const share = (part: number, { total }: Fidelity) =>
    total === 0 ? UNMEASURED : ((100 * part) / total).toFixed(1);
  const perThousand = (part: number, { net }: Fidelity) =>
    net <= 0 ? UNMEASURED : ((1000 * part) / net).toFixed(2);
  const columns: MarkdownColumn<Fidelity>[] = [
    { header: 'config', align: 'left', cell: ({ config }) => markdownName(config) },
    { header: 'net saved', cell: ({ net }) => thousands(net) },
    { header: 'evidence used', cell: ({ total }) => thousands(total) },
    { header: 'kept %', cell: (row) => share(row.kept, row) },
    { header: 'recoverable %', cell: (row) => share(row.recoverable, row) },
    { header: 'lost %', cell: (row) => share(row.lost, row) },
    { header: 'of it mutated %', cell: (row) => share(row.mutated, row) },
    { header: 'kept per 1,000 tokens removed', cell: (row) => perThousand(row.kept, row) },
    {
      header: 'missing per 1,000 tokens removed',
      cell: (row) => perThousand(row.total - row.kept, row),
    },
    {
      header: 'actions supported',
      cell: (row) => ratio(row.actionsSupported, row.actionsWithEvidence),
    },
    { header: 'grounded solved', cell: (row) => ratio(row.grounded, row.solved) },
    { header: 'with expand', cell: (row) => ratio(row.groundedWithExpand, row.solved) },
  ];
  return markdownTable(columns, withControlsBeside(fidelity));
}

/** Sentences that hold each config against its controls of equal budget. */
export function controlSentences(fidelity: readonly Fidelity[]): string[] {
  const byName = new Map(fidelity.map((row) => [row.config, row]));
  return fidelity.flatMap((control) => {
    const config = byName.get(controlledBy(control.config) ?? '');
    if (config === undefined || config.total === 0 || control.total === 0) return [];
    const [own, plain] = [config, control].map(({ kept, total }) => (100 * kept) / total);
    if (own === undefined || plain === undefined) return [];
    const better = own > plain ? 'more than' : own < plain ? '**less than**' : 'as much as';
    return [
      `${markdownName(config.config)} keeps ${own.toFixed(1)} % of the evidence (net ${thousands(config.net)} tokens saved), ${better} its control ${markdownName(control.config)} of equal budget, ${plain.toFixed(1)} % (net ${thousands(control.net)}).`,
    ];
  });
}

interface MeasureRow {
  readonly config: string;
  readonly sent: MeasureComparison;
  readonly kept: MeasureComparison;
}

/** Tokens sent and evidence kept as paired differences by task. */
export function measureTable(
  rows: readonly CellResult[],
  configs: readonly string[],
  baseline: string,
): string[] {
  const finished = rows.filter(isFinished);
  const compared = configs
    .filter((config) => config !== baseline)
    .map((config): MeasureRow => {
      const arms = { baseline, config };
      return {
        config,
        sent: compareMeasure(finished, (row) => row.tokensAfter, arms),
        kept: compareMeasure(finished, keptShare, arms),
      };
    });
  const columns: MarkdownColumn<MeasureRow>[] = [
    { header: 'config', align: 'left', cell: ({ config }) => markdownName(config) },
    { header: 'tasks', cell: ({ sent }) => thousands(sent.pairing.pairs.length) },
    { header: 'tokens sent', cell: ({ sent }) => measured(sent, (value) => tokens(value)) },
    { header: 'p', cell: ({ sent }) => pValue(sent.test.p) },
    {
      header: 'evidence kept, points',
      cell: ({ kept }) => measured(kept, (value) => signed(value, 1)),
    },
    { header: 'p', cell: ({ kept }) => pValue(kept.test.p) },
  ];
  return markdownTable(columns, withControlsBeside(compared));
}

function keptShare({ evidenceKept, evidenceTotal }: CellResult): number | undefined {
  if (evidenceKept === undefined || evidenceTotal === undefined || evidenceTotal === 0)
    return undefined;
  return (100 * evidenceKept) / evidenceTotal;
}

function measured(
  { difference, interval }: MeasureComparison,
  spell: (value: number) => string,
): string {
  if (difference === undefined) return UNMEASURED;
  const bound = interval === undefined ? '' : ` [${spell(interval.low)}, ${spell(interval.high)}]`;
  return `${spell(difference)}${bound}`;
}

function tokens(value: number): string {
  const sign = Math.round(value) < 0 ? '−' : Math.round(value) > 0 ? '+' : '';
  return `${sign}${thousands(Math.abs(value))}`;
}

interface Range {
  readonly config: string;
  readonly here: Headline;
  readonly there: Headline;
}

/**
 * The same configs on the same recordings under the other stub, from the newest snapshot that has them: what
 * evidence shows lies between the two, since it measures the summarizer as much as the component.
 */
export function stubRange(published: Published, earlier: readonly Published[]): string[] {
  const { model } = published;
  if (model !== 'stub' && model !== 'stub-vague') return [];
  const wanted = model === 'stub' ? 'stub-vague' : 'stub';
  const other = earlier.findLast(
    (one) => one.kind === 'run' && one.model === wanted && one.recordings === published.recordings,
  );
  if (other === undefined) {
    return [
      `Only \`${model}\` is published on these recordings. Evidence measures the summarizer as much as the component: publish the same run with \`--model ${wanted}\` to have it as a range.`,
    ];
  }
  const theirs = new Map(other.configs.map((headline) => [headline.config, headline]));
  const rows = published.configs.flatMap((here): Range[] => {
    const there = theirs.get(here.config);
    if (there === undefined || there.hash !== here.hash) return [];
    return [{ config: here.config, here, there }];
  });
  const columns: MarkdownColumn<Range>[] = [
    { header: 'config', align: 'left', cell: ({ config }) => markdownName(config) },
    { header: 'evidence kept %', cell: (row) => between(row, keptPercentOf, 1) },
    { header: 'grounded solved', cell: (row) => between(row, ({ grounded }) => grounded, 0) },
    {
      header: 'with expand',
      cell: (row) => between(row, ({ grounded_with_expand }) => grounded_with_expand, 0),
    },
    { header: 'net saved', cell: (row) => between(row, ({ net }) => net, 0) },
  ];
  return [
    `From \`${model}\` (this snapshot) and \`${wanted}\` (${markdownName(other.stem)}):`,
    '',
    ...markdownTable(columns, withControlsBeside(rows)),
  ];
}

function between(
  { here, there }: Range,
  value: (headline: Headline) => number | null,
  decimals: number,
): string {
  const values = [value(here), value(there)].flatMap((one) => one ?? []);
  if (values.length < 2) return UNMEASURED;
  const spell = (one: number) => (decimals === 0 ? thousands(one) : one.toFixed(decimals));
  const [low, high] = [spell(Math.min(...values)), spell(Math.max(...values))];
  return low === high ? low : `${low} to ${high}`;
}
