import { rewardCaveats, signCaveats } from '../../caveats.ts';
import type { ConfigFigures } from '../../comparison.ts';
import { bounds, points, pValue, ratio, signed } from '../../figures-text.ts';
import { oneDecimal, thousands, typesetThousands, UNMEASURED } from '../../numbers.ts';
import { controlledBy, withControlsBeside } from '../../results/controls.ts';
import type { ConfigTotals } from '../../totals.ts';
import { configName } from '../config-name.ts';
import { rowsLink } from '../links.ts';
import { element, type Markup } from '../markup.ts';
import type { ReportInput } from '../report-input.ts';
import { behind, bulletList, paragraph, type Section } from '../section.ts';
import { type TableColumn, table } from '../table.ts';
import { tiles } from './tiles.ts';

/** One line of the table: the totals of a config and how it compares with the baseline. */
interface Line {
  readonly config: string;
  readonly total: ConfigTotals;
  readonly figures: ConfigFigures | undefined;
}

/** The table that a reader comes for: what each config saves, keeps and costs, with verdict and interval. */
export function headlineSection(input: ReportInput): Section {
  const { comparison, totals, baseline } = input;
  const figures = new Map(comparison.configs.map((one) => [one.config, one]));
  const lines = withControlsBeside(
    totals.map(
      (total): Line => ({ config: total.config, total, figures: figures.get(total.config) }),
    ),
  );
  const spell = (name: string) => name;
  const caveats = [...signCaveats(comparison, spell), ...rewardCaveats(comparison, spell)];
  return {
    id: 'headline',
    title: 'What each config saves, keeps and costs',
    short: 'Headline',
    charts: [],
    body: element(
      'div',
      {},
      tiles(input),
      table({
        caption: 'Figures of each config',
        columns: columnsOf(lines, baseline),
        rows: lines,
        rowClass: ({ config }) =>
          config === baseline
            ? 'baseline'
            : controlledBy(config) === undefined
              ? undefined
              : 'control',
      }),
      element(
        'p',
        { class: 'note' },
        lines.some(({ total }) => total.frontier)
          ? '★ no other config is as good in net tokens saved, evidence kept, model tokens and broken rules, and better in one. '
          : '',
        'Every figure links to its rows.',
      ),
      caveats.length === 0
        ? undefined
        : behind('What the verdicts can and cannot say', bulletList(caveats)),
      behind('How to read the columns', legend()),
    ),
  };
}

