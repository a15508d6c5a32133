import { setMaxListeners } from 'node:events';
import { relative, resolve } from 'node:path';
import { externalCalls } from '../compaction/external-host.ts';
import { codeOf } from '../errors.ts';
import type { Budget } from '../model/budget.ts';
import { secretsOf } from '../model/endpoint.ts';
import type { PriceTable } from '../model/prices.ts';
import { type ProgressOutput, startProgress } from '../report/progress.ts';
import type { Redact } from '../rows/note.ts';
import { type CellResult, isFinished } from '../rows/result.ts';
import { type Manifest, type Selection, startManifest } from '../sweep/manifest.ts';
import { resumeRun } from '../sweep/resume.ts';
import { runSweep, type SweepPlan, type SweepResult } from '../sweep/run.ts';
import { createRun, type OpenRun } from '../sweep/run-files.ts';
import { RUNS_FOLDER } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { readPrices } from './price-file.ts';
import { projectPath, provenance } from './project.ts';
import { checkExecutor, executorOf } from './sweep-executor.ts';
import { type CallOutcomes, cassetteNotices } from './sweep-failures.ts';
import { sweepModels } from './sweep-models.ts';
import { nameOfShard, sweepName } from './sweep-name.ts';
import type { SweepOptions } from './sweep-options.ts';
import { checkModels } from './sweep-preflight.ts';
import { listSweep, planSweep } from './sweep-preview.ts';
import { redacted, redactionOf, secretsIn, withRedaction } from './sweep-redaction.ts';
import { reportJson, reportText } from './sweep-report.ts';
import { selectSweep } from './sweep-select.ts';
import { withCassette } from './sweep-settings.ts';
import { spendReport } from './sweep-spend.ts';

/**
 * `sweep`: runs transcripts × (baseline + configs) × samples, writes the CSV and prints the summary.
 * @returns the exit code: 0; 1 when a cell failed, no model call was answered or the sweep was stopped; 2 when
 * an input could not be read (the others' rows are written). Rejects with a HarnessError before anything ran, and with
 * `cassette.miss` where a strict replay lacks an answer.
 */
export async function sweep(options: SweepOptions, environment: Environment): Promise<ExitCode> {
  const known = secretsOf([], environment.variables);
  const told = withRedaction(environment, redactionOf(known));
  try {
    return await selected(options, told);
  } catch (error) {
    throw redacted(error, redactionOf(known));
  }
}

async function selected(options: SweepOptions, environment: Environment): Promise<ExitCode> {
  const { selection, notices } = await selectSweep(options, environment);
  const secrets = secretsIn(selection, environment.variables);
  const redact = redactionOf(secrets);
  const told = withRedaction(environment, redact);
  for (const notice of notices) told.stderr.write(`notice: ${notice}\n`);
  try {
    const prices = await readPrices(options.prices, environment.cwd);
    if (options.list) return await listSweep(selection, options, told);
    if (options.dryRun) return await planSweep(selection, options, prices, told);
    checkExecutor(options, selection, environment.variables);
    return await run(selection, { options, prices, secrets, redact }, told);
  } catch (error) {
    throw redacted(error, redact);
  }
}

interface Given {
  readonly options: SweepOptions;
  readonly prices: PriceTable;
  readonly secrets: readonly string[];
  readonly redact: Redact;
}

async function run(
  selection: Selection,
  { options, prices, secrets, redact }: Given,
  environment: Environment,
): Promise<ExitCode> {
  const { cwd, stderr } = environment;
  const isLocal = options.executor === 'local';
  // Workers have keys of their own, pay by themselves, and say in the row where they lack one.
  const cells = isLocal ? await checkModels(selection, options, prices, environment) : undefined;
  const { models, outcomes, cassette, ...paid } = sweepModels(
    options,
    prices,
    secrets,
    environment,
  );
  const budget = isLocal ? paid.budget : undefined;
  const whole = cassette === undefined ? selection : withCassette(selection, cassette);
  try {
    const plan = {
      ...planOf(whole, options, environment),
      models,
      prices,
      redact,
      ...spending(budget),
    };
    const opened = await open(whole, options, environment);
    const { files } = opened.run;
    if (opened.kept.size > 0) {
      const shown = relative(cwd, files.csv);
      stderr.write(`going on with ${shown}: ${opened.kept.size} cells are finished\n`);
    }
    const { manifest } = opened;
    let missed = 0;
    const placed = { manifest, csv: files.csv, selection: whole };
    const executor = await executorOf(options, placed, environment, (calls) => {
      missed += calls;
    });
    const result = await watched({ ...plan, executor }, opened, environment).catch(
      (error: unknown) => {
        if (codeOf(error) === 'output.write') {
          const shown = relative(cwd, files.csv);
          stderr.write(
            `what was written is kept; to go on: the same command with --resume ${shown}\n`,
          );
        }
        throw error;
      },
    );
    const exitCode = exitCodeOf(result, outcomes);
    const spend =
      budget && (await spendReport({ budget, result, cells, prices }, whole, options, environment));
    const notices = cassette === undefined ? [] : cassetteNotices(cassette, options, missed);
    for (const notice of notices) stderr.write(`notice: ${notice}\n`);
    const report = { result, selection: whole, files, exitCode, spend, outcomes };
    if (options.json) reportJson(report, environment);
    else reportText(report, environment);
    return exitCode;
  } finally {
    cassette?.close();
  }
}

