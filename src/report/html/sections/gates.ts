import type { CellResult, Counts } from '../../../rows/result.ts';
import { type BarPart, stackedBars } from '../../charts/stacked-bars.ts';
import { thousands } from '../../numbers.ts';
import { rowsHref, rowsLink } from '../links.ts';
import { element, type Markup } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import { chartOf, figure, paragraph, type Section } from '../section.ts';
import { table } from '../table.ts';

type CountColumn = 'gates' | 'refusals' | 'violation_rules';

/** How often a name stands in one column of one config's rows. */
interface Tally {
  readonly config: string;
  readonly name: string;
  readonly column: CountColumn;
  readonly count: number;
}

/** Why requests were left alone, and why rewrites were taken back. */
export function gatesSection({ rows }: ReportInput): Section {
  const head = { id: 'gates', title: 'Refusals and gates', short: 'Gates' };
  const tallies = [
    ...tallied(rows, 'gates', (row) => row.gates),
    ...tallied(rows, 'refusals', (row) => row.refusals),
  ];
  if (tallies.length === 0) {
    const body = paragraph('No component left a request alone or had a rewrite taken back.');
    return { ...head, body, charts: [] };
  }
  const kinds = { gates: 'gate: request left alone', refusals: 'refusal: rewrite not taken' };
  const sums = new Map<string, BarPart>();
  for (const { name, column, count } of tallies) {
    const part = column === 'gates' ? kinds.gates : kinds.refusals;
    const known = sums.get(`${column} ${name}`);
    sums.set(`${column} ${name}`, {
      bar: name,
      part,
      value: (known?.value ?? 0) + count,
      href: rowsHref([[column, '~', name]]),
    });
  }
  const bars = [...sums.values()].toSorted((a, b) => b.value - a.value).slice(0, 24);
  const chart = chartOf('gates', (width) =>
    stackedBars(bars, {
      label: 'How often each gate and refusal occurred, over all cells.',
      axis: 'times →',
      width,
      parts: Object.values(kinds),
    }),
  );
  return {
    ...head,
    charts: [chart],
    body: element(
      'div',
      {},
      figure(
        chart,
        'Counts over all cells; a bar links to the rows that have it.',
        tallyTable(tallies, 'Gates and refusals of each config'),
      ),
    ),
  };
}

/** Rules of providers that rewrites broke, whether they were taken back or would have been sent. */
export function violationsSection({ rows, totals }: ReportInput): Section {
  const head = { id: 'violations', title: 'Violations', short: 'Violations', charts: [] };
  const tallies = tallied(rows, 'violation_rules', (row) => row.violationRules);
  const added = totals.reduce((sum, { violationsAdded = 0 }) => sum + violationsAdded, 0);
  const recorded = rows.reduce((sum, row) => sum + (row.violationsBefore ?? 0), 0);
  const checked = rows.filter(({ violationsAdded }) => violationsAdded !== undefined).length;
  const sentence =
    added === 0
      ? [
          element('strong', { class: 'good' }, 'None would be sent. '),
          `In ${thousands(checked)} cells no rewritten request breaks a provider’s rule that the recorded one keeps.`,
        ]
      : [
          element('strong', { class: 'bad' }, [
            rowsLink([['violations_added', '>', 0]], thousands(added)),
            ' would be sent. ',
          ]),
          'A provider would refuse these requests, and would have taken them as recorded.',
        ];
  const before =
    recorded === 0
      ? undefined
      : paragraph(
          'The recorded requests themselves have ',
          rowsLink([['violations_before', '>', 0]], `${thousands(recorded)} breaches`),
          ', counted at every cell; they are not the configs’.',
        );
  const body = element(
    'div',
    {},
    element('p', {}, sentence),
    before,
    tallies.length === 0
      ? undefined
      : [
          paragraph('Rules that rewrites broke, sent or taken back by the guard:'),
          tallyTable(tallies, 'Broken rules of each config'),
        ],
  );
  return { ...head, body };
}

function tallied(
  rows: readonly CellResult[],
  column: CountColumn,
  counts: (row: CellResult) => Counts | undefined,
): Tally[] {
  const tallies = new Map<string, Tally>();
  for (const row of rows) {
    for (const [name, count] of counts(row) ?? []) {
      const key = JSON.stringify([row.config, name]);
      const known = tallies.get(key)?.count ?? 0;
      tallies.set(key, { config: row.config, name, column, count: known + count });
    }
  }
  return [...tallies.values()];
}

function tallyTable(tallies: readonly Tally[], caption: string): Markup {
  const words = { gates: 'gate', refusals: 'refusal', violation_rules: 'rule' };
  return table({
    caption,
    columns: [
      {
        header: 'config',
        align: 'left',
        cell: ({ config }: Tally) => rowsLink([['config', '=', config]], config),
        sort: ({ config }) => config,
      },
      { header: 'kind', align: 'left', cell: ({ column }) => words[column] },
      { header: 'name', align: 'left', cell: ({ name }) => element('code', {}, name) },
      {
        header: 'times',
        cell: ({ config, column, name, count }) =>
          rowsLink(
            [
              ['config', '=', config],
              [column, '~', name],
            ],
            thousands(count),
          ),
        sort: ({ count }) => count,
      },
    ],
    rows: tallies,
  });
}
