import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Config } from '../compaction/config.ts';
import { HarnessError, messageOf, systemCodeOf } from '../errors.ts';
import { missingHint, wholeText } from '../text/whole-file.ts';
import { writeWhole } from '../text/write-whole.ts';
import { expandMode, modelIdentity, promptVersions, type SweepSettings } from './cells.ts';

/** What a run selects: the same selection gives the same cells from the same files. */
export interface Selection {
  readonly configs: readonly Config[];
  /** Files, folders and globs, as the user wrote them. */
  readonly patterns: readonly string[];
  readonly format: string;
  readonly settings: SweepSettings;
  /** How the model is reached and paid; it changes no figure. */
  readonly access?: ModelAccess;
  /** File of prices that go before the built-in ones, as the user wrote it; repricing changes no cell. */
  readonly prices?: string;
}

/** Connection and money, without keys. */
export interface ModelAccess {
  /** As `--model` was given. */
  readonly mode: string;
  /** Path of the cassette. */
  readonly cassette?: string;
  readonly onMiss?: string;
  /** Calls at once to one endpoint. */
  readonly concurrency?: number;
  readonly maxUsd?: number;
}

const counts = z.object({
  transcripts: z.int(),
  requests: z.int(),
  cells: z.int(),
  finished: z.int(),
  failed: z.int(),
  /** Of the finished ones, those that an earlier start of the run had done. */
  kept: z.int(),
});

/** More parts than any sweep is cut into. */
export const MOST_SHARDS = 100_000;

const problem = z.object({
  severity: z.enum(['error', 'notice']),
  code: z.string(),
  message: z.string(),
  file: z.string().optional(),
  line: z.int().optional(),
});

export const manifestSchema = z.object({
  status: z.enum(['running', 'complete', 'failed', 'interrupted']),
  started: z.string(),
  finished: z.string().optional(),
  /** Hash of everything that is selected; `--resume` goes on with a run of the same one. */
  selection: z.string(),
  configs: z.array(
    z.object({
      name: z.string(),
      hash: z.string(),
      source: z.string(),
      about: z.string(),
      text: z.string(),
    }),
  ),
  transcripts: z.object({ patterns: z.array(z.string()), format: z.string() }),
  options: z.object({
    tokenizer: z.string(),
    model: z.string(),
    /** As `--model` was given, where that is not `model`. */
    mode: z.string().optional(),
    cassette: z.string().optional(),
    /** What tells it from another one, wherever it lies. */
    cassette_id: z.string().optional(),
    on_miss: z.string().optional(),
    concurrency: z.int().optional(),
    max_usd: z.number().optional(),
    agreement: z.int().optional(),
    probes: z.int().optional(),
    agreement_seed: z.int().optional(),
    assume_model: z.string().optional(),
    prices: z.string().optional(),
    samples: z.int(),
    guard: z.boolean(),
    expand: z.string(),
    prompts: z.record(z.string(), z.number()),
  }),
  versions: z.object({ harness: z.string(), node: z.string() }),
  /** Absent where the project is no git checkout. */
  revision: z.object({ commit: z.string(), dirty: z.boolean() }).optional(),
  counts: counts.optional(),
  /** Model calls that this start of the run paid, by the price table. */
  spend: z.object({ usd: z.number().optional(), calls: z.int() }).optional(),
  problems: z.array(problem),
  /** Of a run that is a part of a sweep; what follows `count` is there once it has ended. */
  shard: z
    .object({
      index: z.int().min(1),
      count: z.int().min(1).max(MOST_SHARDS),
      plan: z.string().optional(),
      transcripts: z.int().min(0).optional(),
      own: z.array(z.int().min(0)).optional(),
      files: z.record(z.string(), z.string().nullable()).optional(),
    })
    .optional(),
});

/** What was run, with what, and how it ended. */
export type Manifest = z.output<typeof manifestSchema>;

/** Versions and revision of what runs; found by the caller, since it needs the environment. */
export interface Provenance {
  readonly versions: { readonly harness: string; readonly node: string };
  readonly revision?: { readonly commit: string; readonly dirty: boolean };
}

/** The manifest of a run that begins. */
export function startManifest(
  selection: Selection,
  provenance: Provenance,
  started: Date,
): Manifest {
  const { configs, patterns, format, settings } = selection;
  const { tokenizer, model, assumeModel, samples, guard } = settings;
  return {
    status: 'running',
    started: started.toISOString(),
    selection: selectionHash(selection),
    configs: configs.map(({ name, hash, source, about, text }) => ({
      name,
      hash,
      source,
      about,
      text,
    })),
    transcripts: { patterns: [...patterns], format },
    options: {
      tokenizer,
      model,
      ...accessOptions(selection.access),
      ...(settings.cassette === undefined ? {} : { cassette_id: settings.cassette }),
      ...askingOptions(settings),
      ...(assumeModel === undefined ? {} : { assume_model: assumeModel }),
      ...(selection.prices === undefined ? {} : { prices: selection.prices }),
      samples,
      guard,
      expand: expandMode(settings),
      prompts: { ...promptVersions },
    },
    versions: { ...provenance.versions },
    ...(provenance.revision === undefined ? {} : { revision: { ...provenance.revision } }),
    problems: [],
  };
}

function accessOptions(access: ModelAccess | undefined) {
  if (access === undefined) return {};
  const { mode, cassette, onMiss, concurrency, maxUsd } = access;
  return {
    mode,
    ...(cassette === undefined ? {} : { cassette }),
    ...(onMiss === undefined ? {} : { on_miss: onMiss }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(maxUsd === undefined ? {} : { max_usd: maxUsd }),
  };
}

function askingOptions({ asking }: SweepSettings) {
  if (asking === undefined) return {};
  return { agreement: asking.agreement, probes: asking.probes, agreement_seed: asking.seed };
}

export function selectionHash({ configs, patterns, format, settings }: Selection): string {
  const { tokenizer, model, assumeModel, samples, guard } = settings;
  const identity = [
    configs.map(({ name, hash }) => [name, hash]),
    patterns,
    format,
    [tokenizer, model, assumeModel ?? null, samples, guard, expandMode(settings)],
    modelIdentity(settings),
    promptVersions,
  ];
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
}

/** Writes in one step: a reader sees the old manifest or the new one. Rejects with `output.write`. */
export async function writeManifest(file: string, content: Manifest): Promise<void> {
  await writeWhole(file, `${JSON.stringify(content, null, 2)}\n`, {
    draft: `${file}.tmp`,
    elsewhere: 'choose another --out',
  });
}

/** Rejects with `input.missing`, `input.size`, or `input.schema` for a file that is no manifest. */
export async function readManifest(file: string): Promise<Manifest> {
  let text: string;
  try {
    text = await wholeText(file, { what: 'the manifest' });
  } catch (cause) {
    const isMissing = cause instanceof HarnessError && systemCodeOf(cause.cause) === 'ENOENT';
    if (!isMissing) throw cause;
    const message = `there is no such run: expected the CSV of a sweep with this manifest beside it${missingHint(file)}`;
    throw new HarnessError('input.missing', message, { cause, at: { file } });
  }
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (cause) {
    const message = `not a manifest of this version: ${messageOf(cause)}`;
    throw new HarnessError('input.schema', message, { cause, at: { file } });
  }
}
