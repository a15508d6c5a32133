import { statSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { HarnessError } from '../errors.ts';
import { normalizedLines } from '../recordings/formats/normalized-write.ts';
import { describeLoss, type FileLoss } from '../recordings/loss.ts';
import type { Problem } from '../recordings/problem.ts';
import { type ReadOptions, readRecordings } from '../recordings/read.ts';
import { wrapped } from '../report/figures-text.ts';
import { thousands } from '../report/numbers.ts';
import { paintFor } from '../report/paint.ts';
import { cannotMakeFolder, makeFolder } from '../sweep/run-files.ts';
import { pushAll } from '../text/long-lists.ts';
import { withoutSecrets } from '../text/redact.ts';
import { KeyedRedaction } from '../text/redact-keyed.ts';
import { visible } from '../text/visible.ts';
import { asInvoked } from './as-invoked.ts';
import type { Environment, ExitCode } from './environment.ts';
import { FileNames } from './import/file-names.ts';
import { Inventory } from './import/inventory.ts';
import { inventoryJson, inventoryLines } from './import/inventory-page.ts';
import type { ImportOptions } from './import/options.ts';
import { learnTranscript, redactTranscript } from './import/redact-transcript.ts';
import { redactionKey } from './import/redaction-key.ts';
import { type Written, writeWhole } from './import/write-file.ts';
import { jsonOutput } from './json-output.ts';
import { problemLines } from './problem-lines.ts';

/**
 * `import`: writes recordings of any format as normalized JSONL, a file a transcript; with `list`, it shows what
 * they hold. Exit code 2 where something could not be read, after everything else was done.
 *
 * Rejects with `usage`, `input.missing` (the key), `output.conflict` or `output.write`.
 */
export async function importRecordings(
  options: ImportOptions,
  environment: Environment,
): Promise<ExitCode> {
  return options.list ? list(options, environment) : write(options, environment);
}

async function list(options: ImportOptions, environment: Environment): Promise<ExitCode> {
  const { stdout, variables, cwd } = environment;
  const inventory = new Inventory();
  const problems: Problem[] = [];
  for await (const reading of readRecordings(options.patterns, { cwd, format: options.format })) {
    inventory.add(reading);
    pushAll(problems, reading.problems);
  }
  const files = inventory.files();
  if (options.json) {
    const document = {
      files: files.map(inventoryJson),
      problems: problems.map((problem) => problemJson(problem, withoutSecrets)),
    };
    stdout.write(`${jsonOutput(document)}\n`);
  } else {
    const paint = paintFor(stdout.isTerminal, variables);
    stdout.write(`${inventoryLines(files, paint, options.loss).join('\n')}\n`);
  }
  return tellProblems(problems, withoutSecrets, environment);
}

interface Imported {
  readonly file: string;
  readonly state: Written;
  readonly task: string;
  readonly trial: string;
  readonly lineage: string;
  readonly requests: number;
}

async function write(options: ImportOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, stdout, signal } = environment;
  const { patterns, format, force } = options;
  const folder = resolve(cwd, options.out ?? '');
  refuseNested(folder, patterns, cwd);
  const reading: ReadOptions = { cwd, format };
  const learnt = new Set<string>();
  const redaction = options.redact
    ? await learned(options, reading, learnt, environment)
    : undefined;
  /** Files that grew between the two passes. */
  const changed = new Set<string>();
  const names = new FileNames();
  const imported: Imported[] = [];
  const problems: Problem[] = [];
  const losses: FileLoss[] = [];
  for await (const group of readRecordings(patterns, reading)) {
    if (signal.aborted) break;
    pushAll(problems, group.problems);
    pushAll(losses, group.losses);
    for (const recorded of group.transcripts) {
      if (redaction !== undefined && !learnt.has(recorded.hash)) {
        learnTranscript(recorded, redaction);
        changed.add(recorded.source.file);
      }
      const transcript = redaction === undefined ? recorded : redactTranscript(recorded, redaction);
      const name = names.nameOf(transcript);
      if (imported.length === 0) await makeOut(folder);
      const redacted = redaction !== undefined;
      const state = writeWhole(folder, name, normalizedLines(transcript), { force, redacted });
      const { task, trial, lineage, requests } = transcript;
      imported.push({ file: name, state, task, trial, lineage, requests: requests.length });
    }
  }
  for (const file of changed) problems.push(changedSince(file));
  const redact =
    redaction === undefined ? withoutSecrets : (text: string) => redaction.redact(text);
  const found = redaction?.found ?? new Map<string, number>();
  if (options.json) {
    const document = {
      out: relative(cwd, folder) || '.',
      transcripts: imported,
      redacted: redaction === undefined ? null : Object.fromEntries(found),
      losses: losses.map((loss) => ({
        file: redact(loss.file),
        format: loss.format,
        summary: describeLoss(loss),
      })),
      problems: problems.map((problem) => problemJson(problem, redact)),
    };
    stdout.write(`${jsonOutput(document)}\n`);
  } else {
    const lines = summaryLines(imported, losses, options, redaction === undefined ? null : found);
    stdout.write(`${lines.map((line) => visible(redact(line))).join('\n')}\n`);
  }
  if (signal.aborted) {
    environment.stderr.write('notice: stopped; what was written is whole, the rest is missing\n');
    return 1;
  }
  return tellProblems(problems, redact, environment);
}

