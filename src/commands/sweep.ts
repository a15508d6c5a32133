import { relative, resolve } from 'node:path';
import type { Config } from '../compaction/config.ts';
import { externalCalls } from '../compaction/external-host.ts';
import { loadConfigs } from '../compaction/preset.ts';
import { HarnessError } from '../errors.ts';
import { SharedReplies } from '../model/shared-replies.ts';
import { stubModel } from '../model/stub.ts';
import { type ProgressOutput, startProgress } from '../report/progress.ts';
import { redaction } from '../rows/note.ts';
import { type CellResult, isFinished } from '../rows/result.ts';
import { type Manifest, type Selection, startManifest } from '../sweep/manifest.ts';
import { resumeRun } from '../sweep/resume.ts';
import { runSweep, type SweepPlan, type SweepResult } from '../sweep/run.ts';
import { createRun, type OpenRun } from '../sweep/run-files.ts';
import { BASELINE, CONFIG_FOLDER, CONTROLS, DEFAULT_TRANSCRIPTS, RUNS_FOLDER } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { projectPath, provenance } from './project.ts';
import type { ModelMode, SweepOptions } from './sweep-options.ts';
import { listSweep, planSweep } from './sweep-preview.ts';
import { reportJson, reportText } from './sweep-report.ts';

/**
 * `sweep`: runs transcripts × (baseline + configs) × samples, writes the CSV and prints the summary.
 * @returns the exit code: 0; 1 when a cell failed or the sweep was stopped; 2 when an input could not be
 * read (the others' rows are written). Rejects with a HarnessError before anything ran.
 */
export async function sweep(options: SweepOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, stderr } = environment;
  const { selection, notices } = await select(options, environment);
  for (const notice of notices) stderr.write(`notice: ${notice}\n`);
  if (options.list) return listSweep(selection, options, environment);
  if (options.dryRun) return planSweep(selection, options, environment);

  const plan = planOf(selection, options, environment);
  const { run, manifest, kept } = await open(selection, options, environment);
  const shown = relative(cwd, run.files.csv);
  if (kept.size > 0) stderr.write(`going on with ${shown}: ${kept.size} cells are finished\n`);
  const progress = startProgress(progressOutput(environment));
  let total = 0;
  let failed = 0;
  let result: SweepResult;
  try {
    result = await runSweep(plan, run, manifest, kept, {
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
  const exitCode = exitCodeOf(result);
  const report = { result, selection, files: run.files, exitCode, options };
  if (options.json) reportJson(report, environment);
  else reportText(report, environment);
  return exitCode;
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
    const resumed = await resumeRun(folder, csv, selection, environment);
    return { run: resumed, manifest: resumed.manifest, kept: resumed.kept };
  }
  const started = new Date(now());
  const name = options.name ?? sweepName(selection.configs);
  const origin = await provenance(environment.nodeVersion);
  const run = await createRun(folder, name, started, environment);
  return { run, manifest: startManifest(selection, origin, started), kept: new Map() };
}

/** Resolves everything that the options name. */
async function select(
  options: SweepOptions,
  { cwd, variables }: Environment,
): Promise<{ selection: Selection; notices: readonly string[] }> {
  const inline = variables.CONTEXT_GURU_CONFIG_YAML;
  const named = options.configs.length === 0 && inline !== undefined ? ['env'] : options.configs;
  if (named.length === 0) {
    const message = 'no config is named: give --config NAME (--config all for every one)';
    throw new HarnessError('usage', message);
  }
  const { configs, notices } = await loadConfigs({
    names: [
      BASELINE,
      ...named.filter((name) => name !== BASELINE),
      ...(options.controls ? CONTROLS : []),
    ],
    sets: options.sets,
    folder: projectPath(cwd, CONFIG_FOLDER),
    ...(inline === undefined ? {} : { inline }),
    cheapModel: {
      model: variables.CHEAP_MODEL,
      provider: variables.CHEAP_MODEL_PROVIDER,
      base: variables.CHEAP_MODEL_BASE,
      key: variables.CHEAP_MODEL_KEY,
      auth: variables.CHEAP_MODEL_AUTH,
    },
  });
  const { transcripts, format, tokenizer, model, samples, guard, expand, assumeModel } = options;
  const patterns = transcripts.length > 0 ? transcripts : [projectPath(cwd, DEFAULT_TRANSCRIPTS)];
  const settings = {
    tokenizer,
    model,
    samples,
    guard,
    expand,
    ...(assumeModel === undefined ? {} : { assumeModel }),
  };
  return { selection: { configs, patterns, format, settings }, notices };
}

function planOf(selection: Selection, options: SweepOptions, environment: Environment): SweepPlan {
  const { cwd, now, signal, processors, variables } = environment;
  return {
    selection,
    reading: { cwd, format: options.format },
    jobs: options.jobs ?? Math.max(1, processors),
    models: modelsOf(options.model),
    callExternal: externalCalls({ folder: cwd, variables }),
    redact: redaction([variables.CHEAP_MODEL_KEY]),
    now,
    signal,
  };
}

function modelsOf(mode: ModelMode): SweepPlan['models'] {
  if (mode === 'none') return () => () => undefined;
  const replies = new SharedReplies();
  // A stub remembers messages, so each replay has its own and leaves nothing behind.
  return () => {
    const model = replies.around(stubModel(mode));
    return () => model;
  };
}

/** Names up to three configs; a matrix of many is named by its first. */
function sweepName(configs: readonly Config[]): string {
  const names = configs.map(({ name }) => name).filter((name) => name !== BASELINE);
  if (names.length === 0) return BASELINE;
  if (names.length <= 3) return names.join('+');
  return `${names[0]}+${names.length - 1}-more`;
}

function exitCodeOf({ status, counts, problems }: SweepResult): ExitCode {
  if (problems.some(({ severity }) => severity === 'error')) return 2;
  return status === 'interrupted' || counts.failed > 0 ? 1 : 0;
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
