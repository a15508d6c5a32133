/**
 * Runs the contract suite outside of the test runner, for the gate:
 * `npx tsx test/support/contract/run.ts --runs N --seed S [--component NAME|FILE] [--dialect NAME] [--path PATH] [--json]`.
 * Prints one document; exit code 0, or 100 when a property does not hold.
 */
import { parseArgs } from 'node:util';
import { messageOf } from '../../../src/errors.ts';
import { dialectNames } from '../arbitraries/sessions.ts';
import { guardOnlyOfOwn } from './guard-only.ts';
import { ownSubject } from './own-subject.ts';
import { catalogSubjects } from './subjects.ts';
import { contractSuite, type SuiteResult } from './suite.ts';

const { values } = parseArgs({
  options: {
    /** Runs a component, spread over the dialects. */
    runs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    component: { type: 'string' },
    dialect: { type: 'string' },
    path: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

const start = performance.now();
const seed = Number(values.seed);
/** A file holds a component of a user's own; a name is one of the catalog. */
const own = /[\\/]|\.[cm]?[jt]s$/.test(values.component ?? '') ? values.component : undefined;
const subjects =
  own === undefined
    ? catalogSubjects().filter(
        ({ name }) => values.component === undefined || name === values.component,
      )
    : [
        await ownSubject(own).catch((error: unknown) => {
          console.error(messageOf(error));
          process.exit(2);
        }),
      ];
const dialects = dialectNames.filter(
  (name) => values.dialect === undefined || name === values.dialect,
);
if (subjects.length === 0 || dialects.length === 0 || !Number.isInteger(seed)) {
  const components = catalogSubjects().map(({ name }) => name);
  console.error(
    `expected --component one of ${components.join(', ')}, --dialect one of ${dialectNames.join(', ')}, --seed an integer`,
  );
  process.exit(2);
}
/** Many runs meet every other dialect in their turn; a few are to meet all of them each. */
const MANY_RUNS = 5000;
const inTurn = Number(values.runs) >= MANY_RUNS ? ({ oneTranslation: true } as const) : {};
const runs = Math.ceil(Number(values.runs) / dialects.length);
const results: SuiteResult[] = [];
for (const subject of subjects) {
  for (const dialect of dialects) {
    const path = values.path === undefined ? {} : { path: values.path };
    const guardOnly = own === undefined ? {} : { guardOnly: guardOnlyOfOwn };
    results.push(
      await contractSuite(
        { ...subject, ...inTurn },
        { dialect, runs, seed, ...guardOnly, ...path },
      ),
    );
  }
}
const failed = results.filter(({ failure }) => failure !== undefined);
const seconds = Math.round((performance.now() - start) / 100) / 10;

if (values.json) {
  const cells = results.map(({ failure, ...counts }) => {
    if (failure === undefined) return counts;
    const { shrunk: _, ...printed } = failure;
    return { ...counts, failure: { ...printed, replay: replay({ ...counts, failure }) } };
  });
  console.log(
    JSON.stringify({ seed, runs: runs * dialects.length, seconds, failed: failed.length, cells }),
  );
} else {
  for (const { component, dialect, fired, valid, failure } of results) {
    const share = valid === 0 ? 0 : Math.round((100 * fired) / valid);
    console.log(
      `${failure === undefined ? 'ok  ' : 'FAIL'} ${component} ${dialect}: fired in ${share} % of ${valid}`,
    );
  }
  for (const result of failed) {
    console.log(
      `\n${result.component} ${result.dialect}\n${result.failure?.message}\n${result.failure?.counterexample}`,
    );
    console.log(`again: ${replay(result)}`);
  }
  console.log(`seed ${seed}, ${runs * dialects.length} runs a component, ${seconds} s`);
}
process.exitCode = failed.length > 0 ? 100 : 0;

/** The command that shows a failure again. */
function replay({ component, dialect, failure }: SuiteResult): string {
  const path = failure?.path === undefined ? '' : ` --path ${failure.path}`;
  return `npx tsx test/support/contract/run.ts --runs ${runs} --seed ${seed} --component ${own ?? component} --dialect ${dialect}${path}`;
}
