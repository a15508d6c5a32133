import { writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { HarnessError, messageOf } from '../errors.ts';
import { withLightColours } from '../report/charts/theme.ts';
import { compareAll } from '../report/comparison.ts';
import { markdownSummary } from '../report/html/markdown-summary.ts';
import { renderReport } from '../report/html/page.ts';
import { priorityOf, ReplayCollector } from '../report/html/replay-collector.ts';
import type { ReportConfig, ReportInput, ReportRun } from '../report/html/report-input.ts';
import { curveChoice, recordingKey } from '../report/html/session-curves.ts';
import { shownRow } from '../report/html/shown-rows.ts';
import { rowsParquet } from '../report/parquet.ts';
import { RequestLines } from '../report/parquet-requests.ts';
import { startProgress } from '../report/progress.ts';
import { configsOf, outcomesOf, savingsCellsOf, solvedFiredOf } from '../report/run-figures.ts';
import { totalsOf } from '../report/totals.ts';
import type { CellResult } from '../rows/result.ts';
import { makeFolder } from '../sweep/run-files.ts';
import { redactSecrets } from '../text/redact.ts';
import { visible, visibleLines } from '../text/visible.ts';
import { BASELINE } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import type { ReportOptions } from './report/options.ts';
import { replayRun, type WantedRow } from './report/replay-run.ts';
import { type LoadedRun, loadRuns, mergeRuns, type RunRow } from './report/runs.ts';

/** A report stays under this, in bytes. */
const LARGEST = 9_800_000;

/** Of it, what everything but before and after takes at most: rows, drawings, tables, script. */
const APART = 1_600_000;

/** Cells that are replayed for the page alone; `--parquet` has all replayed. */
const MOST_REPLAYED = 1_500;

/**
 * `report`: runs as one HTML file that opens offline, and by wish as Markdown, SVG and Parquet. Cells of stub
 * runs are replayed for what rows do not say. Rejects with `input.missing` without a run, `output.write`.
 */
export async function report(options: ReportOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, stdout, stderr } = environment;
  const baseline = options.baseline ?? BASELINE;
  const runs = await loadRuns(options.runs, environment);
  const merged = mergeRuns(runs, baseline);
  const redact = options.redact ? redactSecrets : (text: string) => text;
  const spell = (text: string) => visible(redact(text));
  const rows = merged.map(({ row, config }) => shownRow({ ...row, config }, spell));
  const figures = figuresOf(rows, baseline, options);
  const lines = options.parquet === undefined ? undefined : new RequestLines();
  const replayed = await replayAll(
    runs,
    merged,
    rows,
    { figures, lines, options, spell },
    environment,
  );
  if (environment.signal.aborted) {
    stderr.write('stopped: nothing was written\n');
    return 1;
  }
  const spellText = (text: string) => visibleLines(redact(text));
  const input: ReportInput = {
    title: spell(titleOf(runs)),
    baseline,
    runs: runs.map((run) => reportRun(run, spell)),
    configs: configsIn(merged, spell, spellText),
    rows,
    ...figures,
    replayed,
  };
  const rendered = renderReport(input);
  const out = resolve(cwd, options.out ?? `${runs[0]?.csv.replace(/\.csv$/, '') ?? 'report'}.html`);
  const written: { readonly kind: string; readonly file: string; readonly bytes: number }[] = [];
  const write = async (kind: string, file: string, content: string | Uint8Array) => {
    await writeOut(file, content);
    written.push({ kind, file: relative(cwd, file), bytes: Buffer.byteLength(content) });
  };
  await write('html', out, rendered.html);
  if (options.svg !== undefined) {
    for (const { name, wide } of rendered.charts) {
      const file = join(resolve(cwd, options.svg), `${name}.svg`);
      await write('svg', file, `${withLightColours(wide)}\n`);
    }
  }
  const markdown = options.markdown === undefined ? '' : markdownSummary(input);
  if (options.markdown !== undefined && options.markdown !== '-') {
    await write('markdown', resolve(cwd, options.markdown), markdown);
  }
  if (options.parquet !== undefined && lines !== undefined) {
    const file = resolve(cwd, options.parquet);
    const all = merged.map(({ row, config }) => ({ ...row, config }));
    await write('parquet', file, rowsParquet(all));
    await write('requests', requestsFile(file), lines.file());
  }
  if (options.markdown === '-') stdout.write(markdown);
  else if (options.json)
    stdout.write(`${JSON.stringify(summaryOf(input, rendered.notes, written), null, 2)}\n`);
  else {
    for (const { file, bytes } of written) {
      stdout.write(`${visible(file)} (${(bytes / 1e6).toFixed(2)} MB)\n`);
    }
  }
  for (const note of rendered.notes) stderr.write(`notice: ${visible(note)}\n`);
  return 0;
}

