import { dirname, join, relative, resolve } from 'node:path';
import { HarnessError } from '../errors.ts';
import { withLightColours } from '../report/charts/theme.ts';
import { compareAll } from '../report/comparison.ts';
import { markdownSummary } from '../report/html/markdown-summary.ts';
import { renderReport } from '../report/html/page.ts';
import type { ReportInput } from '../report/html/report-input.ts';
import { shownRow } from '../report/html/shown-rows.ts';
import { rowsParquet } from '../report/parquet.ts';
import { RequestLines } from '../report/parquet-requests.ts';
import { configsOf, outcomesOf, savingsCellsOf, solvedFiredOf } from '../report/run-figures.ts';
import { totalsOf } from '../report/totals.ts';
import type { CellResult } from '../rows/result.ts';
import { makeFolder } from '../sweep/run-files.ts';
import { redactSecrets } from '../text/redact.ts';
import { visible, visibleLines } from '../text/visible.ts';
import { cannotWrite } from '../text/write-error.ts';
import { writeWhole } from '../text/write-whole.ts';
import { BASELINE } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { jsonOutput } from './json-output.ts';
import type { ReportOptions } from './report/options.ts';
import { replayAll } from './report/replay-runs.ts';
import { configsIn, reportRun, titleOf } from './report/run-facts.ts';
import { loadRuns, mergeRuns } from './report/runs.ts';

/**
 * `report`: runs as one HTML file that opens offline, and by wish as Markdown, SVG and Parquet. Cells of
 * runs whose models answer again (stubs, cassettes) are replayed for what rows do not say. Rejects with `input.missing` without a run, `output.write`.
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
  else if (options.json) stdout.write(`${jsonOutput(summaryOf(input, rendered.notes, written))}\n`);
  else {
    for (const { file, bytes } of written) {
      stdout.write(`${visible(file)} (${sizeText(bytes)})\n`);
    }
  }
  if (!options.json) stderr.write('the .html opens in any browser and needs no network\n');
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
    const message = `no row has the config '${baseline}', which the others are held against; name another with --baseline: ${configs.slice(0, 20).join(', ')}`;
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

function sizeText(bytes: number): string {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** `rows.parquet` → `rows.requests.parquet`. */
function requestsFile(file: string): string {
  return `${file.replace(/\.parquet$/, '')}.requests.parquet`;
}

async function writeOut(file: string, content: string | Uint8Array): Promise<void> {
  await makeFolder(dirname(file)).catch((cause: unknown) => {
    throw cannotWrite(file, cause);
  });
  await writeWhole(file, content);
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
