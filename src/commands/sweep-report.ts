import { dirname, relative, resolve } from 'node:path';
import { thousands } from '../report/numbers.ts';
import { paintFor } from '../report/paint.ts';
import { summaryLines } from '../report/summary.ts';
import { type ConfigTotals, totalsOf } from '../report/totals.ts';
import { type CellResult, isFinished } from '../rows/result.ts';
import type { Selection } from '../sweep/manifest.ts';
import type { SweepResult } from '../sweep/run.ts';
import type { RunFiles } from '../sweep/run-files.ts';
import { visible } from '../text/visible.ts';
import { asInvoked } from './as-invoked.ts';
import { BASELINE, DEFAULT_TRANSCRIPTS, RUNS_FOLDER } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { jsonOutput } from './json-output.ts';
import { problemLines } from './problem-lines.ts';
import { configFolders, projectPath } from './project.ts';
import { shellWord } from './shell-words.ts';
import { totalUsd } from './sweep-estimate.ts';
import { type CallOutcomes, failureLines } from './sweep-failures.ts';
import { type SpendReport, spendLines } from './sweep-spend.ts';

export interface SweepReport {
  readonly result: SweepResult;
  readonly selection: Selection;
  readonly files: RunFiles;
  readonly exitCode: ExitCode;
  /** What the run paid; absent where no provider could be asked. */
  readonly spend?: SpendReport | undefined;
  readonly outcomes?: CallOutcomes | undefined;
}

const SHOWN_FAILURES = 5;

/** The end of a sweep for a person: tables on stdout, what went wrong and what to do next on stderr. */
export function reportText(report: SweepReport, environment: Environment): void {
  const { stdout, stderr, variables, cwd } = environment;
  const { result, files, spend } = report;
  const { counts, rows, problems, status } = result;
  const paint = paintFor(stderr.isTerminal, variables);
  const say = (line: string) => stderr.write(`${line}\n`);
  if (rows.length > 0) {
    const summary = summaryLines(totals(report), paintFor(stdout.isTerminal, variables));
    stdout.write(`\n${summary.join('\n')}\n\n`);
  }
  for (const line of problemLines(problems, paint)) say(line);
  const failed = rows.filter((row) => !isFinished(row));
  for (const row of failed.slice(0, SHOWN_FAILURES)) say(`${paint.red('failed:')} ${failure(row)}`);
  if (failed.length > SHOWN_FAILURES) {
    say(
      `${paint.red('failed:')} … and ${failed.length - SHOWN_FAILURES} more, see the note column`,
    );
  }
  for (const line of brokenComponents(report, cwd)) say(paint.red(line));
  const [first, ...details] = failuresOf(report);
  if (first !== undefined) say(paint.red(first));
  for (const line of details) say(line);
  const spent = spend === undefined ? [] : spendLines(spend, result.finished.size);
  for (const line of spent) say(line);
  if (!result.isWritten) {
    say('nothing was run, so no file was written');
    return;
  }
  const kept = counts.kept === 0 ? '' : ` (${thousands(counts.kept)} finished before)`;
  const csv = relative(cwd, files.csv);
  stdout.write(`${thousands(rows.length)} rows${kept}: ${csv}\n`);
  stdout.write(`what was run: ${relative(cwd, files.manifest)}\n`);
  if (status === 'interrupted') {
    const more = spend?.refusal === undefined ? '' : '; --max-usd counts each start by itself';
    say(`stopped; to go on: the same command with --resume ${csv}${more}`);
    return;
  }
  if (counts.failed > 0) {
    say(`to run the failed cells again: the same command with --resume ${csv}`);
  }
  const isDefault = dirname(files.csv) === resolve(cwd, projectPath(cwd, RUNS_FOLDER));
  const named = isDefault ? '' : ` -- ${shellWord(csv)}`;
  stdout.write(`${asInvoked(`to look at it in a browser: npm run report${named}`)}\n`);
  if (rows.some((row) => (row.fired ?? 0) > 0)) {
    const run = isDefault ? '' : ` --run ${shellWord(csv)}`;
    const command = asInvoked(`npm run expand -- HASH${run}`);
    stdout.write(`a marker <<cg:HASH>> in a rewritten request: ${command}\n`);
  }
}

function failuresOf({ outcomes, selection }: SweepReport): readonly string[] {
  if (outcomes === undefined) return [];
  return failureLines(outcomes, selection.settings.cassette !== undefined).map(visible);
}

/** Requests that stayed as they were since a component failed; what a model or a limit did is told elsewhere. */
function brokenComponents({ result: { rows }, selection }: SweepReport, cwd: string): string[] {
  const counts = new Map<string, number>();
  let example: CellResult | undefined;
  for (const row of rows) {
    for (const [reason, count] of row.refusals ?? []) {
      if (!/^(?:error|external):/.test(reason) || reason.startsWith('error:model.')) continue;
      counts.set(reason, (counts.get(reason) ?? 0) + count);
      example ??= row;
    }
  }
  if (example === undefined) return [];
  const reasons = [...counts].map(([reason, count]) => `${thousands(count)} ${reason}`).join(', ');
  const first = asInvoked(`npm run show -- ${showWords(example, selection, cwd)}`);
  return [
    visible(
      `a component failed, and its requests stayed as they were: ${reasons}; see ${first} (and --request K)`,
    ),
  ];
}

