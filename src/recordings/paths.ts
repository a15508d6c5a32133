import { lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { HarnessError, messageOf, nearestName, systemCodeOf } from '../errors.ts';
import { missingHint } from '../text/whole-file.ts';
import { isZipFile, listZip, type ZipEntry } from './archive.ts';
import { hasGlob, splitGlob, toMatcher } from './glob.ts';
import { type Problem, problemOf } from './problem.ts';

/** A file to read, on disk or inside an archive. */
export interface FoundFile {
  /** Path as the user would write it: relative where the pattern was; `file.zip!/entry` in an archive. */
  readonly path: string;
  readonly absolute: string;
  /** Named by itself, rather than found in a folder, an archive or by a glob. */
  readonly named: boolean;
  /** Where the bytes are, of a file inside an archive. */
  readonly packed?: { readonly archive: string; readonly entry: ZipEntry };
}

/**
 * The files that `patterns` (files, folders, globs) name, each once: patterns in their order, the files
 * of a folder or glob in natural order. Hidden entries and `node_modules` are only found when named.
 * `~/` is the user's own folder. A pattern that leads nowhere is a problem with the nearest name that exists.
 */
export function findFiles(
  patterns: readonly string[],
  cwd: string,
): { readonly files: readonly FoundFile[]; readonly problems: readonly Problem[] } {
  const files = new Map<string, FoundFile>();
  const problems: Problem[] = [];
  for (const pattern of patterns) {
    // No shell replaces the tilde of a glob in quotes.
    const found = findOrTell(
      pattern.replace(/^~(?=[\\/]|$)/, () => homedir()),
      cwd,
    );
    if ('problem' in found) problems.push(found.problem);
    else
      for (const file of found.files) if (!files.has(file.absolute)) files.set(file.absolute, file);
  }
  const unpacked = [...files.values()].flatMap((file) => {
    const entries = entriesOf(file);
    if (Array.isArray(entries)) return entries;
    problems.push(entries);
    return [];
  });
  return { files: unpacked, problems };
}

/** Names of zip archives; others that begin as one does (documents, packages) hold no recordings. */
const ARCHIVE_NAME = /\.(?:zip|eval)$/i;
/** What of an `.eval` archive is a recording; the rest repeats it. */
const EVAL_ENTRY = /^(?:samples\/[^/]+\.json|header\.json|_journal\/start\.json)$/;

/** The files inside an archive in natural order, each with its place; any other file as it is. */
function entriesOf(file: FoundFile): FoundFile[] | Problem {
  if (!ARCHIVE_NAME.test(file.absolute)) return [file];
  try {
    if (!isZipFile(file.absolute)) return [file];
    const isEval = /\.eval$/i.test(file.absolute);
    const wanted = listZip(file.absolute).filter(({ name }) =>
      isEval ? EVAL_ENTRY.test(name) : !name.split('/').some(isHidden),
    );
    if (wanted.length === 0) {
      return problem('input.empty', 'the archive holds no recordings', file.path);
    }
    return wanted
      .sort((a, b) => byNaturalOrder(a.name, b.name))
      .map((entry) => ({
        path: `${file.path}!/${entry.name}`,
        absolute: `${file.absolute}!/${entry.name}`,
        named: false,
        packed: { archive: file.absolute, entry },
      }));
  } catch (error) {
    if (error instanceof HarnessError) return problemOf(error, file.path);
    return problem('input.missing', `the file cannot be read: ${messageOf(error)}`, file.path);
  }
}

type Found = { readonly files: readonly FoundFile[] } | { readonly problem: Problem };

/** A folder that may not be listed, or that went away, is a problem of its pattern alone. */
function findOrTell(pattern: string, cwd: string): Found {
  try {
    return findOne(pattern, cwd);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return { problem: problem('input.missing', `cannot be read: ${messageOf(error)}`, pattern) };
  }
}

function findOne(pattern: string, cwd: string): Found {
  const absolute = resolve(cwd, pattern);
  const stats = statOf(absolute);
  if (stats?.isFile() === true) return { files: [{ path: pattern, absolute, named: true }] };
  if (stats?.isDirectory() === true) {
    const files = walk(absolute, pattern, () => true);
    if (files.length > 0) return { files };
    return { problem: problem('input.empty', 'the folder holds no files', pattern) };
  }
  if (stats !== undefined) {
    return { problem: problem('input.format', 'expected a file or a folder', pattern) };
  }
  if (!hasGlob(pattern)) {
    return {
      problem: problem('input.missing', `no such file or folder${missingHint(absolute)}`, pattern),
    };
  }
  const { base, glob } = splitGlob(pattern);
  const folder = resolve(cwd, base);
  if (statOf(folder)?.isDirectory() !== true) {
    const message = `the glob matches no file: there is no folder "${base}"${missingHint(folder)}`;
    return { problem: problem('input.missing', message, pattern) };
  }
  const files = walk(folder, base, toMatcher(glob));
  if (files.length > 0) return { files };
  return {
    problem: problem('input.empty', `the glob matches no file${others(folder, glob)}`, pattern),
  };
}

function problem(code: Problem['code'], message: string, file: string): Problem {
  return { code, message, at: { file }, severity: 'error' };
}

/** A name that is too long, and a link that leads to itself, are as good as missing. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    if (NOWHERE.has(systemCodeOf(error) ?? '')) return undefined;
    throw error;
  }
}

const NOWHERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG']);

/** The nearest name in the folder of a glob that matched nothing. */
function others(folder: string, glob: string): string {
  const names = readdirSync(folder);
  const nearest = nearestName(glob.split('/')[0] ?? glob, names);
  if (nearest !== undefined) return `; did you mean "${nearest}"?`;
  const [first] = names.sort(byNaturalOrder);
  return first === undefined ? ': the folder is empty' : `; the folder holds "${first}"`;
}

function walk(
  folder: string,
  shown: string,
  matches: (relative: string) => boolean,
): readonly FoundFile[] {
  const found: { relative: string; file: FoundFile; isLink: boolean }[] = [];
  const visited = new Set<string>();
  const pending: string[] = [''];
  for (let inner = pending.pop(); inner !== undefined; inner = pending.pop()) {
    const real = realpathSync(join(folder, inner));
    // A link to a folder above would be walked for ever.
    if (visited.has(real)) continue;
    visited.add(real);
    for (const entry of readdirSync(real)) {
      const relative = inner === '' ? entry : `${inner}/${entry}`;
      const absolute = join(folder, relative);
      const stats = statOf(absolute);
      if (stats?.isDirectory() === true) {
        if (!isHidden(entry)) pending.push(relative);
      } else if (stats?.isFile() === true && !isHidden(entry) && matches(relative)) {
        const file = { path: join(shown, relative), absolute, named: false };
        found.push({ relative, file, isLink: isLink(join(real, entry)) });
      }
    }
  }
  const ordered = found.sort((a, b) => byNaturalOrder(a.relative, b.relative));
  if (!ordered.some((one) => one.isLink)) return ordered.map(({ file }) => file);
  // A link to a file that is found too (`latest.jsonl`) is not another recording.
  const known = new Set(
    ordered.flatMap((one) => (one.isLink ? [] : [realpathSync(one.file.absolute)])),
  );
  return ordered.flatMap((one) => {
    if (!one.isLink) return [one.file];
    const target = realpathSync(one.file.absolute);
    if (known.has(target)) return [];
    known.add(target);
    return [one.file];
  });
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function isHidden(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || name === '__MACOSX';
}

/** Orders names by code unit, runs of digits by their number, so that `log-9` stands before `log-10`. */
export function byNaturalOrder(a: string, b: string): number {
  const left = a.match(/\d+|\D+/g) ?? [];
  const right = b.match(/\d+|\D+/g) ?? [];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const one = left[index] ?? '';
    const other = right[index] ?? '';
    if (one === other) continue;
    if (/^\d/.test(one) && /^\d/.test(other)) {
      const difference = BigInt(one) - BigInt(other);
      if (difference !== 0n) return difference < 0n ? -1 : 1;
    }
    return one < other ? -1 : 1;
  }
  return left.length - right.length;
}
