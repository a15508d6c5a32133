import { isInstalled } from './project.ts';

/** `npm run sweep -- …`, and the `npm run <command>` of the help. */
const OUR_COMMAND = /\bnpm run ([a-z][a-z-]*|<command>)(?: --(?= |$))?/gm;

/**
 * Our own words with the commands in them as they are typed here: where the harness is a package of another
 * project, no script of it runs them. Never for a text of a recording.
 */
export function asInvoked(text: string, installed = isInstalled): string {
  return installed ? text.replace(OUR_COMMAND, 'npx compaction-harness $1') : text;
}