/**
 * A first pass over all recordings: a secret that one of them shows is found in every other.
 * @param learnt takes the hashes of the transcripts
 */
async function learned(
  { patterns, redactKey, redactHome }: ImportOptions,
  reading: ReadOptions,
  learnt: Set<string>,
  { cwd, signal }: Environment,
): Promise<KeyedRedaction> {
  const redaction = new KeyedRedaction(redactionKey(redactKey, cwd), { home: redactHome });
  for await (const { transcripts } of readRecordings(patterns, reading)) {
    if (signal.aborted) break;
    for (const transcript of transcripts) {
      learnTranscript(transcript, redaction);
      learnt.add(transcript.hash);
    }
  }
  return redaction;
}

function summaryLines(
  imported: readonly Imported[],
  losses: readonly FileLoss[],
  { out = '', loss: withLoss }: ImportOptions,
  redacted: ReadonlyMap<string, number> | null,
): readonly string[] {
  const count = (state: Written) => imported.filter((one) => one.state === state).length;
  const states = [
    `${thousands(count('written'))} written`,
    count('replaced') > 0 ? `${thousands(count('replaced'))} replaced` : '',
    count('unchanged') > 0 ? `${thousands(count('unchanged'))} as they were` : '',
  ].filter((text) => text !== '');
  const requests = imported.reduce((sum, one) => sum + one.requests, 0);
  const lines = [
    `${out}: ${thousands(imported.length)} transcripts (${states.join(', ')}), ${thousands(requests)} requests`,
  ];
  if (redacted !== null) {
    const kinds = [...redacted].map(([kind, number]) => `${number} ${kind}`).sort();
    lines.push(`redacted: ${kinds.length === 0 ? 'no secrets found' : kinds.join(', ')}`);
  }
  const lossy = losses.filter(({ skipped }) => skipped.size > 0);
  if (withLoss) {
    for (const loss of losses) lines.push(`${loss.file}: ${describeLoss(loss)}`);
  } else if (lossy.length > 0) {
    lines.push(
      `${thousands(lossy.length)} files have records in no transcript (--loss says which)`,
    );
  }
  const shown = lines.flatMap((line) => wrapped(line, 80, '  '));
  if (imported.length === 0) return shown;
  // To be copied, so it is one line.
  const next = `next: npm run sweep -- --config cg-summarize --transcripts ${out}`;
  return [...shown, asInvoked(next)];
}

/** Otherwise the next import would read what this one wrote. */
function refuseNested(folder: string, patterns: readonly string[], cwd: string): void {
  for (const pattern of patterns) {
    const input = resolve(cwd, pattern);
    if (folder !== input && !folder.startsWith(input.endsWith(sep) ? input : input + sep)) continue;
    if (statSync(input, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    const message = `--out lies in ${pattern}, which is imported: choose a folder outside of it`;
    throw new HarnessError('usage', message);
  }
}

/** What others of the recordings repeat of its new secrets may be written already. */
function changedSince(file: string): Problem {
  const message =
    'the file was written to while it was imported: what it then had is redacted, but other files may repeat secrets that are new in it; import again once nobody writes it';
  return { severity: 'error', code: 'input.changed', message, at: { file } };
}

async function makeOut(folder: string): Promise<void> {
  await makeFolder(folder).catch((cause: unknown) => {
    throw cannotMakeFolder(folder, cause, 'choose another --out');
  });
}

function tellProblems(
  problems: readonly Problem[],
  redact: (text: string) => string,
  { stderr, variables }: Environment,
): ExitCode {
  const paint = paintFor(stderr.isTerminal, variables);
  for (const line of problemLines(problems, paint, redact, 'all with --json'))
    stderr.write(`${line}\n`);
  return problems.some(({ severity }) => severity === 'error') ? 2 : 0;
}

function problemJson({ code, message, at, severity }: Problem, redact: (text: string) => string) {
  const file = at.file === undefined ? {} : { file: redact(at.file) };
  return { severity, code, message: redact(message), ...at, ...file };
}
