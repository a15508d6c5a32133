import { HarnessError } from '../errors.ts';
import { secretsOf, type Variables } from '../model/endpoint.ts';
import { keyRedaction } from '../model/key-redaction.ts';
import { type Redact, redaction } from '../rows/note.ts';
import type { Selection } from '../sweep/manifest.ts';
import type { Environment, Terminal } from './environment.ts';
import { blocksOf } from './sweep-askers.ts';

/** Every key and password of the environment and of the configs, whether or not they are used. */
export function secretsIn({ configs }: Selection, variables: Variables): readonly string[] {
  return secretsOf(
    configs.flatMap((config) => blocksOf(config).map(({ spec }) => spec)),
    variables,
  );
}

/** Takes these secrets out of a text, in every form that a URL, a header or JSON gives them. */
export function redactionOf(secrets: readonly string[]): Redact {
  const { whole } = keyRedaction(new Set(secrets));
  const pattern = redaction(secrets);
  return (text) => pattern(whole(text));
}

/** The environment with everything that is shown redacted. */
export function withRedaction(environment: Environment, redact: Redact): Environment {
  const { stdout, stderr } = environment;
  return { ...environment, stdout: quiet(stdout, redact), stderr: quiet(stderr, redact) };
}

function quiet(terminal: Terminal, redact: Redact): Terminal {
  const { isTerminal, columns } = terminal;
  return { write: (text) => terminal.write(redact(text)), isTerminal, columns };
}

/** The error without secrets in its message and its place. */
export function redacted(error: unknown, redact: Redact): unknown {
  if (!(error instanceof HarnessError) || redact(error.describe()) === error.describe()) {
    return error;
  }
  const { code, message, at } = error;
  const file = at?.file === undefined ? {} : { file: redact(at.file) };
  return new HarnessError(
    code,
    redact(message),
    at === undefined ? {} : { at: { ...at, ...file } },
  );
}
