/**
 * What must hold of whatever a reader of recordings makes of a file that was changed at random:
 *
 * 1. It ends, within the time that the session gives a run, and throws nothing at all: what is wrong with a file
 *    is a problem with a code of its own, never `harness.internal`.
 * 2. Every file is accounted for: a loss report or a problem names it. Each loss report adds up, and of lines it
 *    found as many as are not blank, counted here by themselves.
 * 3. Every line of a JSONL recording that is no JSON has a problem with its number, and a problem's line exists.
 * 4. No silent loss. Marks are texts that one record of the seed alone has, and that its reading put into a
 *    transcript. Of the records that a mutation left untouched, byte for byte, each either still has its marks in
 *    a transcript, or the loss report has said so: those whose marks are all gone are no more than the records that are
 *    skipped or merged more than before (`moreTold`). Of a JSON file a record is a string, untouched while what leads
 *    to it and what stands beside that is; there, one word about the file answers for all.
 * 5. The same content in another spelling (line ends, blank lines, a byte order mark, spaces, gzip) gives the same
 *    transcripts, the same losses and as many problems.
 * 6. What was read is of one piece: names are there and are unique, counts and times are finite and not negative,
 *    lists can be encoded and are read back as the same bytes, and a normalized copy has the same hash.
 *
 * That nothing runs too long, that no rejection is left unhandled and that no prototype has changed, the session
 * sees to for all fuzzers alike.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describePlace } from '../../src/errors.ts';
import { isGzip } from '../../src/recordings/archive.ts';
import { normalizedLines } from '../../src/recordings/formats/normalized-write.ts';
import { addsUp, describeLoss } from '../../src/recordings/loss.ts';
import { readRecordings } from '../../src/recordings/read.ts';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { insist } from './finding.ts';
import type { Run } from './fuzzer.ts';
import { isJson } from './json-tree.ts';
import type { SeedFile } from './material.ts';
import { contentOf, isOf, type Whole, wholeOf } from './recording-facts.ts';
import { type Baseline, checkLoss } from './recording-loss.ts';

/** @throws Finding */
export async function checkReading(run: Run, whole: Whole, baseline: Baseline): Promise<void> {
  for (const problem of whole.problems) {
    const what = `${describePlace(problem.at)}: ${problem.message}`;
    insist(problem.code !== 'harness.internal', () => `a fault of the harness: ${what}`);
    insist(problem.message !== '', () => `a problem without words: ${describePlace(problem.at)}`);
  }
  const files = run.files.map(unpacked);
  for (const file of files) checkAccounts(file, whole);
  checkLoss(run, files, whole, baseline);
  for (const loss of whole.losses)
    insist(addsUp(loss), () => `does not add up: ${describeLoss(loss)}`);
  if (run.isRespelled) {
    const [before, after] = [contentOf(baseline.whole), contentOf(whole)];
    insist(
      before === after,
      () => `another spelling is read otherwise: ${difference(before, after)}`,
    );
  }
  const names = whole.transcripts.map(({ task, trial, lineage }) =>
    JSON.stringify([task, trial, lineage]),
  );
  insist(
    new Set(names).size === names.length,
    () => `two transcripts of one name: ${names.join(' ')}`,
  );
  for (const transcript of whole.transcripts) checkTranscript(transcript);
  if (run.choice % 4 === 0) await checkCopy(whole.transcripts, run.folder);
}

/** As it was before it was packed, where the packing is no part of the seed. */
function unpacked(file: SeedFile): SeedFile {
  const isPacked = file.kind !== 'gzip' && file.kind !== 'zip' && isGzip(file.bytes);
  if (!isPacked) return file;
  try {
    return { ...file, bytes: gunzipSync(file.bytes) };
  } catch {
    return file;
  }
}