type Figures = Pick<ReportInput, 'comparison' | 'totals'>;

function figuresOf(
  rows: readonly CellResult[],
  baseline: string,
  { margin }: ReportOptions,
): Figures {
  const configs = configsOf(rows);
  if (!configs.includes(baseline)) {
    const message = `no row has the config '${baseline}', which the others are held against; name another with --baseline`;
    throw new HarnessError('usage', message);
  }
  const names = [baseline, ...configs.filter((config) => config !== baseline)];
  const comparison = compareAll({
    baseline,
    configs: names,
    rewardKind: 'grounded',
    outcomes: outcomesOf(rows),
    cells: savingsCellsOf(rows),
    solvedFired: solvedFiredOf(rows),
    margin,
  });
  return { comparison, totals: totalsOf(rows, names, baseline) };
}

interface ReplayPlan {
  readonly figures: Figures;
  readonly lines: RequestLines | undefined;
  readonly options: ReportOptions;
  spell(text: string): string;
}

async function replayAll(
  runs: readonly LoadedRun[],
  merged: readonly RunRow[],
  rows: readonly CellResult[],
  { figures, lines, options, spell }: ReplayPlan,
  environment: Environment,
) {
  const { cwd, signal, stderr, variables, now } = environment;
  const chosen = lines === undefined ? mostTelling(rows) : undefined;
  const places = new Map<LoadedRun, WantedRow[]>(runs.map((run) => [run, []]));
  for (const [place, { run, row }] of merged.entries()) {
    const shown = rows[place];
    if (shown !== undefined && (chosen?.has(recordingKey(shown)) ?? true)) {
      places.get(run)?.push({ place, row });
    }
  }
  const wanted = [...places.values()].flat();
  const rowBytes = Buffer.byteLength(JSON.stringify(rows.slice(0, 6_000)));
  const collector = new ReplayCollector({
    rows,
    choice: curveChoice(rows, figures.totals),
    room: LARGEST - APART - Math.min(3_000_000, rowBytes),
    recordings: new Set(wanted.map(({ place }) => recordingKey(rows[place] ?? NO_ROW))).size,
    redact: options.redact,
  });
  const notes: string[] =
    chosen === undefined || wanted.length === merged.length
      ? []
      : [
          `Of ${merged.length} cells ${wanted.length} were replayed for before and after and for the sources of savings: those of the recordings with most evidence missing.`,
        ];
  const { CI, TERM } = variables;
  const progress = startProgress({
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTerminal && TERM !== 'dumb' && (CI ?? '') === '',
    columns: stderr.columns,
    now,
  });
  let done = 0;
  try {
    for (const [run, own] of places) {
      const sink = {
        recording: (transcript: Parameters<ReplayCollector['recording']>[0]) => {
          const taker = collector.recording(transcript);
          return {
            add: (place: number, cell: Parameters<typeof taker.add>[1]) => {
              taker.add(place, cell);
              const { row, config } = merged[place] ?? {};
              if (row !== undefined && config !== undefined) lines?.add({ ...row, config }, cell);
            },
            done: () => taker.done(),
          };
        },
      };
      const onCell = () => progress.update(++done, wanted.length, 0);
      notes.push(...(await replayRun(run.manifest, own, sink, { cwd, signal, onCell })));
    }
  } finally {
    progress.stop();
  }
  return collector.result(spell, notes.map(spell));
}

