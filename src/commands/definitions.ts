import { type CAC, type Command, cac } from 'cac';
import { asInvoked } from './as-invoked.ts';
import { BASELINE, DEFAULT_TRANSCRIPTS, RESULTS_FOLDER, RUNS_FOLDER } from './defaults.ts';
import { wrapHelp } from './help-text.ts';
import { MISBEHAVE_HEADER } from './stub-server/misbehaviour.ts';
import { executors } from './sweep-executor-options.ts';
import { missRules, modelModes, offlineModes } from './sweep-model-options.ts';

/** The commands and their options, as the help shows them. */
export function buildProgram(): CAC {
  const program = cac('npm run');
  addSweep(program);
  addMerge(program);
  addWorker(program);
  addExpand(program);
  addShow(program);
  addValidate(program);
  addGate(program);
  addImport(program);
  addImportRewards(program);
  addPublishResults(program);
  addReport(program);
  addRecordFixtures(program);
  addStubServer(program);
  addDocs(program);
  program.help((sections) => {
    // cac shows no command's description, and the default of an option that turns something off.
    const usage = sections.find(({ title }) => title === 'Usage')?.body ?? '';
    const command = program.commands.find(({ name }) => usage.includes(` run ${name} -- `));
    const about =
      command?.description ?? 'Replays recorded agent transcripts through context compaction.';
    const shown = sections
      .slice(1)
      .filter(({ title }) => title?.startsWith('For more info') !== true)
      .map(({ title = '', body }) => ({
        title,
        body: asInvoked(wrapExamples(title, body.replace(/ +\(default: true\)| +$/gm, ''))),
      }));
    return [{ body: wrapHelp(about) }, ...shown];
  });
  // Whoever reads the invocation shows the help, once.
  program.showHelpOnExit = false;
  return program;
}

/** What is to be copied stays one line. */
function wrapExamples(title: string, body: string): string {
  return title === 'Examples' ? body : wrapHelp(body);
}

function addSweep(program: CAC): void {
  program
    .command(
      'sweep',
      'Replays recorded transcripts through compaction configs and writes one CSV row for each pair.',
    )
    .usage('sweep -- --config NAME [options]')
    .option('--config <...names>', 'Configs of sweeps/ by name, or YAML files; all for every one')
    .option('--set <...pairs>', 'KEY=V1,V2: one config for each value (combinations of several)')
    .option('--transcripts <...paths>', `Files, folders, quoted globs (${DEFAULT_TRANSCRIPTS})`)
    .option('--format <name>', 'Format of the recordings (auto)')
    .option('--model <mode>', `Whom components ask: ${modelModes.join(', ')} (stub)`)
    .option('--cassette <file>', 'Where record keeps the answers, and replay finds them')
    .option(
      '--on-miss <rule>',
      `Replay of a call that is not there: ${missRules.join(', ')} (error)`,
    )
    .option('--concurrency <n>', 'Model calls at once to one endpoint (4)')
    .option('--max-usd <usd>', 'Stop before a call that could take what this start spends past it')
    .option('--prices <file>', 'Prices that go before those of the built-in table')
    .option('--agreement <n>', 'Requests of each cell at which the next action is asked for (0)')
    .option('--probes <n>', 'Dropped spans of each cell that are asked about (0)')
    .option('--agreement-seed <n>', 'Another choice of these requests and spans (0)')
    .option('--assume-model <name>', 'Model of recordings that name none')
    .option('--tokenizer <name>', 'o200k_base, cl100k_base (o200k_base)')
    .option('--samples <n>', 'Repetitions of each cell (1)')
    .option('--jobs <n>', 'Transcripts at once (one for each processor)')
    .option('--workers <n>', 'Threads that measure (where there is much to do, one for each job)')
    .option('--no-guard', 'Keep rewrites that break a provider rule')
    .option('--controls', 'Add the controls of equal budget to every config')
    .option('--expand <mode>', 'on: the agent has the expand tool and uses it (off)')
    .option('--shard <i/n>', 'Run only part i of n; npm run merge puts the parts together (all)')
    .option('--executor <name>', `Where cells are measured: ${executors.join(', ')} (local)`)
    .option('--redis <url>', 'With bullmq: the Redis that the workers are at (REDIS_URL)')
    .option('--send <how>', 'With bullmq: content of transcripts, or path, read there (content)')
    .option('--resume [run]', 'Go on with a CSV, or with the newest run of the same selection')
    .option('--out <folder>', `Where the run is written (${RUNS_FOLDER})`)
    .option('--name <name>', 'Name in the file names (the configs)')
    .option('--list', 'Print the configs and the number of cells, run nothing')
    .option('--dry-run', 'As --list, with the tokens, the model calls and the estimated spend')
    .option('--json', 'Print a summary as JSON; progress goes to stderr')
    .example('  npm run sweep -- --config cg-summarize')
    .example("  npm run sweep -- --config all --transcripts 'my-recordings/**/*.jsonl'")
    .example('  npm run sweep -- --config cg-summarize --set components.summarize.keep_last=1,3,5')
    .example('  npm run sweep -- --config cg-summarize --list')
    .example('  npm run sweep -- --config cg-summarize --model live --max-usd 5 --dry-run')
    .example('  npm run sweep -- --config cg-summarize --model record --cassette answers.jsonl');
}

