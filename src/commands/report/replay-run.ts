import { setImmediate } from 'node:timers/promises';
import type { Config } from '../../compaction/config.ts';
import type { ModelResolver } from '../../compaction/pipeline.ts';
import { HarnessError } from '../../errors.ts';
import { offlinePrices } from '../../model/prices.ts';
import { SharedReplies } from '../../model/shared-replies.ts';
import { stubModel, stubNames } from '../../model/stub.ts';
import { formats } from '../../recordings/formats/catalog.ts';
import { type ReadOptions, readRecordings } from '../../recordings/read.ts';
import { type ReplayOptions, replayTranscript } from '../../replay/replay.ts';
import type { TranscriptReplay } from '../../replay/result.ts';
import type { ReplayedCell } from '../../report/show/cell.ts';
import { type CellResult, isFinished } from '../../rows/result.ts';
import type { Manifest } from '../../sweep/manifest.ts';
import { tokenizerNames } from '../../text/tokens.ts';
import type { Message } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { sweepModels } from '../sweep-models.ts';
import { configOfManifest } from './manifest-config.ts';

/** A row to replay, and its place among the rows of the report. */
export interface WantedRow {
  readonly place: number;
  readonly row: CellResult;
}

/** Is given the cells of one recording after the other. */
export interface ReplaySink {
  recording(transcript: Transcript): {
    add(place: number, cell: ReplayedCell): void;
    done(): void;
  };
}

export interface ReplayRunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  now(): number;
  /** Told of each cell that is done with. */
  onCell(): void;
}

/**
 * Replays the wanted rows of a run again, by its manifest, with a stub or its cassette; one recording after the other.
 * Returns in sentences what could not be replayed, and why; early when the signal aborts.
 */
export async function replayRun(
  manifest: Manifest | undefined,
  wanted: readonly WantedRow[],
  sink: ReplaySink,
  options: ReplayRunOptions,
): Promise<string[]> {
  if (manifest === undefined) {
    return [
      'There is no manifest beside the rows, so what takes a replay (requests, before and after, sources of savings) is left out.',
    ];
  }
  const source = replySource(manifest, options);
  if (source.kind === 'none') {
    return [
      `${source.why}: what takes a replay (requests, before and after, sources of savings) is left out.`,
    ];
  }
  try {
    const run = new RunReplay(manifest, wanted, source.models, options);
    return await run.into(sink);
  } finally {
    source.close();
  }
}

type Models = ReplayOptions['models'];

type ReplySource =
  | { readonly kind: 'models'; readonly models: Models; close(): void }
  | { readonly kind: 'none'; readonly why: string };

/** A stub's answers are always the same, and a cassette has those of the run; a live model's are gone. */
function replySource({ options }: Manifest, { cwd, now }: ReplayRunOptions): ReplySource {
  const { model: mode, cassette: file, assume_model: assumeModel, on_miss: miss } = options;
  if (mode === 'none') return { kind: 'models', models: () => () => undefined, close: () => {} };
  const stub = stubNames.find((name) => name === mode);
  if (stub !== undefined) return { kind: 'models', models: stubModels(stub), close: () => {} };
  if (file === undefined) {
    const why = `Components asked a model (${mode}), whose answers a report does not ask for again`;
    return { kind: 'none', why };
  }
  try {
    const asked = {
      model: 'replay',
      cassette: file,
      // A cell with a call that is not there any more has other figures, and is left out for that.
      onMiss: miss === 'stub' ? 'stub' : 'skip',
      assumeModel,
      maxUsd: undefined,
      concurrency: 1,
    } as const;
    const { models, cassette } = sweepModels(asked, offlinePrices, [], { cwd, variables: {}, now });
    return { kind: 'models', models, close: () => cassette?.close() };
  } catch (error) {
    if (!(error instanceof HarnessError)) throw error;
    return { kind: 'none', why: `The cassette ${file} cannot be used (${error.message})` };
  }
}

function stubModels(stub: (typeof stubNames)[number]): Models {
  const replies = new SharedReplies();
  return (): ModelResolver => {
    const model = replies.around(stubModel(stub));
    return () => model;
  };
}

class RunReplay {
  readonly #manifest: Manifest;
  readonly #wanted: ReadonlyMap<string, readonly WantedRow[]>;
  readonly #models: Models;
  readonly #options: ReplayRunOptions;
  readonly #done = new Set<number>();
  readonly #changed = new Set<number>();

  constructor(
    manifest: Manifest,
    wanted: readonly WantedRow[],
    models: Models,
    options: ReplayRunOptions,
  ) {
    this.#manifest = manifest;
    this.#models = models;
    this.#options = options;
    const groups = new Map<string, WantedRow[]>();
    for (const one of wanted.filter(({ row }) => isFinished(row))) {
      const key = keyOf(one.row);
      groups.set(key, [...(groups.get(key) ?? []), one]);
    }
    this.#wanted = groups;
  }

