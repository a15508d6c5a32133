import { listDocuments } from '../compaction/preset.ts';
import { HarnessError } from '../errors.ts';
import { visible } from '../text/visible.ts';
import { asInvoked } from './as-invoked.ts';
import { docs } from './docs.ts';
import type { Environment, ExitCode } from './environment.ts';
import { expand } from './expand.ts';
import { recordFixtureCassette } from './fixtures/cassette.ts';
import { gate } from './gate.ts';
import { wrapHelp } from './help-text.ts';
import { importRecordings } from './import.ts';
import { importRewards } from './import-rewards.ts';
import { merge } from './merge.ts';
import { type Invocation, parseArguments } from './program.ts';
import { configFolders, provenance } from './project.ts';
import { publishResults } from './publish-results.ts';
import { type RecordFixturesOptions, recordFixtures } from './record-fixtures.ts';
import { show } from './show.ts';
import { stubServer } from './stub-server.ts';
import { sweep } from './sweep.ts';
import { type ValidateCommandOptions, validateCommand } from './validate.ts';

/**
 * Runs what a command line asks for, program name left out. Never rejects: what goes wrong is told on
 * stderr, and the exit code says whose fault it is (1 the harness's, 2 the input's).
 */
export async function runCommandLine(
  words: readonly string[],
  environment: Environment,
): Promise<ExitCode> {
  try {
    return await run(parseArguments(words, environment.variables), environment);
  } catch (error) {
    const { stderr } = environment;
    if (error instanceof HarnessError) {
      const lines = asInvoked(error.describe()).split('\n').map(visible);
      stderr.write(`error: ${lines.join('\n')}\n`);
      return error.code.startsWith('harness.') ? 1 : 2;
    }
    const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
    stderr.write(`error: the harness failed, which is a bug in it:\n${trace}\n`);
    return 1;
  }
}

async function run(invocation: Invocation, environment: Environment): Promise<ExitCode> {
  switch (invocation.kind) {
    case 'sweep':
      return sweep(invocation.options, environment);
    case 'merge':
      return merge(invocation.options, environment);
    case 'worker': {
      // A driver of Redis that no other command needs.
      const { worker } = await import('./worker.ts');
      return worker(invocation.options, environment);
    }
    case 'expand':
      return expand(invocation.options, environment);
    case 'show':
      return show(invocation.options, environment);
    case 'validate':
      return validate(invocation.options, environment);
    case 'gate':
      return gate(invocation.options, environment);
    case 'import':
      return importRecordings(invocation.options, environment);
    case 'import-rewards':
      return importRewards(invocation.options, environment);
    case 'publish-results':
      return publishResults(invocation.options, environment);
    case 'report': {
      // Charts take a while to load, and no other command draws any.
      const { report } = await import('./report.ts');
      return report(invocation.options, environment);
    }
    case 'stub-server':
      return stubServer(invocation.options, environment);
    case 'record-fixtures':
      return record(invocation.options, environment);
    case 'docs':
      return docs(invocation.options, environment);
    case 'version': {
      const { stdout, nodeVersion } = environment;
      const { versions } = await provenance(nodeVersion);
      stdout.write(`compaction-harness ${versions.harness}, Node ${versions.node}\n`);
      return 0;
    }
    case 'help':
      return help(invocation, environment);
  }
}

async function validate(
  options: ValidateCommandOptions,
  { cwd, stdout }: Environment,
): Promise<ExitCode> {
  const { exitCode, output } = await validateCommand({ ...options, cwd });
  stdout.write(`${output}\n`);
  return exitCode;
}

async function record(options: RecordFixturesOptions, environment: Environment): Promise<ExitCode> {
  const { stdout } = environment;
  const { ok, lines } = await recordFixtures(options);
  for (const line of lines) stdout.write(`${line}\n`);
  // The cassette is that of all tasks of the project.
  const isWhole = options.out === undefined && (options.tasks ?? []).length === 0;
  if (!ok || !isWhole) return ok ? 0 : 1;
  const cassette = await recordFixtureCassette(options.check === true, environment);
  stdout.write(`${cassette.line}\n`);
  return cassette.ok ? 0 : 1;
}

async function help(
  { command, show }: Invocation & { readonly kind: 'help' },
  { cwd, stdout }: Environment,
): Promise<ExitCode> {
  show();
  if (command !== 'sweep') return 0;
  const documents = await listDocuments(configFolders(cwd));
  stdout.write('\nConfigs:\n');
  for (const { name, about } of documents) {
    stdout.write(`${wrapHelp(`  ${name}`)}\n${wrapHelp(`    ${about}`)}\n`);
  }
  const start = asInvoked('npm run sweep -- --config cg-summarize');
  stdout.write(`\nTo begin, with the recordings that come with it:\n  ${start}\n`);
  return 0;
}