/** Runs with the progress on stderr. */
async function watched(
  plan: SweepPlan,
  { run, manifest, kept }: Opened,
  environment: Environment,
): Promise<SweepResult> {
  const progress = startProgress(progressOutput(environment));
  let total = 0;
  let failed = 0;
  try {
    return await runSweep(plan, run, manifest, kept, {
      onRead: (cells) => {
        total = cells;
      },
      onCell: (cell, done) => {
        if (!isFinished(cell)) failed++;
        progress.update(done, total, failed);
      },
    });
  } finally {
    progress.stop();
  }
}

interface Opened {
  readonly run: OpenRun;
  readonly manifest: Manifest;
  readonly kept: ReadonlyMap<string, CellResult>;
}

async function open(
  selection: Selection,
  options: SweepOptions,
  environment: Environment,
): Promise<Opened> {
  const { cwd, now } = environment;
  const folder = resolve(cwd, options.out ?? projectPath(cwd, RUNS_FOLDER));
  if (options.resume !== false) {
    const csv = typeof options.resume === 'string' ? resolve(cwd, options.resume) : undefined;
    const resumed = await resumeRun(folder, csv, selection, environment, options.shard);
    return { run: resumed, manifest: resumed.manifest, kept: resumed.kept };
  }
  const started = new Date(now());
  const name = nameOfShard(options.name ?? sweepName(selection.configs), options.shard);
  const origin = await provenance(environment.nodeVersion);
  const run = await createRun(folder, name, started, environment);
  return { run, manifest: startManifest(selection, origin, started), kept: new Map() };
}

function planOf(
  selection: Selection,
  options: SweepOptions,
  environment: Environment,
): Omit<SweepPlan, 'models' | 'prices' | 'redact'> {
  const { cwd, now, signal, processors, variables } = environment;
  // Every call that is under way listens to it.
  setMaxListeners(0, signal);
  return {
    selection,
    reading: { cwd, format: options.format },
    jobs: options.jobs ?? Math.max(1, processors),
    callExternal: externalCalls({ folder: cwd, variables }),
    now,
    signal,
    ...(options.shard === undefined ? {} : { shard: options.shard }),
  };
}

/** The end of what may be spent, and what is: charged attempts, and USD where every price is known. */
function spending(budget: Budget | undefined): Pick<SweepPlan, 'exhausted' | 'spend'> {
  if (budget === undefined) return {};
  return {
    exhausted: budget.exhausted,
    spend: () => {
      const { spent, calls } = budget;
      return { calls, ...(spent === undefined ? {} : { usd: spent }) };
    },
  };
}

function exitCodeOf({ status, counts, problems }: SweepResult, outcomes?: CallOutcomes): ExitCode {
  if (problems.some(({ severity }) => severity === 'error')) return 2;
  // Rows of components that nobody answered say nothing of them.
  const isUnanswered = outcomes?.areAllFailed === true;
  return status === 'interrupted' || counts.failed > 0 || isUnanswered ? 1 : 0;
}

function progressOutput({ stderr, variables, now }: Environment): ProgressOutput {
  const { CI, TERM } = variables;
  const isLog = TERM === 'dumb' || (CI !== undefined && CI !== '');
  return {
    write: (text) => stderr.write(text),
    isTerminal: stderr.isTerminal && !isLog,
    columns: stderr.columns,
    now,
  };
}