  async into(sink: ReplaySink): Promise<string[]> {
    const { cwd } = this.#options;
    const { transcripts } = this.#manifest;
    const configs = await this.#configs();
    const reading: ReadOptions = { cwd, format: formatOf(transcripts.format) };
    try {
      for await (const { transcripts: read } of readRecordings(transcripts.patterns, reading)) {
        for (const transcript of read) await this.#recording(transcript, configs, sink);
        if (this.#options.signal.aborted) break;
      }
    } catch (error) {
      if (!(error instanceof HarnessError) || error.code.startsWith('harness.')) throw error;
    }
    return this.#notes(configs);
  }

  async #configs(): Promise<ReadonlyMap<string, Config>> {
    const configs = new Map<string, Config>();
    for (const entry of this.#manifest.configs) {
      const config = await configOfManifest(entry, this.#manifest.configs, this.#options.cwd);
      // Somebody else's program is not run again only to be looked at.
      const isOurs = config?.steps.every(({ name }) => name !== 'external') === true;
      if (config !== undefined && isOurs) configs.set(config.name, config);
    }
    return configs;
  }

  async #recording(
    transcript: Transcript,
    configs: ReadonlyMap<string, Config>,
    sink: ReplaySink,
  ): Promise<void> {
    const rows = (this.#wanted.get(keyOf({ ...transcript, transcriptHash: transcript.hash })) ?? [])
      .filter(({ place }) => !this.#done.has(place))
      .toSorted((a, b) => a.place - b.place);
    if (rows.length === 0) return;
    const taker = sink.recording(transcript);
    const budgets = new Map<string, readonly number[]>();
    for (const { place, row } of rows) {
      await setImmediate();
      if (this.#options.signal.aborted) return;
      const config = configs.get(row.config);
      if (config === undefined || config.hash !== row.configHash || this.#done.has(place)) continue;
      const cell = await this.#cell(transcript, config, row, configs, budgets);
      this.#done.add(place);
      this.#options.onCell();
      if (cell === undefined || tokensAfter(cell.replay) !== row.tokensAfter) {
        this.#changed.add(place);
      } else taker.add(place, cell);
    }
    taker.done();
  }

  async #cell(
    transcript: Transcript,
    config: Config,
    { sample, tokenizer }: CellResult,
    configs: ReadonlyMap<string, Config>,
    budgets: Map<string, readonly number[]>,
  ): Promise<ReplayedCell | undefined> {
    const { guard, expand, assume_model: assumeModel, model } = this.#manifest.options;
    const isExpanded = expand === 'on';
    const known = tokenizerNames.find((name) => name === tokenizer);
    if (known === undefined) return undefined;
    const options: ReplayOptions = {
      tokenizer: known,
      models: this.#models,
      sample,
      guard,
      expand: isExpanded,
      ...(assumeModel === undefined ? {} : { assumeModel }),
    };
    const budgetKey = (name: string) => JSON.stringify([name, sample]);
    const { matches } = config;
    if (matches !== undefined && !budgets.has(budgetKey(matches.name))) {
      const matched = configs.get(matches.name);
      if (matched === undefined) return undefined;
      const replay = await replayTranscript(transcript, matched, options);
      budgets.set(budgetKey(matches.name), budgetOf(replay));
    }
    const budget = matches === undefined ? undefined : budgets.get(budgetKey(matches.name));
    const sent: (readonly Message[])[] = [];
    const replay = await replayTranscript(
      transcript,
      config,
      { ...options, ...(budget === undefined ? {} : { budgets: budget }) },
      (_, __, after) => {
        sent.push(after);
      },
    );
    budgets.set(budgetKey(config.name), budgetOf(replay));
    return { transcript, config, model, tokenizer: known, expand: isExpanded, replay, sent };
  }

  #notes(configs: ReadonlyMap<string, Config>): string[] {
    const wanted = [...this.#wanted.values()].flat();
    const missing = wanted.filter(({ place }) => !this.#done.has(place));
    const names = new Set(missing.map(({ row }) => row.config));
    const changed = [...names].filter((name) => !configs.has(name));
    const unread = missing.filter(({ row }) => configs.has(row.config));
    const cells = (count: number) => `${count} ${count === 1 ? 'cell' : 'cells'}`;
    return [
      ...(changed.length === 0
        ? []
        : [
            `Not replayed: ${changed.slice(0, 5).join(', ')}${changed.length > 5 ? ` and ${changed.length - 5} more` : ''}, since they run a program of their own or their components have changed since the run.`,
          ]),
      ...(unread.length === 0
        ? []
        : [
            `Not replayed: ${cells(unread.length)} whose recordings are no longer found as they were, under ${this.#manifest.transcripts.patterns.join(' ')}; relative paths count from the folder where the command runs.`,
          ]),
      ...(this.#changed.size === 0
        ? []
        : [
            `Left out: ${cells(this.#changed.size)} for which a replay now gives other figures than the run; run the sweep again.`,
          ]),
    ];
  }
}

function keyOf({
  task,
  trial,
  lineage,
  transcriptHash,
}: Pick<CellResult, 'task' | 'trial' | 'lineage' | 'transcriptHash'>): string {
  return JSON.stringify([task, trial, lineage, transcriptHash]);
}

function formatOf(name: string): NonNullable<ReadOptions['format']> {
  return formats.find((format) => format.name === name)?.name ?? 'auto';
}

function budgetOf({ requests }: TranscriptReplay): readonly number[] {
  return requests.map((request) => request.tokensAfter);
}

/** Tokens that would be sent, with what expand gives back, as a row has them. */
function tokensAfter({ requests }: TranscriptReplay): number {
  return requests.reduce(
    (sum, request) => sum + request.tokensAfter + (request.expansion?.tokens ?? 0),
    0,
  );
}
