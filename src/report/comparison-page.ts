import { rewardCaveats, signCaveats } from './caveats.ts';
import type { Comparison, ConfigFigures } from './comparison.ts';
import { points, pValue, ratio, signed, twoDecimals, visible, wrapped } from './figures-text.ts';
import { thousands, UNMEASURED } from './numbers.ts';
import type { Paint } from './paint.ts';
import { shortenNames } from './shorten.ts';
import { type TableColumn, tableLines, tableWidth } from './table.ts';

/** Narrowest terminal that the page is made for. */
const PAGE_WIDTH = 80;

/**
 * A comparison on a terminal: small tables, one row a config, and in words what they can and cannot say. No
 * line is longer than 80 characters, colour aside.
 */
export function comparisonLines(comparison: Comparison, paint: Paint): string[] {
  const { configs } = comparison;
  const compared = configs.filter(({ reward }) => reward !== undefined);
  const counted = configs.filter(({ savings }) => savings.counted > 0);
  const sent = counted.filter(({ savings }) => savings.sent.tasks > 0);
  const sections: Section[] = [
    { title: 'Rewards', configs, figures: rewardColumns(configs) },
    { title: 'Tests', configs: compared, figures: testColumns(compared) },
    { title: 'One task less', configs: compared, figures: leaveOneOutColumns(compared) },
    { title: 'Saved', configs: counted, figures: savedColumns(counted) },
    { title: 'Sent', configs: sent, figures: sentColumns(sent) },
  ];
  const shown = sections.filter((section) => section.configs.length > 0);
  const names = shortNames(comparison, shown);
  const spell = (name: string) => names.get(name) ?? visible(name);
  const notes = [
    ...nameLines(names).map((line) => ({ line, paint: paint.dim })),
    ...signCaveats(comparison, spell).map((line) => ({ line, paint: paint.red })),
    ...rewardCaveats(comparison, spell).map((line) => ({ line, paint: paint.yellow })),
    ...legend(counted.length > 0).map((line) => ({ line, paint: paint.dim })),
  ];
  return [
    ...shown.flatMap((section) => sectionLines(section, spell, paint)),
    ...notes.flatMap(({ line, paint: color }) => wrapped(line, PAGE_WIDTH, '  ').map(color)),
  ];
}

interface Section {
  readonly title: string;
  readonly configs: readonly ConfigFigures[];
  readonly figures: readonly TableColumn[];
}

/** One short form for each config in all tables: as wide as the widest table leaves room for. */
function shortNames(
  { configs }: Comparison,
  sections: readonly Section[],
): ReadonlyMap<string, string> {
  const width = Math.max(...sections.map(({ figures }) => tableWidth(figures)));
  const names = configs.map(({ config }) => config);
  const short = shortenNames(names.map(visible), PAGE_WIDTH - width - 2);
  return new Map(names.map((name, index) => [name, short[index] ?? name]));
}

/** The whole names of those that were shortened. */
function nameLines(names: ReadonlyMap<string, string>): string[] {
  return [...names].flatMap(([name, short]) =>
    visible(name) === short ? [] : [`${short}: ${visible(name)}`],
  );
}

function sectionLines(
  { title, configs, figures }: Section,
  spell: (name: string) => string,
  paint: Paint,
): string[] {
  const cells = configs.map(({ config }) => spell(config));
  const { header, rows } = tableLines([{ header: [title], cells, align: 'left' }, ...figures]);
  return [...header.map((line) => paint.bold(line)), ...rows, ''];
}

function rewardColumns(configs: readonly ConfigFigures[]): TableColumn[] {
  const of = columnsFor(configs);
  return [
    of(['resolved'], ({ rate }) => ratio(rate?.resolved ?? 0, rate?.outcomes ?? 0)),
    of(['mean', '%'], ({ rate }) => percent(rate?.rate)),
    of(['differ-', 'ence'], ({ reward }) => points(reward?.verdict.difference)),
    of(['low', 'points'], ({ reward }) => points(reward?.verdict.interval.low)),
    of(['high', 'points'], ({ reward }) => points(reward?.verdict.interval.high)),
    of(['verdict'], ({ reward }) => reward?.verdict.word ?? UNMEASURED, 'left'),
  ];
}