function columnsOf(lines: readonly Line[], baseline: string): TableColumn<Line>[] {
  const hasRewards = lines.some(({ figures }) => figures?.rate !== undefined);
  const hasUsd = lines.some(({ total }) => (total.cost.usdNet ?? 0) !== 0);
  const columns: (TableColumn<Line> | undefined)[] = [
    {
      header: 'config',
      align: 'left',
      cell: ({ config, total }) => [
        total.frontier ? element('span', { class: 'star', title: 'on the frontier' }, '★ ') : '',
        configName(config),
      ],
      sort: ({ config }) => config,
    },
    number('sent %', 'Tokens sent, in % of what the baseline sent.', ({ total }) =>
      total.sentPercent === undefined
        ? undefined
        : [total.sentPercent, oneDecimal(total.sentPercent)],
    ),
    number(
      'net saved',
      'Tokens taken away, each once, minus what was put in or given back.',
      ({ total }) => [total.net, typesetThousands(total.net)],
    ),
    number(
      'kept %',
      'Identifiers that later actions used and that are still in front of the model.',
      ({ total }) =>
        total.evidenceKeptPercent === undefined
          ? undefined
          : [total.evidenceKeptPercent, oneDecimal(total.evidenceKeptPercent)],
      [['evidence_total', '>', 0]],
    ),
    number(
      'behind %',
      'Of them, only behind a marker.',
      ({ total }) =>
        total.evidenceRecoverablePercent === undefined
          ? undefined
          : [total.evidenceRecoverablePercent, oneDecimal(total.evidenceRecoverablePercent)],
      [['evidence_recoverable', '>', 0]],
    ),
    number(
      'lost %',
      'Of them, neither in front nor behind a marker.',
      ({ total }) =>
        total.evidenceLostPercent === undefined
          ? undefined
          : [total.evidenceLostPercent, oneDecimal(total.evidenceLostPercent)],
      [['evidence_lost', '>', 0]],
    ),
    hasRewards
      ? number(
          'resolved',
          'Rewards of 1: as recorded on the baseline, else grounded.',
          ({ figures }) =>
            figures?.rate === undefined
              ? undefined
              : [figures.rate.resolved, ratio(figures.rate.resolved, figures.rate.outcomes)],
          [['passed', '=', 'True']],
        )
      : undefined,
    hasRewards
      ? number(
          'difference [L, U]',
          'Of the reward, in points, with its 95 % interval.',
          ({ figures }) => {
            const verdict = figures?.reward?.verdict;
            return verdict?.difference === undefined
              ? undefined
              : [verdict.difference, `${points(verdict.difference)} ${bounds(verdict.interval)}`];
          },
        )
      : undefined,
    hasRewards ? verdictColumn(baseline) : undefined,
    number(
      'fired',
      'Requests that were rewritten.',
      ({ total }) => [total.fired, thousands(total.fired)],
      [['fired', '>', 0]],
    ),
    number(
      'model tokens',
      "Read and written by the components' own model calls.",
      ({ total }) => [
        total.modelInput + total.modelOutput,
        thousands(total.modelInput + total.modelOutput),
      ],
      [['model_calls', '>', 0]],
    ),
    hasUsd
      ? number(
          'net USD',
          'Price of the requests as recorded minus that of the rewritten ones and of the component calls; below 0 it costs more.',
          ({ total }) => {
            const { usdNet } = total.cost;
            return usdNet === undefined ? undefined : [usdNet, signed(usdNet, 3)];
          },
        )
      : undefined,
  ];
  return columns.flatMap((column) => column ?? []);
}

/** A figure that links to its rows; undefined was not measured. */
function number(
  header: string,
  about: string,
  value: (line: Line) => readonly [number, string] | undefined,
  conditions: Parameters<typeof rowsLink>[0] = [],
): TableColumn<Line> {
  return {
    header,
    about,
    cell: (line) => {
      const found = value(line);
      if (found === undefined) return UNMEASURED;
      return rowsLink([['config', '=', line.config], ...conditions], found[1]);
    },
    sort: (line) => value(line)?.[0],
  };
}

function verdictColumn(baseline: string): TableColumn<Line> {
  return {
    header: 'verdict',
    about: 'At the accepted margin of loss, by the interval.',
    align: 'left',
    cell: ({ config, figures }) => {
      const reward = figures?.reward;
      if (config === baseline || reward === undefined) return UNMEASURED;
      const { word } = reward.verdict;
      const title = `p ${pValue(reward.test.p)}, Holm's ${pValue(reward.adjustedP)}; sent ${signed(figures?.savings.sent.percent, 1)} % against the baseline`;
      return element('span', { class: `verdict ${word}`, title }, word);
    },
    sort: ({ figures }) => figures?.reward?.verdict.word ?? '',
  };
}

function legend(): Markup {
  return element(
    'div',
    { class: 'prose' },
    paragraph(
      'Net saved counts what was dropped once, minus what was put in its place, once; sent counts every request. ',
      'Evidence is identifiers (paths, ids, names) that recorded actions took from their requests: kept in front of the model, only behind a marker, or lost.',
    ),
    paragraph(
      'A grounded reward is the recorded one if all evidence of every action is kept, else 0: it can only fall, and it is not what a live run would have earned. ',
      'A control (↳) drops turns without looking, down to the same number of tokens as the config above it.',
    ),
  );
}
