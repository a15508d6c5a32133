import { resolve } from 'node:path';
import { catalog } from '../compaction/catalog.ts';
import type { Config } from '../compaction/config.ts';
import { loadConfigs } from '../compaction/preset.ts';
import { HarnessError } from '../errors.ts';
import {
  type GateFinding,
  judgeAgainstSnapshot,
  judgeGone,
  judgeRewards,
  judgeShapes,
  type SnapshotCell,
} from '../report/gate.ts';
import { allDialects } from '../sweep/translated.ts';
import { pushAll } from '../text/long-lists.ts';
import { visible } from '../text/visible.ts';
import { writeWhole } from '../text/write-whole.ts';
import type { DialectName } from '../transcript/message.ts';
import { asInvoked } from './as-invoked.ts';
import { BASELINE, DEFAULT_TRANSCRIPTS } from './defaults.ts';
import type { Environment, ExitCode } from './environment.ts';
import { runCells } from './gate/cells.ts';
import { runContract } from './gate/contract.ts';
import { type GateReport, gatePage, githubLines, junitXml } from './gate/output.ts';
import { readSnapshot, writeSnapshot } from './gate/snapshot.ts';
import { type GateThresholds, readThresholds } from './gate/thresholds.ts';
import type { GateOptions } from './gate-options.ts';
import { jsonOutput } from './json-output.ts';
import { oneOf } from './option-values.ts';
import { configFolders, gateFile, isInstalled, projectPath } from './project.ts';
import { shellWord } from './shell-words.ts';
import { dialectNamed } from './validate/dialect-name.ts';

const SNAPSHOT = 'results/gate/snapshot.csv';

/**
 * `gate`: the contract suite with a fixed and a fresh seed, and every recording through every config in
 * every dialect, held against the thresholds of `sweeps/gate.yaml` and the committed snapshot.
 * @returns 0; 100 when something failed; 3 when something is inconclusive under `--strict`.
 */
export async function gate(options: GateOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, stdout } = environment;
  const thresholds = await readThresholds(gateFile(cwd));
  const findings: GateReport['findings'][number][] = [];
  const lines: string[] = [];
  // What is wrong with the cells' options is told before the contract suite takes its minutes.
  const plan = await planCells(options, cwd);
  if (options.part !== 'cells')
    await contractPart(options, thresholds, environment, findings, lines);
  if (plan !== undefined) {
    await cellsPart(options, plan, thresholds, environment, findings, lines);
  }
  const report = { findings, lines };
  if (options.junit !== undefined) {
    const elsewhere = 'choose another --junit';
    await writeWhole(resolve(cwd, options.junit), junitXml(report), { elsewhere });
  }
  if (options.github) stdout.write(githubLines(report));
  stdout.write(options.json ? `${jsonOutput(report)}\n` : gatePage(report));
  if (findings.some(({ severity }) => severity === 'fail')) return 100;
  const open = findings.some(({ severity }) => severity === 'inconclusive');
  return open && options.strict ? 3 : 0;
}

async function contractPart(
  options: GateOptions,
  { contract }: GateThresholds,
  { cwd, now, stderr }: Environment,
  findings: GateReport['findings'][number][],
  lines: string[],
): Promise<void> {
  if (isInstalled) {
    const message = 'the contract suite stands with the tests and is not in the package';
    if (options.part === 'contract' || options.component !== undefined) {
      const what = `${message}: run it in a checkout of the harness`;
      throw new HarnessError('usage', what);
    }
    stderr.write(`notice: ${message}; only the cells are checked\n`);
    return;
  }
  const runs = options.runs ?? contract.runs;
  const subject = componentOf(options.component, cwd);
  const fresh = Math.floor(now()) % 2_147_483_647;
  const seeds = options.seed === undefined ? [contract.seed, fresh] : [options.seed];
  for (const seed of seeds) {
    stderr.write(`contract suite: seed ${seed}, ${runs} runs a component\n`);
    const part = await runContract(resolve(cwd, projectPath(cwd, '.')), {
      runs,
      seed,
      component: subject,
    });
    lines.push(`contract suite: seed ${seed}, ${part.runs} runs a component, ${part.seconds} s`);
    pushAll(
      lines,
      part.lines.map((line) => `  ${line}`),
    );
    const component = options.component === undefined ? '' : ` --component ${options.component}`;
    const command = asInvoked(
      `npm run gate -- --part contract --seed ${seed} --runs ${runs}${component}`,
    );
    pushAll(
      findings,
      part.findings.map((finding) => ({ ...finding, command })),
    );
  }
}

/** The suite runs in the project's folder, so a file is given whole. */
function componentOf(component: string | undefined, cwd: string): string | undefined {
  if (component === undefined) return undefined;
  if (/[\\/]|\.[cm]?[jt]s$/.test(component)) return resolve(cwd, component);
  return oneOf('component', component, [...catalog.keys()]);
}