/** What shows a row again: with the config's file and the recordings where they are not the project's own. */
function showWords({ task, config: name }: CellResult, selection: Selection, cwd: string): string {
  const { source = '' } = selection.configs.find((config) => config.name === name) ?? {};
  const known = configFolders(cwd).map((folder) => resolve(cwd, folder));
  const isFile = /\.ya?ml$/.test(source) && !known.includes(dirname(resolve(cwd, source)));
  const recordings = selection.patterns.filter(
    (pattern) => pattern !== projectPath(cwd, DEFAULT_TRANSCRIPTS),
  );
  return [
    shellWord(task),
    '--config',
    shellWord(isFile ? source : name),
    ...(recordings.length === 0 ? [] : ['--transcripts', ...recordings.map(shellWord)]),
  ].join(' ');
}

function failure({ task, config, lineage, note }: CellResult): string {
  return visible(`${task} (${lineage}) under ${config}: ${note.replace(/^error:/, '')}`);
}

/** The end of a sweep for a program: one JSON document on stdout; problems go to stderr as well. */
export function reportJson(report: SweepReport, environment: Environment): void {
  const { stdout, stderr, variables, cwd } = environment;
  const { result, files, exitCode, spend, outcomes } = report;
  const { counts, problems, status } = result;
  const paint = paintFor(stderr.isTerminal, variables);
  for (const line of problemLines(problems, paint)) stderr.write(`${line}\n`);
  for (const line of brokenComponents(report, cwd)) stderr.write(`${line}\n`);
  for (const line of failuresOf(report)) stderr.write(`${line}\n`);
  const written = result.isWritten;
  const summary = {
    status,
    exit_code: exitCode,
    csv: written ? relative(cwd, files.csv) : null,
    manifest: written ? relative(cwd, files.manifest) : null,
    ...counts,
    ...(spend === undefined ? {} : { spend: spendSummary(spend) }),
    ...(outcomes === undefined ? {} : { model_calls: callSummary(outcomes) }),
    configs: totals(report).map(configSummary),
    problems: problems.map(({ severity, code, message, at }) => ({
      severity,
      code,
      message,
      ...at,
    })),
  };
  stdout.write(`${jsonOutput(summary)}\n`);
}

function callSummary({ answered, failed, reasons }: CallOutcomes) {
  return { answered, failed, failures: reasons };
}

/** USD are null where a price is not known. */
function spendSummary({ usd, calls, maxUsd, refusal, cellsLeft, left }: SpendReport) {
  return {
    usd: usd ?? null,
    calls,
    max_usd: maxUsd ?? null,
    stopped: refusal ?? null,
    cells_left: cellsLeft,
    ...(refusal === undefined
      ? {}
      : {
          calls_left: left.reduce((sum, estimate) => sum + estimate.calls, 0),
          usd_left: totalUsd(left, 'usd') ?? null,
        }),
  };
}

function totals({ result, selection }: SweepReport): ConfigTotals[] {
  return totalsOf(
    result.rows,
    selection.configs.map(({ name }) => name),
    BASELINE,
  );
}

/** Names as in the CSV; a figure that was not measured is null. */
function configSummary(total: ConfigTotals) {
  return {
    config: total.config,
    cells: total.cells,
    failed: total.failed,
    tasks: total.tasks,
    rewarded: total.rewarded,
    resolved: total.resolved,
    resolved_recorded: total.resolvedRecorded,
    resolved_with_expand: total.resolvedWithExpand,
    evidence_total: total.evidence,
    evidence_kept_pct: total.evidenceKeptPercent ?? null,
    evidence_recoverable_pct: total.evidenceRecoverablePercent ?? null,
    evidence_lost_pct: total.evidenceLostPercent ?? null,
    gw_requests: total.requests,
    gw_before: total.before,
    gw_after: total.after,
    gw_saved: total.gross,
    unique_saved: total.unique,
    net_saved: total.net,
    pooled_pct: total.pooledPercent ?? null,
    mean_pct: total.meanPercent ?? null,
    fired: total.fired,
    fired_cells: total.firedCells,
    model_calls: total.modelCalls,
    model_usd: total.modelUsd,
    break_even_requests: total.breakEvenRequests,
    usd_before: total.cost.usdBefore ?? null,
    usd_after: total.cost.usdAfter ?? null,
    usd_net: total.cost.usdNet ?? null,
    cache_read_pct_before: total.cost.cacheReadPercentBefore ?? null,
    cache_read_pct_after: total.cost.cacheReadPercentAfter ?? null,
    cache_bust_tokens: total.cost.cacheBust ?? null,
    break_even_request: total.cost.breakEvenRequest ?? null,
    model_input_tokens: total.modelInput,
    model_output_tokens: total.modelOutput,
    sent_pct_of_baseline: total.sentPercent ?? null,
    sent_with_model_pct_of_baseline: total.sentWithModelPercent ?? null,
    frontier: total.frontier,
  };
}
