/** `validate`: are these message lists sendable? Reads bodies, lists, recordings and labelled cases. */
import { resolve } from 'node:path';
import { codeOf, HarnessError, messageOf, nearestName } from '../errors.ts';
import type { ShapeMode } from '../shape/rule.ts';
import type { ShapeDialect } from '../shape/validate.ts';
import { pushAll } from '../text/long-lists.ts';
import { visible } from '../text/visible.ts';
import { jsonOutput } from './json-output.ts';
import { checkBody, holdsList } from './validate/bodies.ts';
import { type CaseOutcome, checkCases } from './validate/cases.ts';
import { dialectNamed, dialectNames } from './validate/dialect-name.ts';
import { filesOf, readJsonFile } from './validate/read-json.ts';
import { type CheckedRecordings, checkRecordings } from './validate/recordings.ts';
import {
  type CheckedList,
  counted,
  countOf,
  describeList,
  violationsAsJson,
} from './validate/report.ts';

export interface ValidateCommandOptions {
  /** Request bodies, plain message lists, recordings, and folders of them. */
  readonly paths?: readonly string[];
  /** Folder of labelled cases, instead of paths. */
  readonly cases?: string;
  /** Told from the file where absent. */
  readonly dialect?: string;
  /** `sendable` by default. */
  readonly mode?: string;
  readonly json?: boolean;
  /** Folder that relative paths start from. */
  readonly cwd?: string;
}

/** Exit code 0: nothing found. 100: an error, or a case unlike its label. 2: bad usage, or a file that cannot be read. */
export interface ValidateCommandResult {
  readonly exitCode: 0 | 2 | 100;
  readonly output: string;
}

const MODES: readonly ShapeMode[] = ['sendable', 'prefix'];

/**
 * Checks files or cases. A file that cannot be read is reported with its line, and the others go on.
 * @throws HarnessError `usage` for bad options.
 */
export async function validateCommand(
  options: ValidateCommandOptions,
): Promise<ValidateCommandResult> {
  const paths = options.paths ?? [];
  if (options.cases !== undefined) {
    const given = [
      ...(paths.length > 0 ? [`${paths[0]}`] : []),
      ...(options.dialect !== undefined ? ['--dialect'] : []),
      ...(options.mode !== undefined ? ['--mode'] : []),
    ];
    if (given.length > 0) {
      throw new HarnessError(
        'usage',
        `--cases takes dialect and mode from its files; leave out ${given.join(', ')}`,
      );
    }
    return casesResult(
      await settle(() => checkCases(resolve(options.cwd ?? '.', options.cases ?? ''))),
      options.json === true,
    );
  }
  if (paths.length === 0) {
    throw new HarnessError('usage', 'nothing to validate: give a file, a folder or --cases DIR');
  }
  const dialect = parseDialect(options.dialect);
  const mode = parseMode(options.mode ?? 'sendable');
  const lists: CheckedList[] = [];
  const unreadable: string[] = [];
  const skipped: string[] = [];
  const cwd = options.cwd ?? '.';
  for (const path of paths) {
    const files = await settle(() => filesOf(path, cwd));
    if (files.kind === 'failed') unreadable.push(files.message);
    for (const file of files.kind === 'done' ? files.value : []) {
      const checked = await checkFile(file, { dialect, mode, cwd });
      pushAll(lists, checked.lists);
      // A folder also holds files that are no lists; who names a file means it.
      const broken = file === path ? checked.unreadable : checked.broken;
      pushAll(unreadable, broken);
      pushAll(
        skipped,
        checked.unreadable.filter((line) => !broken.includes(line)),
      );
    }
  }
  return listsResult(lists, unreadable, skipped, options.json === true);
}

/**
 * A file that is one request body or message list is checked as such; any other is read as a recording.
 */
