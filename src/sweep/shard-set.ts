import { HarnessError } from '../errors.ts';
import { pushAll } from '../text/long-lists.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { type RunFiles, runFiles } from './run-files.ts';
import { type ShardRecord, shardName } from './shard.ts';
import { sealedFiles, sealsOf } from './shard-seal.ts';

/** One shard of a whole. */
export interface ShardPart {
  readonly files: RunFiles;
  readonly manifest: Manifest;
  readonly shard: ShardRecord;
  /** `shard 2/4`. */
  readonly name: string;
}

/** A shard before anything is known of it but that it is one. */
interface Candidate {
  readonly csv: string;
  readonly manifest: Manifest;
  readonly shard: NonNullable<Manifest['shard']>;
}

/**
 * The shards whose CSV files these are, in the order of their indices, once it is proven that they are one
 * whole: of one selection, configs, recordings and revision; none twice, none missing, none unfinished, and
 * no file other than its sweep wrote it.
 *
 * Rejects with one `input.shard` that names every shard that does not fit, and `input.missing` or
 * `input.schema` for what is no run.
 * @param allowFailed accepts shards with failed cells
 */
export async function readShardSet(
  csvs: readonly string[],
  { allowFailed }: { readonly allowFailed: boolean },
): Promise<readonly ShardPart[]> {
  const candidates = await Promise.all(csvs.map(readCandidate));
  const wrong: string[] = [];
  const reference = mostCommon(candidates);
  const own: ShardPart[] = [];
  for (const candidate of candidates) {
    const found =
      unfinished(candidate, allowFailed) ??
      foreign(candidate, reference) ??
      (await changed(candidate));
    if (found !== undefined) {
      wrong.push(`${candidate.csv}: ${shardName(candidate.shard)} ${found}`);
      continue;
    }
    const part = partOf(candidate);
    if (part === undefined) wrong.push(`${candidate.csv}: its manifest does not say its cells`);
    else own.push(part);
  }
  pushAll(wrong, [...doubled(candidates), ...missing(candidates, reference)]);
  if (wrong.length === 0) pushAll(wrong, uncovered(own));
  if (wrong.length === 0) return own.toSorted((a, b) => a.shard.index - b.shard.index);
  const message = `the shards are not one whole:\n${wrong.map((line) => `  ${line}`).join('\n')}`;
  throw new HarnessError('input.shard', message);
}

async function readCandidate(csv: string): Promise<Candidate> {
  const manifest = await readManifest(runFiles(csv).manifest);
  const { shard } = manifest;
  if (shard !== undefined) return { csv, manifest, shard };
  const message = 'this run is no shard: it was made without --shard, and needs no merge';
  throw new HarnessError('input.shard', message, { at: { file: csv } });
}

function partOf({ csv, manifest, shard }: Candidate): ShardPart | undefined {
  const { index, count, plan, transcripts, own } = shard;
  if (plan === undefined || transcripts === undefined || own === undefined) return undefined;
  const record = { index, count, plan, transcripts, own };
  return { files: runFiles(csv), manifest, shard: record, name: shardName(shard) };
}

/** What the shards of a whole have in common. */
function identityOf({ manifest, shard }: Candidate): string {
  return JSON.stringify([manifest.selection, shard.count, shard.plan]);
}

