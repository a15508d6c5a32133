import { type EvidencePoint, evidenceChart } from '../../charts/evidence-chart.ts';
import { frontierOf } from '../../frontier.ts';
import { oneDecimal, typesetThousands } from '../../numbers.ts';
import { controlledBy } from '../../results/controls.ts';
import { rowsHref, rowsLink } from '../links.ts';
import { element } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import { chartOf, figure, notMeasured, type Section } from '../section.ts';
import { table } from '../table.ts';

/** Savings against evidence kept, with the frontier of these two. */
export function evidenceSection({ totals }: ReportInput): Section {
  const head = {
    id: 'evidence',
    title: 'Savings against evidence kept',
    short: 'Evidence',
  };
  const points = pointsOf(totals);
  if (points.length === 0) {
    const body = notMeasured('No config rewrote a request of a recording whose actions are known.');
    return { ...head, body, charts: [] };
  }
  const chart = chartOf('evidence', (width) => evidenceChart(points, width));
  const shown = points.toSorted((a, b) => b.saved - a.saved);
  const figures = table({
    caption: 'Savings and evidence of each config',
    columns: [
      {
        header: 'config',
        align: 'left',
        cell: ({ config }) => rowsLink([['config', '=', config]], config),
        sort: ({ config }) => config,
      },
      {
        header: 'net saved',
        cell: ({ saved }) => typesetThousands(saved),
        sort: ({ saved }) => saved,
      },
      { header: 'kept %', cell: ({ kept }) => oneDecimal(kept), sort: ({ kept }) => kept },
      {
        header: 'frontier',
        align: 'left',
        cell: ({ onFrontier, isControl }) => (onFrontier ? 'yes' : isControl ? 'control' : 'no'),
      },
    ],
    rows: shown,
    href: ({ href }) => href,
  });
  const caption =
    'Further right saves more, further up keeps more of what the agent went on to use. On the dashed line are the configs that no other one beats in both. A point below the controls of equal budget keeps less than forgetting would.';
  return {
    ...head,
    charts: [chart],
    body: element('div', {}, figure(chart, caption, figures)),
  };
}

/** Configs that rewrote something and whose evidence was measured. */
function pointsOf(totals: ReportInput['totals']): EvidencePoint[] {
  const measured = totals.flatMap(({ config, net, fired, evidenceKeptPercent }) =>
    fired === 0 || evidenceKeptPercent === undefined
      ? []
      : [
          {
            config,
            saved: net,
            kept: evidenceKeptPercent,
            isControl: controlledBy(config) !== undefined,
          },
        ],
  );
  const best = frontierOf(
    measured
      .filter(({ isControl }) => !isControl)
      .map(({ config, saved, kept }) => ({ name: config, saved, costs: [100 - kept] })),
  );
  return measured.map((point) => ({
    ...point,
    onFrontier: best.has(point.config),
    href: rowsHref([['config', '=', point.config]]),
  }));
}
