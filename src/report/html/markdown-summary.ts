import { rewardCaveats, signCaveats } from '../caveats.ts';
import { type MarkdownColumn, markdownName, markdownTable, markdownText } from '../markdown.ts';
import { oneDecimal, thousands } from '../numbers.ts';
import { controlledBy } from '../results/controls.ts';
import { rewardTable, tokenTable } from '../results/headline.ts';
import { fidelityOf } from '../run-figures.ts';
import { type ReportInput, unfinished } from './report-input.ts';

/** Cells that are named as having lost most. */
const MOST_WORST = 5;

/** The report in a few tables, for a pull request: Markdown, its last line ended. */
export function markdownSummary(input: ReportInput): string {
  const { title, rows, totals, comparison, replayed } = input;
  const failed = rows.filter(({ note }) => note !== 'ok').length;
  const broken = totals.reduce((sum, { violationsAdded = 0 }) => sum + violationsAdded, 0);
  const best = totals.filter(
    ({ frontier, config }) => frontier && controlledBy(config) === undefined,
  );
  const facts = [
    ...unfinished(input.runs).map((line) => `**${markdownText(line)}**`),
    `${thousands(rows.length)} cells, ${failed === 0 ? 'none failed' : `**${failed} failed**`}.`,
    best.length === 0
      ? 'No config rewrote anything.'
      : `On the frontier: ${best
          .slice(0, 6)
          .map(
            ({ config, net, evidenceKeptPercent }) =>
              `${markdownName(config)} (${thousands(net)} net tokens, keeps ${oneDecimal(evidenceKeptPercent)} %)`,
          )
          .join(', ')}${best.length > 6 ? ` and ${best.length - 6} more` : ''}.`,
    broken === 0
      ? 'No rewritten request breaks a provider’s rule.'
      : `**${thousands(broken)} breaches of provider rules would be sent.**`,
  ];
  const fidelity = new Map(
    totals.flatMap(({ config }) => {
      const found = fidelityOf(rows, config);
      return found === undefined ? [] : [[config, found] as const];
    }),
  );
  const rewards = rewardTable(comparison);
  const caveats = [
    ...signCaveats(comparison, markdownName),
    ...rewardCaveats(comparison, markdownName),
    ...replayed.notes.map(markdownText),
  ];
  const lines = [
    `## ${markdownText(title)}`,
    '',
    ...facts,
    '',
    ...tokenTable(comparison, fidelity),
    '',
    ...(rewards.length === 0 ? [] : [...rewards, '']),
    ...worst(input),
    '<details><summary>What these figures can and cannot say</summary>',
    '',
    ...caveats.map((caveat) => `- ${caveat}`),
    '',
    '</details>',
  ];
  return `${lines.join('\n')}\n`;
}

function worst({ rows }: ReportInput): string[] {
  const missing = rows
    .filter(
      ({ config, evidenceLost = 0 }) => controlledBy(config) === undefined && evidenceLost > 0,
    )
    .toSorted((a, b) => (b.evidenceLost ?? 0) - (a.evidenceLost ?? 0))
    .slice(0, MOST_WORST);
  type Row = (typeof missing)[number];
  const columns: MarkdownColumn<Row>[] = [
    { header: 'task', align: 'left', cell: ({ task }) => markdownName(task) },
    { header: 'config', align: 'left', cell: ({ config }) => markdownName(config) },
    { header: 'evidence used', cell: ({ evidenceTotal = 0 }) => thousands(evidenceTotal) },
    { header: 'lost', cell: ({ evidenceLost = 0 }) => thousands(evidenceLost) },
    { header: 'saved %', cell: ({ percentSaved }) => oneDecimal(percentSaved) },
  ];
  if (missing.length === 0) return [];
  return ['Most evidence lost:', '', ...markdownTable(columns, missing), ''];
}
