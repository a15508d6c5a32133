import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { HarnessError } from '../errors.ts';
import { compareAll } from '../report/comparison.ts';
import type { PublishedTable } from '../report/published.ts';
import { headlinesOf, type Published } from '../report/results/published.ts';
import { REWARD_COLUMNS } from '../report/results/reference.ts';
import { type PublishedRun, type ResultsInput, resultsPage } from '../report/results.ts';
import {
  configsOf,
  fidelityOf,
  outcomesOf,
  savingsCellsOf,
  solvedFiredOf,
} from '../report/run-figures.ts';
import { writeCell } from '../rows/cell-text.ts';
import { parseRows } from '../rows/csv.ts';
import { RunLock } from '../sweep/lock.ts';
import { readManifest } from '../sweep/manifest.ts';
import { listRuns, runFiles } from '../sweep/run-files.ts';
import { wholeText } from '../text/whole-file.ts';
import { writeWhole } from '../text/write-whole.ts';
import type { ComparisonOptions } from './comparison-options.ts';
import { BASELINE, RESULTS_FOLDER, RUNS_FOLDER } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { type Imported, importRewardsFrom } from './imported.ts';
import { configFolders, projectPath } from './project.ts';
import { refusals } from './publish/refusals.ts';
import { type ConfigSource, findConfigs } from './publish/reproduction.ts';
import {
  claimSnapshot,
  makeSnapshotFolder,
  PAGE,
  readSnapshots,
  snapshotName,
} from './publish/snapshots.ts';
import { rewardSteps, runSteps } from './publish/steps.ts';

export interface PublishResultsOptions extends ComparisonOptions {
  /** CSV of the run; the newest where neither it nor `rewards` is given. */
  readonly run: string | undefined;
  /** Table of live rewards: beside the run, or by itself. */
  readonly rewards: string | undefined;
  readonly name: string | undefined;
  readonly out: string | undefined;
  readonly force: boolean;
}

/** What is published, before it has a name. */
interface Subject {
  readonly date: string;
  readonly name: string;
  readonly run:
    | (PublishedRun & { readonly text: string; readonly source: ConfigSource })
    | undefined;
  readonly live: Imported | undefined;
  readonly forced: readonly string[];
}

/**
 * `publish-results`: a run, a table of live rewards, or both as a dated snapshot with its manifest, and the
 * page `README.md` beside it. Rejects with `usage` for a run that should not be published, unless forced.
 */
export async function publishResults(
  options: PublishResultsOptions,
  environment: Environment,
): Promise<ExitCode> {
  const { cwd } = environment;
  const folder = resolve(cwd, options.out ?? projectPath(cwd, RESULTS_FOLDER));
  const subject = await subjectOf(options, environment);
  await makeSnapshotFolder(folder);
  // The page lists every snapshot, so only one at a time is added.
  const lock = await RunLock.acquire(join(folder, PAGE), environment);
  try {
    await publish(subject, folder, options, environment);
    return 0;
  } finally {
    await lock.release();
  }
}

async function publish(
  subject: Subject,
  folder: string,
  options: PublishResultsOptions,
  { cwd, stdout, stderr }: Environment,
): Promise<void> {
  const { snapshots: earlier, unreadable, unfinished } = await readSnapshots(folder);
  for (const file of unreadable) {
    stderr.write(`notice: ${file} is no manifest of a snapshot of this version: not listed\n`);
  }
  for (const file of unfinished) {
    stderr.write(`notice: ${file} has no manifest: its publication was stopped; delete it\n`);
  }
  const { run, live } = subject;
  const elsewhere = 'choose another --out';
  const stem = await claimSnapshot(
    folder,
    subject.date,
    subject.name,
    run?.text ?? rewardsCsv(live?.table),
  );
  const rewards = run !== undefined && live !== undefined ? `${stem}.rewards.csv` : null;
  const files = runFiles(join(folder, `${stem}.csv`));
  try {
    if (rewards !== null) {
      await writeWhole(join(folder, rewards), rewardsCsv(live?.table), { elsewhere });
    }
    const published = publishedOf(subject, stem, rewards, earlier);
    const page = resultsPage(pageInput(options, subject, published, earlier));
    const manifest = { ...run?.manifest, published };
    await writeWhole(files.manifest, `${JSON.stringify(manifest, null, 2)}\n`, { elsewhere });
    await writeWhole(join(folder, PAGE), page, { elsewhere });
  } catch (error) {
    // Half a snapshot would be taken for a whole one.
    for (const file of [files.csv, files.manifest, join(folder, `${stem}.rewards.csv`)]) {
      await rm(file, { force: true }).catch(() => {});
    }
    throw error;
  }
  for (const reason of subject.forced) stderr.write(`published by force: ${reason}\n`);
  for (const file of [`${stem}.csv`, rewards, `${stem}.manifest.json`, PAGE]) {
    if (file !== null) stdout.write(`${relative(cwd, join(folder, file))}\n`);
  }
}

