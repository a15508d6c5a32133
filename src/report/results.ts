import { type CellResult, isFinished } from '../rows/result.ts';
import type { Manifest } from '../sweep/manifest.ts';
import { rewardCaveats, signCaveats } from './caveats.ts';
import type { Comparison } from './comparison.ts';
import type { Agreement } from './live-join.ts';
import { fenced, markdownName, markdownText } from './markdown.ts';
import { thousands } from './numbers.ts';
import { costSection } from './results/cost.ts';
import { controlSentences, fidelityTable, measureTable, stubRange } from './results/fidelity.ts';
import { rewardTable, testTable, tokenTable } from './results/headline.ts';
import { changeSection, earlierTable } from './results/history.ts';
import { liveCaveats, methodLines, replayCaveats } from './results/prose.ts';
import type { Published } from './results/published.ts';
import { columnsTable, configSections, rewardColumnsTable } from './results/reference.ts';
import type { Fidelity } from './run-figures.ts';

/** Everything that the page of a snapshot is made from; the same gives the same page. */
export interface ResultsInput {
  readonly published: Published;
  /** Of the snapshots that were there before, in the order of publication. */
  readonly earlier: readonly Published[];
  /** Undefined of a table of live rewards alone. */
  readonly run: PublishedRun | undefined;
  readonly live: PublishedLive | undefined;
  /** Commands that give the figures again, in order, and what a reader has to know for it. */
  readonly reproduce: { readonly commands: readonly string[]; readonly notes: readonly string[] };
}

export interface PublishedRun {
  readonly manifest: Manifest;
  readonly rows: readonly CellResult[];
  readonly comparison: Comparison;
  readonly fidelity: readonly Fidelity[];
}

export interface PublishedLive {
  /** Name of the file, as it was given. */
  readonly file: string;
  readonly comparison: Comparison;
  /** Where it was joined with the run. */
  readonly agreement: Agreement | undefined;
}

/** `results/README.md`: Markdown, its last line ended. */
export function resultsPage(input: ResultsInput): string {
  const { published, earlier, run, live, reproduce } = input;
  const main = run?.comparison ?? live?.comparison;
  const sections = [
    section('Results', opening(input), 1),
    ...(live === undefined ? [] : liveSections(live, run !== undefined)),
    ...(run === undefined ? [] : runSections(run, published, earlier)),
    section('Caveats', list(caveatsOf(input))),
    section('Method', main === undefined ? [] : paragraphs(methodOf(input, main))),
    section('Reproduce', reproduceLines(reproduce)),
    section('Change from the last snapshot', changeSection(published, earlier)),
    section('Earlier snapshots', earlierTable(earlier)),
    section('Configs', run === undefined ? [] : configSections(run.manifest)),
    section('Columns', run === undefined ? rewardColumnsTable() : columnsTable()),
  ];
  const lines = sections.flat();
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}

/** A heading and what stands under it; nothing where nothing does. */
function section(title: string, lines: readonly string[], level = 2): string[] {
  if (lines.length === 0) return [];
  return [`${'#'.repeat(level)} ${title}`, '', ...lines, ''];
}

function list(lines: readonly string[]): string[] {
  return lines.map((line) => `- ${line}`);
}

function paragraphs(lines: readonly string[]): string[] {
  return lines.flatMap((line) => [line, '']);
}

function opening({ published, run, live }: ResultsInput): string[] {
  const { stem, forced, rewards } = published;
  const file = encodeURIComponent(stem);
  const files = [`[rows](${file}.csv)`, `[manifest](${file}.manifest.json)`];
  if (rewards !== null) files.push(`[live rewards](${encodeURIComponent(rewards)})`);
  const lines = [`Snapshot ${markdownName(stem)}: ${files.join(', ')}.`, ''];
  if (forced.length > 0) {
    lines.push(
      '> **Published by force.** Without `--force` this snapshot would have been refused:',
      ...forced.map((reason) => `> - ${markdownText(reason)}`),
      '',
    );
  }
  if (run !== undefined) lines.push(runSentence(run), '');
  if (live !== undefined) {
    const { outcomes, tasks, configs } = live.comparison;
    lines.push(
      `Live rewards: ${thousands(outcomes)} outcomes of ${thousands(tasks)} tasks under ${configs.length} configs, from ${markdownText(live.file)}.`,
    );
  }
  return lines;
}