function addMerge(program: CAC): void {
  program
    .command('merge [...shards]', 'Puts the shards of a sweep together, once they are one whole.')
    .usage('merge -- SHARD.csv… [options]')
    .option('--out <folder>', `Where the run is written (${RUNS_FOLDER})`)
    .option('--name <name>', 'Name in the file names (the configs)')
    .option('--allow-failed', 'Accept shards with cells that failed')
    .option('--json', 'Print the result as JSON')
    .example('  npm run merge -- shards/*.csv');
}

function addWorker(program: CAC): void {
  program
    .command('worker', 'Measures cells of sweeps that run with --executor bullmq.')
    .usage('worker -- [options]')
    .option('--redis <url>', 'redis://[user:password@]host[:port][/db] (REDIS_URL)')
    .option('--jobs <n>', 'Jobs at once; more than one helps where models are asked (1)')
    .option('--stalled <s>', 'Seconds without a sign of life until others take a job over (60)')
    .example('  npm run worker -- --redis redis://127.0.0.1:6379');
}

function addExpand(program: CAC): void {
  program
    .command('expand <hash>', 'Prints the exact content that a marker <<cg:HASH>> stands for.')
    .usage('expand -- HASH [options]')
    .option('--run <csv>', 'CSV of the run (the newest)')
    .option('--out <folder>', `Where the runs are (${RUNS_FOLDER})`)
    .option('--nested', 'Resolve the markers inside of the content as well')
    .example('  npm run expand -- 0123456789abcdef')
    .example('  npm run expand -- 0123456789abcdef --run results/runs/NAME.csv');
}

function addShow(program: CAC): void {
  program
    .command('show <task>', 'Shows what a config does to one recording, or to one request of it.')
    .usage('show -- TASK --config NAME [options]')
    .option('--config <name>', 'Config of sweeps/ by name, or a YAML file')
    .option('--set <...pairs>', 'KEY=VALUE: another value of the config')
    .option('--request <k>', 'Before and after of this request, from 0 (figures of the whole)')
    .option('--block <m>', 'With --request: the text of message M, or of its block M.B')
    .option('--transcripts <...paths>', `Files, folders, quoted globs (${DEFAULT_TRANSCRIPTS})`)
    .option('--trial <name>', 'Trial of the task (the first)')
    .option('--lineage <name>', 'Lineage of the session (the first)')
    .option('--model <mode>', `Whom components ask: ${offlineModes.join(', ')} (stub)`)
    .option('--expand <mode>', 'on: the agent has the expand tool and uses it (off)')
    .option('--no-redact', 'Show API keys, tokens, passwords and private keys as recorded')
    .option('--json', 'Print everything as JSON')
    .example('  npm run show -- parse-subtitle-cues --config cg-summarize')
    .example('  npm run show -- parse-subtitle-cues --config cg-summarize --request 9')
    .example('  npm run show -- parse-subtitle-cues --config cg-mask --request 9 --block 4')
    .example("  npm run show -- TASK --config cg-mask --transcripts 'my-recordings/**/*.jsonl'");
}

