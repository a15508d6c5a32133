import type { AgreementTotals, ProbeTotals, TaskMean } from '../../asked-totals.ts';
import { thousands, UNMEASURED } from '../../numbers.ts';
import { type Condition, rowsLink } from '../links.ts';
import { type Child, element } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import { notMeasured, paragraph, type Section } from '../section.ts';
import { type TableColumn, table } from '../table.ts';

interface AgreementLine extends AgreementTotals {
  readonly config: string;
}

interface ProbeLine extends ProbeTotals {
  readonly config: string;
}

/** Whether a model would do the same next on the rewritten request, and what it still knows. */
export function agreementSection({ totals }: ReportInput): Section {
  const title = 'Agreement of the next action';
  const head = { id: 'agreement', title, short: 'Agreement', charts: [] };
  const agreement = totals.flatMap(({ config, asked }): AgreementLine[] =>
    asked?.agreement === undefined ? [] : [{ config, ...asked.agreement }],
  );
  const probes = totals.flatMap(({ config, asked }): ProbeLine[] =>
    asked?.probes === undefined ? [] : [{ config, ...asked.probes }],
  );
  if (agreement.length + probes.length === 0) {
    const body = notMeasured(
      'It takes a sweep with --agreement N or --probes N: a model is asked for the next action on the recorded and on the rewritten request.',
    );
    return { ...head, body };
  }
  const body = element(
    'div',
    {},
    agreement.length === 0
      ? undefined
      : [
          paragraph(
            '1 for the same tools and targets, 0.5 for the same tools, else 0; only where the model does on the recorded request what the agent did. Means over tasks with 95 % intervals.',
          ),
          table({
            caption: 'Agreement of each config',
            columns: [
              config<AgreementLine>(),
              mean<AgreementLine>('agreement', (line) => line, [['agreement_n', '>', 0]]),
              count<AgreementLine>('scored', ({ count: scored }) => scored, [
                ['agreement_n', '>', 0],
              ]),
              count<AgreementLine>('sampled', ({ sampled }) => sampled, [
                ['agreement_sampled', '>', 0],
              ]),
              count<AgreementLine>('eligible', ({ eligible }) => eligible, [
                ['agreement_eligible', '>', 0],
              ]),
              count<AgreementLine>('not reproduced', ({ notReproduced }) => notReproduced, [
                ['agreement_not_reproduced', '>', 0],
              ]),
              count<AgreementLine>('unparsed', ({ unparsed }) => unparsed, [
                ['agreement_unparsed', '>', 0],
              ]),
            ],
            rows: agreement,
          }),
        ],
    probes.length === 0
      ? undefined
      : [
          element('h3', {}, 'Probes'),
          paragraph('Questions about dropped messages, answered from the rewritten request.'),
          table({
            caption: 'Probes of each config',
            columns: [
              config<ProbeLine>(),
              mean<ProbeLine>('answered', ({ plain }) => plain, [['probe_n', '>', 0]]),
              mean<ProbeLine>('with expand', ({ withExpand }) => withExpand, [['probe_n', '>', 0]]),
              count<ProbeLine>('questions', ({ plain }) => plain.count, [['probe_n', '>', 0]]),
              count<ProbeLine>('spans', ({ spans }) => spans),
              count<ProbeLine>('unparsed', ({ unparsed }) => unparsed),
            ],
            rows: probes,
          }),
        ],
  );
  return { ...head, body };
}

type Configured = { readonly config: string };

function config<Line extends Configured>(): TableColumn<Line> {
  return {
    header: 'config',
    align: 'left',
    cell: ({ config: name }) => rowsLink([['config', '=', name]], name),
    sort: ({ config: name }) => name,
  };
}

function mean<Line extends Configured>(
  header: string,
  value: (line: Line) => TaskMean,
  conditions: readonly Condition[],
): TableColumn<Line> {
  const text = ({ mean: found, interval }: TaskMean): string => {
    if (found === undefined) return UNMEASURED;
    const bounds =
      interval === undefined ? '' : ` [${interval.low.toFixed(3)}, ${interval.high.toFixed(3)}]`;
    return `${found.toFixed(3)}${bounds}`;
  };
  return {
    header,
    cell: (line): Child =>
      rowsLink([['config', '=', line.config], ...conditions], text(value(line))),
    sort: (line) => value(line).mean,
  };
}

function count<Line extends Configured>(
  header: string,
  value: (line: Line) => number,
  conditions: readonly Condition[] = [],
): TableColumn<Line> {
  return {
    header,
    cell: (line) => rowsLink([['config', '=', line.config], ...conditions], thousands(value(line))),
    sort: value,
  };
}
