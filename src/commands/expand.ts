import { relative, resolve } from 'node:path';
import { DEEPEST_MARKERS, type Restored, resolveNested } from '../compaction/nested-markers.ts';
import { markersIn, messagesKey, Stash } from '../compaction/stash.ts';
import { HarnessError, nearestName } from '../errors.ts';
import { formats } from '../recordings/formats/catalog.ts';
import { type ReadOptions, readRecordings } from '../recordings/read.ts';
import { readManifest } from '../sweep/manifest.ts';
import { listRuns, runFiles } from '../sweep/run-files.ts';
import { readReferences, type StashReference } from '../sweep/stash-index.ts';
import { pushAll } from '../text/long-lists.ts';
import { type Message, resultText } from '../transcript/message.ts';
import { encodeList } from '../wire/dialect.ts';
import { RUNS_FOLDER } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { projectPath } from './project.ts';

export interface ExpandOptions {
  /** The key, alone or in its marker `<<cg:HASH>>`. */
  readonly hash: string;
  /** CSV of the run; the newest in `out` by default. */
  readonly run: string | undefined;
  /** Folder of the runs. */
  readonly out: string | undefined;
  /** Resolves the markers inside of the content too. */
  readonly nested: boolean;
}

/**
 * `expand`: writes what a marker stands for to stdout, byte for byte and nothing else: the JSON array of
 * the recorded messages, or the text. With `nested`, the markers inside of it are resolved as well.
 *
 * Rejects with `usage` for what is no hash, `stash.missing` where the run did not stash it or the
 * recording has changed since.
 */
export async function expand(options: ExpandOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, stdout, stderr } = environment;
  const key = keyOf(options.hash);
  const csv = await runOf(options, environment);
  const references = await readReferences(runFiles(csv).stash);
  const found = references.filter((reference) => reference.key === key);
  const [first] = found;
  if (first === undefined) throw unknown(key, csv, references, cwd);
  const places = new Set(found.map(placeOf));
  if (places.size > 1) {
    stderr.write(
      `notice: ${places.size} transcripts hold this content; shown as in ${first.file}\n`,
    );
  }
  // The last entry of the first transcript holds the bytes of its latest request.
  const latest = found.findLast((reference) => placeOf(reference) === placeOf(first)) ?? first;
  const restored = await contentOf(latest, csv, cwd);
  if (!options.nested) {
    stdout.write(restored.content);
    return 0;
  }
  const contents = await nestedContents(restored, latest, { references, csv, cwd });
  stdout.write(resolveNested(restored, (nested) => contents.get(nested), [key]));
  return 0;
}

/** What the markers inside of a content stand for, level by level; those that nobody stashed are left out. */
async function nestedContents(
  outer: Restored,
  { cell, key }: StashReference,
  run: {
    readonly references: readonly StashReference[];
    readonly csv: string;
    readonly cwd: string;
  },
): Promise<ReadonlyMap<string, Restored>> {
  // A nested marker is of the same cell: each cell has a stash of its own.
  const byKey = new Map(
    run.references.filter((one) => one.cell === cell).map((one) => [one.key, one]),
  );
  const contents = new Map<string, Restored>([[key, outer]]);
  let level: readonly string[] = markersIn(outer.content);
  for (let depth = 1; depth < DEEPEST_MARKERS && level.length > 0; depth++) {
    const next: string[] = [];
    for (const nested of level) {
      const reference = byKey.get(nested);
      if (reference === undefined || contents.has(nested)) continue;
      const restored = await contentOf(reference, run.csv, run.cwd);
      contents.set(nested, restored);
      pushAll(next, markersIn(restored.content));
    }
    level = next;
  }
  return contents;
}

function keyOf(hash: string): string {
  const key = /^(?:<<cg:)?([0-9a-f]{16})(?:>>)?$/i.exec(hash.trim())?.[1];
  if (key !== undefined) return key.toLowerCase();
  const message = `'${hash}' is no hash; expected the 16 hexadecimal digits of a marker <<cg:HASH>>`;
  throw new HarnessError('usage', message);
}

async function runOf({ run, out }: ExpandOptions, { cwd }: Environment): Promise<string> {
  if (run !== undefined) return resolve(cwd, run);
  const folder = resolve(cwd, out ?? projectPath(cwd, RUNS_FOLDER));
  const [newest] = await listRuns(folder);
  if (newest !== undefined) return newest;
  const message = 'no run is here; run a sweep first, or name one with --run FILE';
  throw new HarnessError('stash.missing', message, { at: { file: relative(cwd, folder) } });
}

function unknown(
  key: string,
  csv: string,
  references: readonly StashReference[],
  cwd: string,
): HarnessError {
  const keys = new Set(references.map((reference) => reference.key));
  const nearest = nearestName(key, keys);
  const hint =
    nearest === undefined
      ? `it stashed ${keys.size} spans; name another run with --run FILE`
      : `did you mean ${nearest}?`;
  const message = `nothing is stashed as ${key} in this run: ${hint}`;
  return new HarnessError('stash.missing', message, { at: { file: relative(cwd, csv) } });
}

function placeOf({ file, session, task, trial, lineage }: StashReference): string {
  return JSON.stringify([file, session, task, trial, lineage]);
}

/** What lies in a recording. */
type RecordedReference = Exclude<StashReference, { readonly kind: 'text' }>;

/** The bytes as the recordings hold them now; the key proves that they are what was stashed. */
async function contentOf(reference: StashReference, csv: string, cwd: string): Promise<Restored> {
  if (reference.kind === 'text') return { kind: reference.form, content: reference.text };
  const { transcripts } = await readManifest(runFiles(csv).manifest);
  // A session can lie in several files, so where one file does not have it all are read.
  for (const patterns of [[reference.file], transcripts.patterns]) {
    const content = await searchIn(patterns, reference, cwd);
    if (content !== undefined) {
      return { kind: reference.kind === 'messages' ? 'messages' : 'text', content };
    }
  }
  const message = 'the recording is not what it was when the sweep ran; run the sweep again';
  throw new HarnessError('stash.missing', message, { at: { file: reference.file } });
}

async function searchIn(
  patterns: readonly string[],
  reference: RecordedReference,
  cwd: string,
): Promise<string | undefined> {
  const { session, trial, lineage, request } = reference;
  const format = formatOf(reference);
  for await (const { transcripts } of readRecordings(patterns, { cwd, format })) {
    for (const transcript of transcripts) {
      // The task is left out: its name depends on what else was read beside it.
      if (transcript.source.session !== session) continue;
      if (transcript.trial !== trial || transcript.lineage !== lineage) continue;
      const content = contentIn(transcript.requests[request]?.messages ?? [], reference);
      if (content !== undefined) return content;
    }
  }
  return undefined;
}

function contentIn(messages: readonly Message[], reference: RecordedReference): string | undefined {
  if (reference.kind === 'messages') {
    const { from, to, key } = reference;
    if (to > messages.length || messagesKey(messages, from, to) !== key) return undefined;
    return encodeList(messages.slice(from, to));
  }
  const block = messages[reference.message]?.blocks[reference.block];
  const text = block?.kind === 'tool-result' ? resultText(block) : undefined;
  return text !== undefined && new Stash().putText(text) === reference.key ? text : undefined;
}

function formatOf({ format }: StashReference): NonNullable<ReadOptions['format']> {
  return formats.find(({ name }) => name === format)?.name ?? 'auto';
}