function addValidate(program: CAC): void {
  program
    .command('validate [...paths]', 'Tells whether message lists could be sent to their provider.')
    .usage('validate -- FILE|DIR… [options]')
    .option('--dialect <name>', 'Dialect of a request body or list that does not show its own')
    .option('--mode <name>', 'sendable, or prefix: cut in flight (sendable)')
    .option('--cases <folder>', 'Compare labelled cases with what the oracle says of them')
    .option('--json', 'Print the violations as JSON')
    .example('  npm run validate -- request.json')
    .example('  npm run validate -- fixtures/transcripts --mode prefix');
}

function addGate(program: CAC): void {
  program
    .command('gate', 'Stops a change that makes a request unsendable or loses savings or reward.')
    .usage('gate -- [options]')
    .option('--runs <n>', 'Runs of the contract suite for each component (of sweeps/gate.yaml)')
    .option('--seed <n>', 'Only this seed, to repeat a finding (a fixed one and a fresh one)')
    .option('--component <path>', 'Hold only this component of your own to the contract suite')
    .option('--transcripts <...paths>', `Recordings to replay (${DEFAULT_TRANSCRIPTS})`)
    .option('--part <name>', 'contract, cells or all (all)')
    .option('--config <...names>', 'Only these configs (all)')
    .option('--dialect <...names>', 'Only these dialects (all five)')
    .option('--snapshot <file>', 'Snapshot to compare with (results/gate/snapshot.csv)')
    .option('--update', 'Write the snapshot that later runs are held against')
    .option('--strict', 'Exit 3 where a figure is inconclusive')
    .option('--junit <file>', 'Write the findings as JUnit XML')
    .option('--github', 'Print the findings as GitHub annotations')
    .option('--json', 'Print the findings as JSON')
    .example('  npm run gate')
    .example('  npm run gate -- --runs 20000')
    .example('  npm run gate -- --seed 1234567');
}

/** Options of everything that compares rewards. */
function withComparison(command: Command): Command {
  return command
    .option('--baseline <name>', `Config to compare with (${BASELINE})`)
    .option('--margin <points>', 'Largest loss of reward that is accepted, in points (2)')
    .option('--missing <rule>', 'A missing outcome: loss, or drop (loss)')
    .option('--columns <...pairs>', 'COLUMN=HEADER where a table of rewards has other headers');
}

function addImport(program: CAC): void {
  program
    .command(
      'import [...files]',
      'Writes recordings of any format as normalized JSONL, or lists them.',
    )
    .usage('import -- FILE|DIR… --out DIR | --list [options]')
    .option('--list', 'Show what is there, write nothing')
    .option('--out <folder>', 'Where the transcripts are written, a file each')
    .option('--format <name>', 'Format of the recordings (auto)')
    .option('--loss', 'Also what became of the records of each file')
    .option('--redact', 'Replace API keys, tokens, passwords and private keys by placeholders')
    .option('--redact-home', 'As --redact, and names of users by their home directories')
    .option('--redact-key <file>', 'Key of the placeholders, for the same ones again (a fresh one)')
    .option('--force', 'Replace files of another content')
    .option('--json', 'Print it as JSON')
    .example('  npm run import -- --list ~/.claude/projects')
    .example('  npm run import -- ~/.codex/sessions --out my-recordings --redact-home');
}

