import type { Command } from 'cac';
import { HarnessError } from '../errors.ts';

/** What others than a command line set too: npm's own settings and those of builds it runs. */
const OF_OTHERS = new Set(['force', 'jobs', 'json']);

/**
 * Refuses options that npm took for itself: `npm run gate --strict`, without `--` before the option, runs
 * the gate without it, and npm's own warning is silenced here. npm tells its scripts of what it took by
 * environment variables. Throws HarnessError `usage` with the command as it should be.
 */
export function refuseTakenByNpm(
  command: Command,
  variables: Readonly<Record<string, string | undefined>>,
): void {
  // A command that a script of another name starts was given its words by that script.
  if (variables.npm_lifecycle_event !== command.name) return;
  const taken = command.options
    .map(({ rawName, negated }) => ({ name: rawName.replace(/[ <[].*/, ''), negated }))
    .filter(({ name, negated }) => {
      const setting = name.replace(negated ? /^--no-/ : /^--/, '');
      if (OF_OTHERS.has(setting)) return false;
      const value = variables[`npm_config_${setting.replaceAll('-', '_')}`];
      // What is turned off is there as an empty text.
      return negated ? value === '' : value !== undefined && value !== '';
    })
    .map(({ name }) => name);
  if (taken.length === 0) return;
  const words = taken.join(' ');
  const message = `npm took ${words} for itself: options stand behind --, as in npm run ${command.name} -- ${words}`;
  throw new HarnessError('usage', message);
}
