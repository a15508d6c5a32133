/** Before the first cell: everything that live calls would lack, at once. */

import { HarnessError } from '../errors.ts';
import {
  chooseEndpoint,
  type IncomingModel,
  type ModelChoice,
  type Variables,
} from './endpoint.ts';

/** A component that will ask a model, as messages name it, e.g. `cg-summarize: summarize`. */
export interface Asker {
  readonly name: string;
  readonly choice: ModelChoice;
}

interface Lack {
  readonly askers: Set<string>;
  readonly models: Set<string>;
}

/** One line for each thing that is missing: what to do, who asks, and for which models. */
export function missingOf(
  askers: readonly Asker[],
  transcripts: Iterable<IncomingModel>,
  variables: Variables,
): readonly string[] {
  const incoming = new Map<string, IncomingModel>();
  for (const { model, dialect } of transcripts) {
    incoming.set(JSON.stringify([dialect, model]), { model, dialect });
  }
  const lacks = new Map<string, Lack>();
  for (const { name, choice } of askers) {
    for (const transcript of incoming.values()) {
      const chosen = chooseEndpoint(choice, transcript, variables);
      if (chosen.kind === 'endpoint') continue;
      const lack = lacks.get(chosen.reason) ?? newLack();
      lacks.set(chosen.reason, lack);
      lack.askers.add(name);
      if (chosen.model !== undefined) lack.models.add(chosen.model);
    }
  }
  return [...lacks].map(([reason, { askers: names, models }]) => {
    const about = models.size === 0 ? '' : `; to ask ${listed(models)}`;
    return `${reason} (for ${listed(names)}${about})`;
  });
}

function newLack(): Lack {
  return { askers: new Set(), models: new Set() };
}

/**
 * The error that stops a run before it starts; undefined where nothing is missing.
 *
 * @param mode as `--model` was given
 */
export function missingModels(problems: readonly string[], mode: string): HarnessError | undefined {
  const [only, ...others] = problems;
  if (only === undefined) return undefined;
  const text =
    others.length === 0 ? ` ${only}` : problems.map((problem) => `\n  - ${problem}`).join('');
  return new HarnessError(
    'model.missing',
    `--model ${mode} cannot start, nothing was asked:${text}`,
  );
}

const LISTED = 5;

function listed(names: ReadonlySet<string>): string {
  const all = [...names];
  const shown = all.slice(0, LISTED).join(', ');
  return all.length > LISTED ? `${shown} and ${all.length - LISTED} more` : shown;
}