function testColumns(configs: readonly ConfigFigures[]): TableColumn[] {
  const of = columnsFor(configs);
  return [
    of(['p'], ({ reward }) => (reward === undefined ? UNMEASURED : pValue(reward.test.p))),
    of(["Holm's", 'p'], ({ reward }) =>
      reward === undefined ? UNMEASURED : pValue(reward.adjustedP),
    ),
    of(['boot-', 'strap', 'low'], ({ reward }) => points(reward?.bootstrap?.low)),
    of(['high'], ({ reward }) => points(reward?.bootstrap?.high)),
    of(['detect-', 'able'], ({ reward }) => points(reward?.detectable).replace('+', '')),
    of(['pairs', 'differ'], ({ reward }) =>
      ratio(reward?.flips.discordant ?? 0, reward?.flips.pairs ?? 0),
    ),
    of(['flips', 'excluded'], ({ reward }) =>
      reward === undefined || reward.flips.upper === 1
        ? UNMEASURED
        : `>${percent(reward.flips.upper)} %`,
    ),
  ];
}

function leaveOneOutColumns(configs: readonly ConfigFigures[]): TableColumn[] {
  const of = columnsFor(configs);
  return [
    of(['lowest', 'difference'], ({ reward }) => points(reward?.leaveOneOut?.difference.low)),
    of(['highest', 'difference'], ({ reward }) => points(reward?.leaveOneOut?.difference.high)),
    of(['tasks that', 'decide'], ({ reward }) =>
      reward?.leaveOneOut === undefined
        ? UNMEASURED
        : thousands(reward.leaveOneOut.decisive.length),
    ),
  ];
}

function savedColumns(configs: readonly ConfigFigures[]): TableColumn[] {
  const of = columnsFor(configs);
  const tokens = (name: string, value: (figures: ConfigFigures) => number | undefined) =>
    configs.every((figures) => value(figures) === undefined)
      ? []
      : [of([name, 'tokens'], (figures) => whole(value(figures)))];
  return [
    ...tokens('gross', ({ savings }) => savings.gross),
    ...tokens('unique', ({ savings }) => savings.unique),
    ...tokens('net', ({ savings }) => savings.net),
    of(['pooled', '%'], ({ savings }) => twoDecimals(savings.pooledPercent)),
    of(['mean', '%'], ({ savings }) => twoDecimals(savings.meanPercent)),
    of(['median', '%'], ({ savings }) => twoDecimals(savings.medianPercent)),
    of(['fired', 'cells'], ({ savings }) => ratio(savings.firedCells, savings.counted)),
  ];
}

function sentColumns(configs: readonly ConfigFigures[]): TableColumn[] {
  const of = columnsFor(configs);
  return [
    of(['in both', 'arms'], ({ savings }) => thousands(savings.sent.tasks)),
    of(['baseline', 'tokens'], ({ savings }) => whole(savings.sent.baseline)),
    of(['config', 'tokens'], ({ savings }) => whole(savings.sent.config)),
    of(['change', '%'], ({ savings }) => signed(savings.sent.percent, 1)),
    of(['signs'], ({ savings }) => (savings.signsDisagree ? 'DISAGREE' : ''), 'left'),
  ];
}

function columnsFor(configs: readonly ConfigFigures[]) {
  return (
    header: readonly string[],
    cell: (figures: ConfigFigures) => string,
    align: TableColumn['align'] = 'right',
  ): TableColumn => ({ header, cells: configs.map(cell), align });
}

function whole(value: number | undefined): string {
  return value === undefined ? UNMEASURED : thousands(value);
}

function percent(share: number | undefined): string {
  return share === undefined ? UNMEASURED : (100 * share).toFixed(1);
}

function legend(hasCounts: boolean): string[] {
  const lines = [
    'low, high: 95 % interval that decides: of the differences by task, with two pseudo-tasks of +1 and −1 (Bonett and Price). improved: low above 0; non-inferior: low at or above −margin; regressed: high below 0; else inconclusive.',
    'bootstrap: beside it, never decides; with few pairs that differ it collapses to a point. detectable: smallest difference that these tasks would show with 80 % power. flips excluded: larger shares of tasks that flip are excluded, one-sided 95 %.',
  ];
  if (!hasCounts) return lines;
  return [
    ...lines,
    "pooled, mean, median: % of all tokens together; of each cell's own %. change: tokens sent against the baseline's, over what both arms have counts of.",
  ];
}