interface CellsPlan {
  readonly configs: readonly Config[];
  readonly dialects: readonly DialectName[];
  readonly file: string;
  /** Undefined where there is none, or it is to be written anew. */
  readonly snapshot: readonly SnapshotCell[] | undefined;
}

/** What the cells are measured with; undefined where none are asked for. */
async function planCells(options: GateOptions, cwd: string): Promise<CellsPlan | undefined> {
  if (options.part === 'contract') return undefined;
  if (options.component !== undefined) {
    if (options.part !== 'cells') return undefined;
    const message =
      '--component is for the contract suite, which --part cells leaves out: drop one';
    throw new HarnessError('usage', message);
  }
  const named = options.configs.length > 0 ? options.configs : ['all'];
  const { configs } = await loadConfigs({
    names: [BASELINE, ...named.filter((name) => name !== BASELINE)],
    sets: [],
    folder: configFolders(cwd),
  });
  const dialects = dialectsOf(options.dialects);
  const file = resolve(cwd, options.snapshot ?? projectPath(cwd, SNAPSHOT));
  const snapshot = options.update ? undefined : await readSnapshot(file);
  if (options.snapshot !== undefined && !options.update && snapshot === undefined) {
    const message = 'there is no snapshot to compare with; --update writes one';
    throw new HarnessError('input.missing', message, { at: { file: options.snapshot } });
  }
  return { configs, dialects, file, snapshot };
}

async function cellsPart(
  options: GateOptions,
  { configs, dialects, file, snapshot }: CellsPlan,
  thresholds: GateThresholds,
  { cwd, stderr }: Environment,
  findings: GateReport['findings'][number][],
  lines: string[],
): Promise<void> {
  const patterns =
    options.transcripts.length > 0 ? options.transcripts : [projectPath(cwd, DEFAULT_TRANSCRIPTS)];
  stderr.write(
    `replaying ${visible(patterns.join(' '))} under ${configs.length} configs in ${dialects.length} dialects\n`,
  );
  const part = await runCells(patterns, configs, dialects, cwd, () => {});
  lines.push(
    `cells: ${part.cells.length} (${configs.length} configs, ${dialects.length} dialects)`,
  );
  const found: GateFinding[] = [...part.findings, ...judgeShapes(part.cells, thresholds.cells)];
  if (part.cells.length === 0) {
    const message = 'no cell was replayed, so nothing was proved';
    found.push({ severity: 'fail', check: 'cells', subject: patterns.join(' '), message });
  }
  if (options.update) {
    await writeSnapshot(file, part.cells);
    lines.push(`snapshot: ${part.cells.length} cells written to ${options.snapshot ?? SNAPSHOT}`);
  } else if (snapshot === undefined) {
    const message = asInvoked(
      'there is no snapshot to compare savings with: npm run gate -- --update',
    );
    found.push({ severity: 'notice', check: 'snapshot', subject: SNAPSHOT, message });
  } else {
    pushAll(found, judgeAgainstSnapshot(part.cells, snapshot, thresholds.cells));
    pushAll(found, judgeRewards(part.cells, snapshot, thresholds.cells));
    pushAll(found, judgeGone(part.cells, expectedCells(snapshot, options, { configs, dialects })));
  }
  for (const finding of found) findings.push({ ...finding, command: commandOf(finding, options) });
}

/** The cells of the snapshot that a run with these options measures, where nothing is gone. */
function expectedCells(
  snapshot: readonly SnapshotCell[],
  options: GateOptions,
  { configs, dialects }: Pick<CellsPlan, 'configs' | 'dialects'>,
): readonly SnapshotCell[] {
  // Other recordings than those of the committed snapshot: it does not say which of its cells are meant.
  if (options.transcripts.length > 0 && options.snapshot === undefined) return [];
  const names = options.configs.length > 0 ? new Set(configs.map(({ name }) => name)) : undefined;
  const spoken = new Set<string>(dialects);
  return snapshot.filter(
    ({ config, dialect }) =>
      (names === undefined || names.has(config)) &&
      (options.dialects.length === 0 || spoken.has(dialect)),
  );
}

/** The command that shows a finding again, and nothing else. */
function commandOf(
  { cell, severity, check }: GateFinding,
  { transcripts, snapshot }: GateOptions,
): string {
  if (severity === 'notice') return '';
  const files = transcripts.map(shellWord).join(' ');
  const recordings = files === '' ? '' : ` --transcripts ${files}`;
  const against = snapshot === undefined ? '' : ` --snapshot ${shellWord(snapshot)}`;
  const base = asInvoked(`npm run gate -- --part cells${recordings}${against}`);
  if (cell === undefined) return base;
  if (check === 'violations_recorded' && files !== '') {
    return asInvoked(`npm run validate -- ${files}`);
  }
  return `${base} --config ${shellWord(cell.config)} --dialect ${cell.dialect}`;
}

function dialectsOf(names: readonly string[]): readonly DialectName[] {
  if (names.length === 0) return allDialects;
  return names.map((name) => oneOf('dialect', dialectNamed(name) ?? name, allDialects));
}
