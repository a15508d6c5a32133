import type { BoundComponent } from '../compaction/bound.ts';
import type { Config } from '../compaction/config.ts';
import type { Problem } from '../recordings/problem.ts';
import { readRecordings } from '../recordings/read.ts';
import { replayTranscript } from '../replay/replay.ts';
import { thousands } from '../report/numbers.ts';
import { paintFor } from '../report/paint.ts';
import type { Selection } from '../sweep/manifest.ts';
import { visible } from '../text/visible.ts';
import type { Environment, ExitCode } from './environment.ts';
import { problemLines } from './problem-lines.ts';
import type { SweepOptions } from './sweep-options.ts';

/** `--list`: the configs and how many cells a sweep would run. Writes no file. */
export async function listSweep(
  selection: Selection,
  options: SweepOptions,
  environment: Environment,
): Promise<ExitCode> {
  const counted = await count(selection, options, environment, false);
  return show(counted, selection, options, environment);
}

/** `--dry-run`: as `--list`, and the tokens that the recorded requests hold. Writes no file. */
export async function planSweep(
  selection: Selection,
  options: SweepOptions,
  environment: Environment,
): Promise<ExitCode> {
  const counted = await count(selection, options, environment, true);
  return show(counted, selection, options, environment);
}

interface Preview {
  readonly transcripts: number;
  readonly requests: number;
  readonly cells: number;
  /** Tokens of all requests as recorded; undefined where they were not counted. */
  readonly tokens: number | undefined;
  readonly problems: readonly Problem[];
}

async function count(
  { configs, patterns, settings }: Selection,
  { format }: SweepOptions,
  { cwd }: Environment,
  withTokens: boolean,
): Promise<Preview> {
  const problems: Problem[] = [];
  let transcripts = 0;
  let requests = 0;
  let tokens = 0;
  const baseline = configs.find(({ steps }) => steps.length === 0);
  for await (const reading of readRecordings(patterns, { cwd, format })) {
    problems.push(...reading.problems);
    for (const transcript of reading.transcripts) {
      transcripts++;
      requests += transcript.requests.length;
      if (!withTokens || baseline === undefined) continue;
      const { tokenizer, assumeModel } = settings;
      const replay = await replayTranscript(transcript, baseline, {
        tokenizer,
        models: () => () => undefined,
        sample: 0,
        ...(assumeModel === undefined ? {} : { assumeModel }),
      });
      for (const request of replay.requests) tokens += request.tokensBefore;
    }
  }
  const cells = transcripts * configs.length * settings.samples;
  return { transcripts, requests, cells, tokens: withTokens ? tokens : undefined, problems };
}

function show(
  preview: Preview,
  { configs, settings }: Selection,
  { json }: SweepOptions,
  { stdout, stderr, variables }: Environment,
): ExitCode {
  const { transcripts, requests, cells, tokens, problems } = preview;
  const exitCode = problems.some(({ severity }) => severity === 'error') ? 2 : 0;
  const errors = problemLines(problems, paintFor(stderr.isTerminal, variables));
  for (const line of errors) stderr.write(`${line}\n`);
  if (json) {
    const summary = {
      configs: configs.map(({ name, about, hash, source, steps }) => ({
        name,
        about,
        hash,
        source,
        steps: steps.map(describeStep),
      })),
      transcripts,
      requests,
      samples: settings.samples,
      cells,
      tokens_before: tokens ?? null,
      exit_code: exitCode,
    };
    stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    return exitCode;
  }
  const paint = paintFor(stdout.isTerminal, variables);
  for (const line of configs.flatMap((config) => describeConfig(config))) {
    stdout.write(`${line.startsWith(' ') ? line : paint.bold(line)}\n`);
  }
  const samples = settings.samples === 1 ? '' : ` × ${settings.samples} samples`;
  stdout.write(
    `\n${thousands(transcripts)} transcripts × ${configs.length} configs${samples} = ${thousands(cells)} cells\n`,
  );
  if (tokens !== undefined) {
    stdout.write(
      `${thousands(requests)} requests with ${thousands(tokens)} tokens as recorded; how often a component would ask its model is known after the run\n`,
    );
  }
  return exitCode;
}

/** Name, sentence and steps of a config, one line each. */
function describeConfig({ name, about, steps }: Config): string[] {
  const lines = [name];
  if (about !== '') lines.push(`  ${visible(about)}`);
  lines.push(`  ${steps.length === 0 ? 'no component' : steps.map(describeStep).join(' → ')}`);
  return lines;
}

/** Component and settings, e.g. `summarize {"keep_last":3}`; key and connection of its model left out. */
function describeStep({ key, settings }: BoundComponent): string {
  const text = JSON.stringify(settings, (name, value) =>
    name === 'api_key' || name === 'base_url' ? undefined : value,
  );
  return `${key} ${text}`;
}