function addImportRewards(program: CAC): void {
  const command = program
    .command(
      'import-rewards <file>',
      'Compares rewards of live runs (task, config, reward) as pairs.',
    )
    .usage('import-rewards -- FILE.csv [options]')
    .option('--run <csv>', 'CSV of an offline run to join by task, trial and config (none)')
    .option('--config <...names>', 'Compare only these configs with the baseline (all)');
  withComparison(command)
    .option('--json', 'Print the figures as JSON')
    .example('  npm run import-rewards -- rewards.csv --baseline raw')
    .example('  npm run import-rewards -- runs.csv --columns task=instance_id,reward=outcome');
}

function addPublishResults(program: CAC): void {
  const command = program
    .command('publish-results', 'Turns a run into a dated snapshot and the page results/README.md.')
    .usage('publish-results -- [options]')
    .option('--run <csv>', `CSV of the run (the newest in ${RUNS_FOLDER})`)
    .option('--rewards <csv>', 'Rewards of live runs: beside --run, or without it by themselves')
    .option('--name <name>', 'Name of the snapshot (that of the run)')
    .option('--out <folder>', `Where the snapshots and the page are (${RESULTS_FOLDER})`)
    .option('--force', 'Publish what would be refused; the page says so');
  withComparison(command)
    .example('  npm run publish-results')
    .example('  npm run publish-results -- --run results/runs/NAME.csv --name nightly')
    .example('  npm run publish-results -- --rewards rewards.csv');
}

function addReport(program: CAC): void {
  program
    .command('report [...runs]', 'Writes runs as one HTML file that opens offline.')
    .usage('report -- [RUN.csv…] [options]')
    .option('--out <file>', 'File of the report (beside the run)')
    .option('--markdown <file>', 'Also a summary for a pull request; - for standard output')
    .option('--svg <folder>', 'Also each chart as an SVG file')
    .option('--parquet <file>', 'Also the rows, and one line a request in *.requests.parquet')
    .option('--baseline <name>', `Config to compare with (${BASELINE})`)
    .option('--margin <points>', 'Largest loss of reward that is accepted, in points (2)')
    .option('--no-redact', 'Show API keys, tokens, passwords and private keys as recorded')
    .option('--json', 'Print what was written, and the figures, as JSON')
    .example('  npm run report')
    .example('  npm run report -- results/runs/NAME.csv --out report.html')
    .example('  npm run report -- --markdown summary.md --svg charts')
    .example('  npm run report -- --parquet rows.parquet');
}

function addRecordFixtures(program: CAC): void {
  program
    .command(
      'record-fixtures [...tasks]',
      'Records the fixture transcripts and their cassette again.',
    )
    .usage('record-fixtures -- [TASK…] [options]')
    .option('--check', 'Compare with what is there, write nothing')
    .option('--out <folder>', `Where the transcripts are (${DEFAULT_TRANSCRIPTS})`)
    .example('  npm run record-fixtures -- --check');
}

function addDocs(program: CAC): void {
  program
    .command('docs', 'Writes the pages of docs/ that are made from the code.')
    .usage('docs -- [options]')
    .option('--check', 'Compare with what is there, write nothing')
    .example('  npm run docs -- --check');
}

function addStubServer(program: CAC): void {
  program
    .command('stub-server', 'Serves the stub model behind the Anthropic and OpenAI wires.')
    .usage('stub-server -- [options]')
    .option('--port <n>', 'Port on 127.0.0.1; 0 for any that is free (0)')
    .option('--model <name>', 'stub, or stub-vague (stub)')
    .option('--key <key>', 'Key that clients must send (none)')
    .option('--fail <steps>', 'How the first requests are treated: 429:2,529,slow:500,drop,ok*3,…')
    .option('--prompt-cache', 'Report what a prompt cache would have read and written')
    .example('  npm run stub-server -- --port 8787')
    .example(`  curl -H '${MISBEHAVE_HEADER}: 529' -d @body.json 127.0.0.1:8787/v1/messages`);
}
