import { sessionChart } from '../../charts/session-chart.ts';
import { thousands } from '../../numbers.ts';
import { cellHref, rowsHref, rowsLink } from '../links.ts';
import { element, type Markup } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import { type Chart, figure, NARROW, notMeasured, type Section } from '../section.ts';
import type { SessionCurve } from '../session-curves.ts';
import { table } from '../table.ts';

const HALF = 450;

/** Tokens of each request along the largest sessions, before and after. */
export function sessionsSection({ replayed, totals }: ReportInput): Section {
  const head = { id: 'sessions', title: 'Tokens per request along a session', short: 'Sessions' };
  const { curves, notes } = replayed;
  if (curves.length === 0) {
    const fired = totals.some((total) => total.fired > 0);
    const reason =
      notes[0] ?? (fired ? 'No recording has enough requests.' : 'No config rewrote a request.');
    return { ...head, body: notMeasured(reason), charts: [] };
  }
  const configs = [...new Set(curves.flatMap(({ after }) => after.map(({ config }) => config)))];
  const drawn = curves.map((curve, index) => sessionFigure(curve, configs, index));
  return {
    ...head,
    charts: drawn.map(({ chart }) => chart),
    body: element(
      'div',
      {},
      element(
        'p',
        {},
        'The grey surface is what the agent sent. A line drops where a config decides anew, and grows with the session until the next decision. A line opens its cell.',
      ),
      element(
        'div',
        { class: 'grid' },
        drawn.map(({ body }) => body),
      ),
    ),
  };
}

function sessionFigure(
  curve: SessionCurve,
  configs: readonly string[],
  index: number,
): { readonly chart: Chart; readonly body: Markup } {
  const series = {
    before: curve.before,
    after: curve.after.map(({ config, row, tokens }) => ({ config, tokens, href: cellHref(row) })),
  };
  const chart: Chart = {
    name: `session-${index + 1}`,
    wide: sessionChart(series, configs, HALF),
    narrow: sessionChart(series, configs, NARROW),
  };
  const { task, trial, lineage } = curve;
  const place = lineage === 'main' && trial === '0' ? '' : `, trial ${trial}, ${lineage}`;
  const caption = [
    rowsLink([['task', '=', task]], element('strong', {}, task)),
    `${place}: ${thousands(curve.before.length)} requests`,
  ];
  const requests = curve.before.map((before, request) => ({ request, before }));
  const figures = table({
    caption: `Tokens per request of ${task}`,
    columns: [
      { header: 'request', cell: ({ request }: (typeof requests)[number]) => String(request) },
      {
        header: 'as recorded',
        cell: ({ before }) => thousands(before),
        sort: ({ before }) => before,
      },
      ...curve.after.map(({ config, row, tokens }) => ({
        header: config,
        cell: ({ request }: (typeof requests)[number]) =>
          element('a', { href: cellHref(row, request) }, thousands(tokens[request] ?? 0)),
        sort: ({ request }: (typeof requests)[number]) => tokens[request],
      })),
    ],
    rows: requests,
    href: () => rowsHref([['task', '=', task]]),
  });
  return { chart, body: figure(chart, caption, figures) };
}