async function checkFile(
  path: string,
  options: {
    readonly dialect: ShapeDialect | undefined;
    readonly mode: ShapeMode;
    readonly cwd: string;
  },
): Promise<CheckedRecordings> {
  let looksLikeList = false;
  const single = await settle(async () => {
    const body = await readJsonFile(resolve(options.cwd, path));
    looksLikeList = holdsList(body.value);
    return checkBody({ ...body, file: path }, options);
  });
  if (single.kind === 'done') return { lists: [single.value], unreadable: [], broken: [] };
  const recordings = await checkRecordings(path, options);
  if (recordings.lists.length > 0) return recordings;
  // Nothing that is a list in any form: what it lacks as one says more than that no format knows it.
  const isBroken = looksLikeList || options.dialect !== undefined || recordings.broken.length > 0;
  return { lists: [], unreadable: [single.message], broken: isBroken ? [single.message] : [] };
}

type Settled<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  | { readonly kind: 'failed'; readonly message: string };

/** The value, or what is wrong with the input; the harness's own failures are thrown. */
async function settle<Value>(compute: () => Promise<Value>): Promise<Settled<Value>> {
  try {
    return { kind: 'done', value: await compute() };
  } catch (error) {
    if (codeOf(error) === 'harness.internal') throw error;
    return { kind: 'failed', message: messageOf(error) };
  }
}

function parseDialect(name: string | undefined): ShapeDialect | undefined {
  if (name === undefined) return undefined;
  const dialect = dialectNamed(name);
  if (dialect !== undefined) return dialect;
  throw unknown('dialect', name, dialectNames);
}

function parseMode(name: string): ShapeMode {
  const mode = MODES.find((known) => known === name);
  if (mode !== undefined) return mode;
  throw unknown('mode', name, MODES);
}

function unknown(option: string, name: string, names: readonly string[]): HarnessError {
  const near = nearestName(name, names);
  const hint = near === undefined ? `one of ${names.join(', ')}` : `did you mean "${near}"?`;
  return new HarnessError('usage', `--${option} "${name}" is unknown; ${hint}`);
}

function casesResult(
  settled: Settled<readonly CaseOutcome[]>,
  json: boolean,
): ValidateCommandResult {
  if (settled.kind === 'failed') {
    const { message } = settled;
    return {
      exitCode: 2,
      output: json ? jsonOutput({ error: message }) : visible(`error: ${message}`),
    };
  }
  const outcomes = settled.value;
  const different = outcomes.filter((outcome) => outcome.kind === 'different');
  const broken = outcomes.filter((outcome) => outcome.kind === 'broken');
  const asLabelled = outcomes.length - different.length - broken.length;
  const exitCode = broken.length > 0 ? 2 : different.length > 0 ? 100 : 0;
  if (json) {
    const report = { cases: outcomes.length, asLabelled, different, broken };
    return { exitCode, output: jsonOutput(report) };
  }
  const lines = [
    ...different.map(({ file, detail }) => `${file}: ${detail}`),
    ...broken.map(({ detail }) => `error: ${detail}`),
    `${asLabelled} of ${counted(outcomes.length, 'case')} as labelled` +
      `, ${different.length} different, ${broken.length} broken`,
  ];
  return { exitCode, output: lines.map(visible).join('\n') };
}

function listsResult(
  lists: readonly CheckedList[],
  unreadable: readonly string[],
  skipped: readonly string[],
  json: boolean,
): ValidateCommandResult {
  const errors = countOf(lists, 'error');
  const warnings = countOf(lists, 'warning');
  const exitCode = unreadable.length > 0 ? 2 : errors > 0 ? 100 : 0;
  if (json) {
    const files = lists.map((list) => ({ ...list, violations: violationsAsJson(list) }));
    return {
      exitCode,
      output: jsonOutput({ files, errors, warnings, unreadable, skipped }),
    };
  }
  const lines = [
    ...lists.flatMap(describeList),
    ...unreadable.map((message) => `error: ${message}`),
    ...skipped.map((message) => `skipped: ${message}`),
    `${counted(lists.length, 'list')} checked: ${counted(errors, 'error')}, ` +
      `${counted(warnings, 'warning')}, ${counted(unreadable.length, 'unreadable file')}`,
  ];
  return { exitCode, output: lines.map(visible).join('\n') };
}