function checkAccounts(file: SeedFile, { losses, problems }: Whole): void {
  const own = losses.filter((loss) => isOf(loss.file, file.path));
  const told = problems.filter(({ at }) => isOf(at.file, file.path));
  insist(own.length + told.length > 0, () => `${file.path} is neither read nor told of`);
  if (file.kind !== 'jsonl' || own.length === 0) return;
  const text = file.bytes.toString('utf8').replace(/^\ufeff/, '');
  const lines = text.split('\n');
  const filled = lines.filter((line) => line.trim() !== '').length;
  for (const { at, message } of told) {
    const exists = at.line === undefined || (at.line >= 1 && at.line <= lines.length);
    insist(exists, () => `a problem in line ${at.line} of ${lines.length}: ${message}`);
  }
  for (const loss of own) {
    const isByLine = loss.unit === 'lines' || (loss.unit === 'calls' && isJsonLines(lines));
    insist(
      !isByLine || loss.found === filled || !isJsonLines(lines),
      () => `${filled} lines are not blank: ${describeLoss(loss)}`,
    );
  }
  if (!isJsonLines(lines)) return;
  const named = new Set(told.map(({ at }) => at.line));
  for (const [index, line] of lines.entries()) {
    // A byte order mark before a line, as files put together have it, is read over as white space.
    if (line.trim() === '' || isJson(line.trim())) continue;
    insist(
      named.has(index + 1) || named.has(undefined),
      () => `line ${index + 1} is no JSON and no problem names it: ${line.slice(0, 80)}`,
    );
  }
}

/** Not one JSON text over several lines. */
function isJsonLines(lines: readonly string[]): boolean {
  const filled = lines.filter((line) => line.trim() !== '');
  return (
    filled.length > 1 && isJson(filled[0] ?? '') && (filled[0] ?? '').trimStart().startsWith('{')
  );
}

function checkTranscript(transcript: Transcript): void {
  const { task, trial, lineage, dialect, reward, cost, requests, retries, hash } = transcript;
  const name = JSON.stringify([task, trial, lineage]);
  insist(
    [task, trial, lineage].every((part) => part.trim() !== ''),
    () => `a blank name: ${name}`,
  );
  insist(
    /^[0-9a-f]{64}$/.test(hash) && retries >= 0,
    () => `${name}: hash ${hash}, retries ${retries}`,
  );
  insist(reward === undefined || Number.isFinite(reward), () => `${name}: reward ${reward}`);
  insist(isCount(cost), () => `${name}: cost ${cost}`);
  let segment = 0;
  for (const [index, request] of requests.entries()) {
    const { usage = {}, time, model } = request;
    const where = `${name} request ${index}`;
    // A normalized file gives them as they were given.
    const isLater = request.segment >= segment || transcript.source.format === 'normalized';
    insist(
      isLater && Number.isInteger(request.segment),
      () => `${where}: segment ${request.segment} after ${segment}`,
    );
    segment = request.segment;
    insist(isCount(request.cost), () => `${where}: cost ${request.cost}`);
    insist(time === undefined || Number.isFinite(time), () => `${where}: time ${time}`);
    insist(model === undefined || typeof model === 'string', () => `${where}: model ${model}`);
    for (const [key, count] of Object.entries(usage)) {
      insist(isCount(count), () => `${where}: usage ${key} ${count}`);
    }
  }
  for (const index of new Set([0, requests.length >> 1, requests.length - 1])) {
    const request = requests[index];
    if (request === undefined) continue;
    const spoken = dialectOf(dialect);
    const body = spoken.encode(request.messages, request.envelope);
    // What stands around a list is in a normalized file as it was given.
    if (transcript.source.format === 'normalized') JSON.parse(body);
    if (transcript.source.format === 'normalized') continue;
    const again = spoken.parse(body, new MessageTable());
    const [sent, read] = [request.messages, again.messages].map((list) =>
      list.map(({ raw }) => raw).join(),
    );
    insist(
      sent === read,
      () => `${name} request ${index} is encoded as ${difference(sent ?? '', read ?? '')}`,
    );
  }
}

async function checkCopy(transcripts: readonly Transcript[], folder: string): Promise<void> {
  if (transcripts.length === 0) return;
  const path = 'copy-of-all.jsonl';
  const lines = transcripts.flatMap((transcript) => [...normalizedLines(transcript)]);
  writeFileSync(join(folder, path), lines.join(''));
  const again = await wholeOf(readRecordings([path], { cwd: folder }));
  const [before, after] = [transcripts, again.transcripts].map((list) =>
    list.map(({ hash }) => hash).join(),
  );
  const told = again.problems.map(({ message }) => message).join('; ');
  insist(before === after, () => `a normalized copy is another transcript; ${told}`);
}

function isCount(value: number | undefined): boolean {
  return value === undefined || (Number.isFinite(value) && value >= 0);
}

function difference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 60), at + 100);
  return `…${around(one)}… and …${around(other)}…`;
}
