import type { BoundComponent } from '../compaction/bound.ts';
import type { Config } from '../compaction/config.ts';
import type { PriceOf } from '../model/budget.ts';
import { callPrice, type PriceTable } from '../model/prices.ts';
import type { Problem } from '../recordings/problem.ts';
import { readRecordings } from '../recordings/read.ts';
import { replayTranscript } from '../replay/replay.ts';
import { thousands } from '../report/numbers.ts';
import { paintFor } from '../report/paint.ts';
import type { Selection } from '../sweep/manifest.ts';
import { pushAll } from '../text/long-lists.ts';
import { visible } from '../text/visible.ts';
import type { Environment, ExitCode } from './environment.ts';
import { jsonOutput } from './json-output.ts';
import { problemLines } from './problem-lines.ts';
import { type CallEstimate, estimateCalls, totalUsd } from './sweep-estimate.ts';
import { callsProviders } from './sweep-model-options.ts';
import type { SweepOptions } from './sweep-options.ts';
import { usdText } from './sweep-spend.ts';

/** `--list`: the configs and how many cells a sweep would run. Writes no file. */
export async function listSweep(
  selection: Selection,
  options: SweepOptions,
  environment: Environment,
): Promise<ExitCode> {
  const counted = await count(selection, options, environment, false);
  return show(counted, selection, options, environment);
}

/**
 * `--dry-run`: as `--list`, and the tokens that the recorded requests hold; where a provider would be asked,
 * the calls and what they would cost. Writes no file, asks nobody and needs no key.
 */
export async function planSweep(
  selection: Selection,
  options: SweepOptions,
  prices: PriceTable,
  environment: Environment,
): Promise<ExitCode> {
  const counted = await count(selection, options, environment, true);
  if (!callsProviders(options)) return show(counted, selection, options, environment);
  const priceOf: PriceOf = (model, usage) => callPrice(model, usage, prices);
  const calls = await estimateCalls(selection, priceOf, options, environment);
  return show({ ...counted, calls }, selection, options, environment);
}

interface Preview {
  readonly transcripts: number;
  readonly requests: number;
  readonly cells: number;
  /** Tokens of all requests as recorded; undefined where they were not counted. */
  readonly tokens: number | undefined;
  /** Calls to each model; absent where they were not estimated. */
  readonly calls?: readonly CallEstimate[];
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
    pushAll(problems, reading.problems);
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
  options: SweepOptions,
  { stdout, stderr, variables }: Environment,
): ExitCode {
  const { transcripts, requests, cells, tokens, problems, calls } = preview;
  const exitCode = problems.some(({ severity }) => severity === 'error') ? 2 : 0;
  const errors = problemLines(problems, paintFor(stderr.isTerminal, variables));
  for (const line of errors) stderr.write(`${line}\n`);
  if (options.json) {
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
      ...(calls === undefined ? {} : callSummary(calls)),
      exit_code: exitCode,
    };
    stdout.write(`${jsonOutput(summary)}\n`);
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
    const after = calls === undefined ? '; --model live estimates the calls and their price' : '';
    stdout.write(
      `${thousands(requests)} requests with ${thousands(tokens)} tokens as recorded${after}\n`,
    );
  }
  for (const line of calls === undefined ? [] : callLines(calls, options)) {
    stdout.write(`${line}\n`);
  }
  return exitCode;
}

/** The calls of each model, and the sum. */
function callLines(calls: readonly CallEstimate[], { maxUsd }: SweepOptions): string[] {
  if (calls.length === 0) return ['no model would be asked'];
  const rows = calls.map(({ model, calls: count, inputTokens, outputTokens, usd, usdMost }) => {
    const tokens = `${thousands(inputTokens)} tokens in, ${thousands(outputTokens)} out`;
    const noun = count === 1 ? 'call' : 'calls';
    return `  ${visible(model)}: ${thousands(count)} ${noun}, ${tokens}: ${priced(usd, usdMost)}`;
  });
  const [usd, most] = [totalUsd(calls, 'usd'), totalUsd(calls, 'usdMost')];
  const sum = calls.length === 1 ? [] : [`  together: ${priced(usd, most)}`];
  const isOver = maxUsd !== undefined && usd !== undefined && usd > maxUsd;
  const limit = isOver ? [`--max-usd ${maxUsd} would stop the run before its end`] : [];
  return [
    'estimated model calls, as the stub in the place of each model makes them:',
    ...rows,
    ...sum,
    ...limit,
  ];
}

function priced(usd: number | undefined, most: number | undefined): string {
  if (usd === undefined) return 'its price is not known, give --prices FILE';
  return `about ${usdText(usd)}, ${usdText(most)} if every reply is as long as it may be`;
}

/** USD are null where a price is not known. */
function callSummary(calls: readonly CallEstimate[]) {
  return {
    model_calls: calls.map(({ model, calls: count, inputTokens, outputTokens, usd, usdMost }) => ({
      model,
      calls: count,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      usd: usd ?? null,
      usd_most: usdMost ?? null,
    })),
    estimated_usd: totalUsd(calls, 'usd') ?? null,
    estimated_usd_most: totalUsd(calls, 'usdMost') ?? null,
  };
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