async function subjectOf(
  options: PublishResultsOptions,
  environment: Environment,
): Promise<Subject> {
  const { cwd, now } = environment;
  if (options.rewards !== undefined && options.run === undefined) {
    const live = await importRewardsFrom(options.rewards, options, undefined, cwd);
    const date = new Date(now()).toISOString().slice(0, 10);
    const name = snapshotName(options.name ?? basename(options.rewards).replace(/\.csv$/, ''));
    return { date, name, run: undefined, live, forced: [] };
  }
  const csv = await runOf(options, environment);
  const { run, reasons } = await publishedRun(csv, options, environment);
  const live =
    options.rewards === undefined
      ? undefined
      : await importRewardsFrom(options.rewards, options, run.rows, cwd);
  const name = snapshotName(options.name ?? nameOf(csv));
  return { date: run.manifest.started.slice(0, 10), name, run, live, forced: reasons };
}

async function runOf({ run }: PublishResultsOptions, { cwd }: Environment): Promise<string> {
  if (run !== undefined) return resolve(cwd, run);
  const folder = resolve(cwd, projectPath(cwd, RUNS_FOLDER));
  const [newest] = await listRuns(folder);
  if (newest !== undefined) return newest;
  const message = 'no run is here; run a sweep first, or name one with --run FILE';
  throw new HarnessError('input.missing', message, { at: { file: relative(cwd, folder) } });
}

/** `results/runs/2026-07-13T10-00-00-nightly.csv` → `nightly`. */
function nameOf(csv: string): string {
  return basename(csv)
    .replace(/\.csv$/, '')
    .replace(/^\d{4}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?-/, '');
}

async function publishedRun(
  csv: string,
  options: PublishResultsOptions,
  { cwd, variables }: Environment,
): Promise<{ run: NonNullable<Subject['run']>; reasons: string[] }> {
  const manifest = await readManifest(runFiles(csv).manifest);
  const file = relative(cwd, csv);
  const text = await wholeText(csv, { what: 'the rows', shown: file });
  const rows = parseRows(text, file);
  const baseline = options.baseline ?? BASELINE;
  const configs = manifest.configs.map(({ name }) => name);
  const names = [...new Set([...configs, ...configsOf(rows)])];
  if (rows.length === 0 || !names.includes(baseline)) {
    const message =
      rows.length === 0 ? 'the run has no rows' : `the run has no config '${baseline}'`;
    throw new HarnessError('usage', message, { at: { file } });
  }
  const source = await findConfigs(manifest, configFolders(cwd), {
    model: variables.CHEAP_MODEL,
    provider: variables.CHEAP_MODEL_PROVIDER,
    base: variables.CHEAP_MODEL_BASE,
    key: variables.CHEAP_MODEL_KEY,
    auth: variables.CHEAP_MODEL_AUTH,
  });
  const reasons = refusals(manifest, rows, source.unknown);
  if (reasons.length > 0 && !options.force) {
    const message = `not published: ${reasons.join('; ')}. Run it again from a clean revision, or give --force, and the page will say so`;
    throw new HarnessError('usage', message, { at: { file } });
  }
  const comparison = compareAll({
    baseline,
    configs: names,
    rewardKind: 'grounded',
    outcomes: outcomesOf(rows),
    cells: savingsCellsOf(rows),
    solvedFired: solvedFiredOf(rows),
    margin: options.margin,
    missing: options.missing,
  });
  const fidelity = names.flatMap((name) => fidelityOf(rows, name) ?? []);
  // A row that a killed sweep left unfinished is no row.
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  return { run: { manifest, rows, comparison, fidelity, text: whole, source }, reasons };
}

function publishedOf(
  { date, name, run, live, forced }: Subject,
  stem: string,
  rewards: string | null,
  earlier: readonly Published[],
): Published {
  const comparison = run?.comparison ?? live?.comparison;
  if (comparison === undefined) throw new HarnessError('harness.internal', 'nothing to publish');
  const { baseline, margin, missing } = comparison;
  const hashes = new Map(run?.manifest.configs.map((config) => [config.name, config.hash]));
  const fidelity = new Map(run?.fidelity.map((row) => [row.config, row]));
  const subjects =
    run?.rows.map(({ transcriptHash }) => transcriptHash) ??
    live?.table.rows.map(({ task }) => task) ??
    [];
  return {
    order: Math.max(0, ...earlier.map((one) => one.order)) + 1,
    date,
    name,
    stem,
    kind: run === undefined ? 'rewards' : 'run',
    model: run?.manifest.options.model ?? null,
    recordings: hashOf([...new Set(subjects)].toSorted()),
    baseline,
    margin,
    missing,
    forced: [...forced],
    rewards,
    configs: headlinesOf(comparison, fidelity, hashes),
  };
}

function hashOf(names: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(names)).digest('hex').slice(0, 16);
}

function pageInput(
  options: PublishResultsOptions,
  { run, live }: Subject,
  published: Published,
  earlier: readonly Published[],
): ResultsInput {
  return {
    published,
    earlier,
    run,
    live:
      live === undefined
        ? undefined
        : {
            file: basename(options.rewards ?? ''),
            comparison: live.comparison,
            agreement: live.join?.agreement,
          },
    reproduce:
      run === undefined ? rewardSteps(published) : runSteps(run.manifest, run.source, published),
  };
}

/** The table as it is published: our headers, and nothing that a spreadsheet would run. */
function rewardsCsv(table: PublishedTable | undefined): string {
  const rows = (table?.rows ?? []).map((row) =>
    [row.task, row.config, row.trial, row.reward, row.requests, row.before, row.after].map(
      writeCell,
    ),
  );
  return stringify([REWARD_COLUMNS.map(([name]) => name), ...rows]);
}
