/**
 * `npm run audit`: what is known against the packages that come with the harness, and whether the lock file says
 * what is installed. Exit code 1 for a known vulnerability of moderate severity or more, or a fault of the lock
 * file. A registry that gives no answer is said to be so, and is no failure: nothing was found out.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readAudit } from './advisories.ts';
import { dependencyFaults, installScripts } from './rules.ts';

const root = resolve(import.meta.dirname, '../..');
const LEVEL = 'moderate';

const packageText = readFileSync(join(root, 'package.json'), 'utf8');
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8');
const faults = dependencyFaults(packageText, lockText);
for (const fault of faults) console.log(`lock file: ${fault}`);
if (faults.length === 0) {
  console.log(
    'lock file: exact versions, each package with its sha512, from a registry, under a licence of the list',
  );
}
console.log(`own scripts at install, read by us: ${installScripts(lockText).join(', ')}`);

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
  cwd: root,
  encoding: 'utf8',
  timeout: 60_000,
  maxBuffer: 2 ** 26,
});
const audit = readAudit(stdout ?? '', LEVEL);
if (audit.kind === 'clean') {
  console.log(`audited: nothing of severity ${LEVEL} or more in ${audit.packages} packages`);
} else if (audit.kind === 'vulnerable') {
  for (const line of audit.lines) console.log(`vulnerable: ${line}`);
} else {
  console.log(`not audited: the registry does not tell of advisories (${audit.reason})`);
}
process.exitCode = faults.length > 0 || audit.kind === 'vulnerable' ? 1 : 0;
