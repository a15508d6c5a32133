import { execFile } from 'node:child_process';
import { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { GateFinding } from '../../report/gate.ts';

const report = z.object({
  seed: z.number(),
  runs: z.number(),
  seconds: z.number(),
  cells: z.array(
    z.looseObject({
      component: z.string(),
      dialect: z.string(),
      valid: z.number(),
      fired: z.number(),
      failure: z
        .looseObject({
          property: z.string(),
          message: z.string(),
          counterexample: z.string(),
          replay: z.string(),
        })
        .optional(),
    }),
  ),
});

export interface ContractPart {
  readonly seed: number;
  readonly runs: number;
  readonly seconds: number;
  /** `component: fired 61–98 % over 5 dialects`, one a component. */
  readonly lines: readonly string[];
  readonly findings: readonly GateFinding[];
}

/** The suite stands with the tests; it runs in a process of its own, so that nothing of it is in the product. */
const SUITE = 'test/support/contract/run.ts';

/** Exit code of the suite for a component that it cannot find or load. */
const BAD_INPUT = 2;

/** Runs the contract suite with one seed. A suite that cannot run is a finding, never a silent pass. */
export async function runContract(
  root: string,
  options: { readonly runs: number; readonly seed: number; readonly component: string | undefined },
): Promise<ContractPart> {
  const { runs, seed, component } = options;
  const words = [
    '--import',
    'tsx',
    SUITE,
    '--runs',
    String(runs),
    '--seed',
    String(seed),
    '--json',
  ];
  if (component !== undefined) words.push('--component', component);
  const { stdout, stderr, code } = await run(root, words);
  if (code === BAD_INPUT) throw new HarnessError('config.component', stderr.trim());
  const parsed = report.safeParse(jsonOf(stdout));
  if (!parsed.success) {
    const message = `the contract suite did not run: ${(stderr || stdout).trim().slice(0, 400)}`;
    const finding: GateFinding = { severity: 'fail', check: 'contract', subject: SUITE, message };
    return { seed, runs, seconds: 0, lines: [], findings: [finding] };
  }
  const { cells, seconds } = parsed.data;
  const findings = cells.flatMap(({ component: name, dialect, failure }): GateFinding[] => {
    if (failure === undefined) return [];
    const { property, message, counterexample, replay } = failure;
    const text = `${property}: ${message}\n${counterexample}\nagain: ${replay}`;
    return [
      { severity: 'fail', check: 'contract', subject: `${name} · ${dialect}`, message: text },
    ];
  });
  return { seed, runs, seconds, lines: firedLines(cells), findings };
}

function firedLines(cells: z.infer<typeof report>['cells']): string[] {
  const names = [...new Set(cells.map(({ component }) => component))];
  return names.map((name) => {
    const own = cells.filter(({ component }) => component === name);
    const shares = own.map(({ fired, valid }) => (valid === 0 ? 0 : (100 * fired) / valid));
    const [least, most] = [Math.min(...shares), Math.max(...shares)].map(Math.round);
    return `${name}: fired in ${least}–${most} % of the runs over ${own.length} dialects`;
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function run(
  cwd: string,
  words: readonly string[],
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: unknown }> {
  return new Promise((resolve) => {
    // Exit code 100 says that a property failed, which the document says as well.
    execFile('node', [...words], { cwd, maxBuffer: 1 << 28 }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, code: error?.code ?? 0 }),
    );
  });
}
