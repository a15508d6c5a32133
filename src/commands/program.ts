import type { CAC, Command } from 'cac';
import { HarnessError, nearestName } from '../errors.ts';
import { freeValues, joinValues } from './arguments.ts';
import { comparisonOptions } from './comparison-options.ts';
import { buildProgram } from './definitions.ts';
import type { DocsOptions } from './docs.ts';
import type { Environment } from './environment.ts';
import type { ExpandOptions } from './expand.ts';
import { type GateOptions, gateOptions } from './gate-options.ts';
import { type ImportOptions, importOptions } from './import/options.ts';
import type { ImportRewardsOptions } from './import-rewards.ts';
import { type MergeOptions, mergeOptions } from './merge/options.ts';
import { refuseTakenByNpm } from './npm-options.ts';
import type { PublishResultsOptions } from './publish-results.ts';
import type { RecordFixturesOptions } from './record-fixtures.ts';
import { type ReportOptions, reportOptions } from './report/options.ts';
import { type ShowOptions, showOptions } from './show-options.ts';
import { type StubServerCommandOptions, stubServerOptions } from './stub-server.ts';
import { type SweepOptions, sweepOptions } from './sweep-options.ts';
import type { ValidateCommandOptions } from './validate.ts';
import { type WorkerCommandOptions, workerOptions } from './worker/options.ts';

/** What a command line asks for. */
export type Invocation =
  | { readonly kind: 'sweep'; readonly options: SweepOptions }
  | { readonly kind: 'merge'; readonly options: MergeOptions }
  | { readonly kind: 'worker'; readonly options: WorkerCommandOptions }
  | { readonly kind: 'expand'; readonly options: ExpandOptions }
  | { readonly kind: 'record-fixtures'; readonly options: RecordFixturesOptions }
  | { readonly kind: 'show'; readonly options: ShowOptions }
  | { readonly kind: 'stub-server'; readonly options: StubServerCommandOptions }
  | { readonly kind: 'validate'; readonly options: ValidateCommandOptions }
  | { readonly kind: 'gate'; readonly options: GateOptions }
  | { readonly kind: 'import'; readonly options: ImportOptions }
  | { readonly kind: 'import-rewards'; readonly options: ImportRewardsOptions }
  | { readonly kind: 'publish-results'; readonly options: PublishResultsOptions }
  | { readonly kind: 'report'; readonly options: ReportOptions }
  | { readonly kind: 'docs'; readonly options: DocsOptions }
  | { readonly kind: 'version' }
  /** `show` prints the help to stdout; `command` is missing for that of the program. */
  | { readonly kind: 'help'; readonly command: string | undefined; readonly show: () => void };

/**
 * Reads a command line, program name left out. Runs nothing.
 * Throws HarnessError `usage` for an unknown command or option, a missing or a wrong value, and for an
 * option that npm took away, which only the environment variables tell.
 */
export function parseArguments(
  words: readonly string[],
  variables: Environment['variables'] = {},
): Invocation {
  const program = buildProgram();
  const [name, ...rest] = words[0] === 'help' ? [...words.slice(1, 2), '--help'] : words;
  if (name === '--version' || name === '-v') return { kind: 'version' };
  if (name === undefined || name === '--help' || name === '-h') {
    return { kind: 'help', command: undefined, show: () => program.outputHelp() };
  }
  const command = program.commands.find((known) => known.isMatched(name));
  if (command === undefined) throw unknownCommand(name, program);
  refuseTakenByNpm(command, variables);
  const joined = joinValues(rest, command);
  // cac expects what a process is given: an interpreter and a script come first.
  const { options, args } = program.parse(['', '', name, ...joined], { run: false });
  if (options.help === true || (name === 'sweep' && rest.length === 0)) {
    return { kind: 'help', command: name, show: () => command.outputHelp() };
  }
  check(command);
  return invocation(name, freeValues(options), args);
}

function invocation(
  name: string,
  options: Readonly<Record<string, unknown>>,
  words: readonly string[],
): Invocation {
  switch (name) {
    case 'sweep':
      return { kind: 'sweep', options: sweepOptions(options) };
    case 'merge':
      return { kind: 'merge', options: mergeOptions(words, options) };
    case 'worker':
      return { kind: 'worker', options: workerOptions(options) };
    case 'expand': {
      const [hash = ''] = words;
      const [run, out, nested] = [text(options.run), text(options.out), options.nested === true];
      return { kind: 'expand', options: { hash, run, out, nested } };
    }
    case 'show': {
      const [task = ''] = words;
      return { kind: 'show', options: showOptions(task, options) };
    }
    case 'stub-server':
      return { kind: 'stub-server', options: stubServerOptions(options) };
    case 'record-fixtures': {
      const out = text(options.out);
      const check = options.check === true;
      const folder = out === undefined ? {} : { out };
      return { kind: 'record-fixtures', options: { ...folder, check, tasks: words } };
    }
    case 'docs':
      return { kind: 'docs', options: { check: options.check === true } };
    case 'validate':
      return {
        kind: 'validate',
        options: {
          paths: words,
          json: options.json === true,
          ...given('cases', text(options.cases)),
          ...given('dialect', text(options.dialect)),
          ...given('mode', text(options.mode)),
        },
      };
    case 'report':
      return { kind: 'report', options: reportOptions(words, options) };
    case 'gate':
      return { kind: 'gate', options: gateOptions(options) };
    case 'import':
      return { kind: 'import', options: importOptions(words, options) };
    case 'import-rewards': {
      const [file = ''] = words;
      const [run, json] = [text(options.run), options.json === true];
      const configs = [options.config ?? []].flat().map(String);
      return {
        kind: 'import-rewards',
        options: { ...comparisonOptions(options), file, run, configs, json },
      };
    }
    case 'publish-results':
      return {
        kind: 'publish-results',
        options: {
          ...comparisonOptions(options),
          run: text(options.run),
          rewards: text(options.rewards),
          name: text(options.name),
          out: text(options.out),
          force: options.force === true,
        },
      };
    default:
      throw new HarnessError('harness.internal', `command ${name} has no options`);
  }
}

function given<Key extends string>(key: Key, value: string | undefined): { [K in Key]?: string } {
  const entry: { [K in Key]?: string } = {};
  if (value !== undefined) entry[key] = value;
  return entry;
}

function text(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new HarnessError('usage', 'an option was given more than once: give it once');
}

/** cac's own checks: values that are missing, words that nothing takes. */
function check(command: Command): void {
  try {
    command.checkOptionValue();
    command.checkRequiredArgs();
    command.checkUnusedArgs();
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    const [word] = command.cli.args;
    const meant =
      command.name === 'sweep' && word !== undefined ? `; did you mean --config ${word}?` : '';
    const message = `${said}${meant} (npm run ${command.name} -- --help)`;
    throw new HarnessError('usage', message, { cause });
  }
}

function unknownCommand(name: string, program: CAC): HarnessError {
  const names = program.commands.map((command) => command.name);
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return new HarnessError(
    'usage',
    `no command ${name}; expected one of ${names.join(', ')}${hint}`,
  );
}