const NO_ROW = { task: '', trial: '', lineage: '', transcriptHash: '' };

/** The recordings that a page of limited size shows; undefined: all. */
function mostTelling(rows: readonly CellResult[]): ReadonlySet<string> | undefined {
  if (rows.length <= MOST_REPLAYED) return undefined;
  const groups = new Map<string, CellResult[]>();
  for (const row of rows) {
    const key = recordingKey(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const ordered = [...groups].toSorted(([, a], [, b]) => priorityOf(b) - priorityOf(a));
  const chosen = new Set<string>();
  let cells = 0;
  for (const [key, own] of ordered) {
    cells += own.length;
    if (cells > MOST_REPLAYED && chosen.size > 0) break;
    chosen.add(key);
  }
  return chosen;
}

function titleOf(runs: readonly LoadedRun[]): string {
  const names = runs.map(({ csv }) =>
    basename(csv, '.csv').replace(/^\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-/, ''),
  );
  return `Compaction report: ${names.slice(0, 3).join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}

function reportRun(
  { file, rows, manifest }: LoadedRun,
  spell: (text: string) => string,
): ReportRun {
  const [first] = rows;
  const { revision, options } = manifest ?? {};
  return {
    file: spell(file),
    status: manifest?.status ?? 'no manifest',
    started: spell(manifest?.started ?? ''),
    model: spell(first?.model ?? ''),
    tokenizer: first?.tokenizer ?? '',
    expand: spell(options?.expand ?? 'not known'),
    guard: options?.guard ?? true,
    patterns: (manifest?.transcripts.patterns ?? []).map(spell),
    harness: spell(manifest?.versions.harness ?? 'not known'),
    revision:
      revision === undefined
        ? undefined
        : spell(`${revision.commit.slice(0, 12)}${revision.dirty ? ' with changes' : ''}`),
  };
}

/** Documents of the configs by the names that they have in the report. */
function configsIn(
  merged: readonly RunRow[],
  spell: (text: string) => string,
  spellText: (text: string) => string,
): ReportConfig[] {
  const found = new Map<string, ReportConfig>();
  for (const { run, row, config } of merged) {
    if (found.has(config)) continue;
    const entry = run.manifest?.configs.find(({ name }) => name === row.config);
    if (entry === undefined) continue;
    const { about, source, text } = entry;
    found.set(config, {
      name: spell(config),
      about: spell(about),
      source: spell(source),
      text: spellText(text),
    });
  }
  return [...found.values()];
}

/** `rows.parquet` → `rows.requests.parquet`. */
function requestsFile(file: string): string {
  return `${file.replace(/\.parquet$/, '')}.requests.parquet`;
}

async function writeOut(file: string, content: string | Uint8Array): Promise<void> {
  try {
    await makeFolder(dirname(file));
    await writeFile(file, content);
  } catch (cause) {
    const message = `cannot write: ${messageOf(cause)}; choose another place`;
    throw new HarnessError('output.write', message, { cause, at: { file } });
  }
}

function summaryOf(
  { rows, totals, replayed }: ReportInput,
  notes: readonly string[],
  files: readonly { readonly kind: string; readonly file: string; readonly bytes: number }[],
) {
  return {
    cells: rows.length,
    replayed: replayed.cells,
    with_details: replayed.details.reduce((sum, block) => sum + block.rows.length, 0),
    files,
    notes,
    configs: totals.map((total) => ({
      config: total.config,
      cells: total.cells,
      failed: total.failed,
      net_saved: total.net,
      sent_pct_of_baseline: total.sentPercent ?? null,
      evidence_kept_pct: total.evidenceKeptPercent ?? null,
      violations_added: total.violationsAdded ?? null,
      frontier: total.frontier,
    })),
  };
}