function runSentence({ manifest, rows, comparison }: PublishedRun): string {
  const finished = rows.filter(isFinished);
  const recordings = new Set(rows.map(({ transcriptHash }) => transcriptHash)).size;
  const baseline = finished.filter(({ config }) => config === comparison.baseline);
  const requests = baseline.reduce((sum, row) => sum + (row.requests ?? 0), 0);
  const { revision, versions, options } = manifest;
  const at =
    revision === undefined
      ? 'an unknown revision'
      : `revision ${markdownName(revision.commit.slice(0, 12))}${revision.dirty ? ' **with uncommitted changes**' : ''}`;
  return `${thousands(recordings)} recorded transcripts with ${thousands(requests)} requests, replayed offline under ${comparison.configs.length} configs: ${thousands(finished.length)} finished cells, ${thousands(rows.length - finished.length)} failed. Component model ${markdownName(options.model)}, tokenizer ${markdownName(options.tokenizer)}, harness ${markdownText(versions.harness)} at ${at}.`;
}

function liveSections({ comparison, agreement }: PublishedLive, joined: boolean): string[] {
  const lines = [
    ...rewardTable(comparison),
    '',
    ...tokenTable(comparison, new Map()),
    '',
    ...(agreement === undefined ? [] : agreementLines(agreement)),
  ];
  return [
    ...section(joined ? 'Live rewards' : 'Headline', lines),
    ...section(joined ? 'Statistics of the live rewards' : 'Statistics', testTable(comparison)),
  ];
}

function agreementLines({ both, groundedOnly, liveOnly, neither }: Agreement): string[] {
  const cells = both + groundedOnly + liveOnly + neither;
  if (cells === 0) return [];
  return [
    `Grounded against live reward, over ${thousands(cells)} joined cells: both solved ${both}, only grounded ${groundedOnly}, only live ${liveOnly}, neither ${neither}.`,
  ];
}

function runSections(
  { comparison, rows, fidelity }: PublishedRun,
  published: Published,
  earlier: readonly Published[],
): string[] {
  const byConfig = new Map(fidelity.map((row) => [row.config, row]));
  const measured = fidelity.some(({ total }) => total > 0);
  const names = comparison.configs.map(({ config }) => config);
  return [
    ...section('Headline', [
      ...rewardTable(comparison),
      '',
      ...tokenTable(comparison, byConfig),
      '',
      'A control `control-…@CONFIG` drops history without looking at it, to the same number of tokens as CONFIG, request by request: what it saves and keeps as well is no merit of the config.',
    ]),
    ...section('Cost', costSection(rows, names, comparison.baseline)),
    ...(measured
      ? section('Fidelity against savings', [
          ...fidelityTable(fidelity),
          '',
          ...list(controlSentences(fidelity)),
        ])
      : []),
    ...(measured ? section('Under both stubs', stubRange(published, earlier)) : []),
    ...section('Statistics', [
      ...testTable(comparison),
      '',
      'Differences of measures by task, config minus baseline, with the 95 % t-interval and the p of a sign-flip test:',
      '',
      ...measureTable(rows, names, comparison.baseline),
    ]),
  ];
}

function caveatsOf({ run, live }: ResultsInput): string[] {
  const comparisons = [live?.comparison, run?.comparison].filter((one) => one !== undefined);
  const sentences = comparisons.flatMap((comparison) => [
    ...signCaveats(comparison, markdownName),
    ...(comparison.outcomes === 0
      ? []
      : rewardCaveats(comparison, markdownName).map((sentence) =>
          comparisons.length > 1
            ? `${comparison.rewardKind === 'live' ? 'Live' : 'Grounded'} rewards. ${sentence}`
            : sentence,
        )),
  ]);
  return [
    ...sentences,
    ...(live === undefined ? [] : liveCaveats()),
    ...(run === undefined ? [] : replayCaveats(run.rows, run.manifest)),
  ];
}

function methodOf({ run, live }: ResultsInput, main: Comparison): string[] {
  return methodLines(main, run?.manifest, live !== undefined);
}

function reproduceLines({ commands, notes }: ResultsInput['reproduce']): string[] {
  return [...fenced(commands.join('\n')), '', ...list(notes.map(markdownText))];
}