/** A shard of the whole that most finished ones are parts of; of equally many, the first. */
function mostCommon(candidates: readonly Candidate[]): Candidate | undefined {
  const groups = new Map<string, Candidate[]>();
  const ended = candidates.filter(({ shard }) => shard.plan !== undefined);
  for (const candidate of ended.length > 0 ? ended : candidates) {
    const key = identityOf(candidate);
    groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  return [...groups.values()].toSorted((a, b) => b.length - a.length)[0]?.[0];
}

function unfinished({ manifest }: Candidate, allowFailed: boolean): string | undefined {
  const { status, counts, problems } = manifest;
  if (status === 'running') {
    return 'is not finished: it still runs, or was killed; go on with it with --resume';
  }
  if (status === 'interrupted')
    return 'is not finished: it was stopped; go on with it with --resume';
  if (status === 'complete' || allowFailed) return undefined;
  if (counts === undefined) return 'broke off with an error; run it again with --resume';
  const failed = counts.failed;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const what = failed > 0 ? `${failed} failed cells` : `${errors} inputs that could not be read`;
  return `has ${what}: run it again with --resume, or accept it with --allow-failed`;
}

/** How a shard differs from those of the whole, in the words of the command line. */
function foreign(candidate: Candidate, reference: Candidate | undefined): string | undefined {
  if (reference === undefined || candidate === reference) return undefined;
  const [mine, others] = [candidate.manifest, reference.manifest];
  const differences: string[] = [];
  const compare = (name: string, one: unknown, other: unknown) => {
    if (JSON.stringify(one) === JSON.stringify(other)) return;
    differences.push(`${name}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`);
  };
  compare('--shard of', candidate.shard.count, reference.shard.count);
  const configs = ({ configs: all }: Manifest) => all.map(({ name, hash }) => `${name} ${hash}`);
  compare('configs', configs(mine), configs(others));
  compare('--transcripts', mine.transcripts, others.transcripts);
  const { cassette: _, concurrency: __, max_usd: ___, ...mySettings } = mine.options;
  const { cassette: ____, concurrency: _____, max_usd: ______, ...theirs } = others.options;
  for (const name of new Set([...Object.keys(mySettings), ...Object.keys(theirs)])) {
    compare(name, Reflect.get(mySettings, name), Reflect.get(theirs, name));
  }
  compare('version', mine.versions.harness, others.versions.harness);
  const [myCommit, theirCommit] = [mine.revision?.commit, others.revision?.commit];
  if (myCommit !== undefined && theirCommit !== undefined) {
    compare('revision', myCommit, theirCommit);
  }
  if (differences.length === 0 && identityOf(candidate) !== identityOf(reference)) {
    differences.push('the recordings that it read were others');
  }
  if (differences.length === 0) return undefined;
  return `is of another sweep than ${reference.csv}: ${differences.join('; ')}`;
}

/** Rejects with `input.shard` where a file has been changed since the set was read. */
export async function checkSeals(parts: readonly ShardPart[]): Promise<void> {
  for (const { files, manifest, name } of parts) {
    if (manifest.shard === undefined) continue;
    const found = await changed({ csv: files.csv, manifest, shard: manifest.shard });
    if (found === undefined) continue;
    const message = `${name} ${found}`;
    throw new HarnessError('input.shard', message, { at: { file: files.csv } });
  }
}

async function changed({ csv, shard }: Candidate): Promise<string | undefined> {
  const seals = await sealsOf(runFiles(csv));
  const files = runFiles(csv);
  const found = sealedFiles.filter((name) => (shard.files?.[name] ?? null) !== seals[name]);
  if (found.length === 0) return undefined;
  const names = found.map((name) => `${files[name]}${seals[name] === null ? ' (missing)' : ''}`);
  return `has been changed since its sweep wrote it: ${names.join(', ')}; take its files again`;
}

function doubled(candidates: readonly Candidate[]): string[] {
  const byName = new Map<string, string[]>();
  for (const { shard, csv } of candidates) {
    const name = shardName(shard);
    byName.set(name, [...(byName.get(name) ?? []), csv]);
  }
  return [...byName]
    .filter(([, csvs]) => csvs.length > 1)
    .map(([name, csvs]) => `${name} is given ${csvs.length} times: ${csvs.join(', ')}`);
}

/** Names a few. */
const SHOWN = 20;

function missing(candidates: readonly Candidate[], reference: Candidate | undefined): string[] {
  if (reference === undefined) return [];
  const { count } = reference.shard;
  const given = new Set(
    candidates.filter(({ shard }) => shard.count === count).map(({ shard }) => shard.index),
  );
  const absent = Array.from({ length: count }, (_, at) => at + 1).filter((at) => !given.has(at));
  if (absent.length === 0) return [];
  const names = absent.slice(0, SHOWN).map((index) => shardName({ index, count }));
  const more = absent.length > SHOWN ? ` and ${absent.length - SHOWN} more` : '';
  return [`missing: ${names.join(', ')}${more}`];
}

/** Every transcript of the whole is in one shard. */
function uncovered(parts: readonly ShardPart[]): string[] {
  const [first] = parts;
  if (first === undefined) return ['no shard is given'];
  const { transcripts } = first.shard;
  const owners = new Map<number, string>();
  const wrong: string[] = [];
  for (const { shard, name } of parts) {
    for (const place of shard.own) {
      if (place >= transcripts) {
        wrong.push(`${name} ran transcript ${place + 1} of ${transcripts}`);
      }
      const other = owners.get(place);
      if (other !== undefined) wrong.push(`${name} and ${other} both ran transcript ${place + 1}`);
      owners.set(place, name);
    }
  }
  if (owners.size < transcripts) {
    wrong.push(`${transcripts - owners.size} of ${transcripts} transcripts are in no shard`);
  }
  return wrong;
}
