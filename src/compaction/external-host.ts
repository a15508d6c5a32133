import type { ExternalCall } from './external-call.ts';
import { runCommand } from './external-command.ts';
import { postBody } from './external-endpoint.ts';

/** What a program needs to run at all; anything else, such as a key, has to be named in its block. */
const USUAL_VARIABLES = /^(?:PATH|HOME|USER|LANG|LC_\w+|TMPDIR|TZ)$/;

/** Calls to programs and endpoints, as a host that may make them grants them to components. */
export function externalCalls(host: {
  /** Folder that programs run in. */
  readonly folder: string;
  readonly variables: Readonly<Record<string, string | undefined>>;
}): ExternalCall {
  return (target, body, { milliseconds, signal }) => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(milliseconds)]);
    if (target.kind === 'url') return postBody(target.url, body, limited);
    const variables: Record<string, string> = {};
    for (const [name, value] of Object.entries(host.variables)) {
      const isAllowed = USUAL_VARIABLES.test(name) || target.variables.includes(name);
      if (value !== undefined && isAllowed) variables[name] = value;
    }
    return runCommand({ words: target.words, folder: host.folder, variables }, body, limited);
  };
}
