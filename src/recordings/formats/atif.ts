import { basename, dirname } from 'node:path';
import { pushAll } from '../../text/long-lists.ts';
import type { Request, Transcript } from '../../transcript/transcript.ts';
import { isObject } from '../../wire/json-object.ts';
import { elements, path, rootSpan, type Span } from '../../wire/json-spans.ts';
import type { Document } from '../document.ts';
import { type Entry, lengthOf, readEntries } from '../entries.ts';
import { byNaturalOrder } from '../paths.ts';
import { schemaError } from '../schema.ts';
import { stemOf, toTranscript } from '../transcripts.ts';
import { type Played, requestsOf } from './atif/play.ts';
import { type Reference, type Trajectory, trajectorySchema } from './atif/steps.ts';
import type { Format, ReadContext } from './format.ts';

const NAME = 'atif';

/**
 * Trajectories in the interchange format `{schema_version, session_id, agent, steps, final_metrics}`,
 * openai-chat. A file that another says it is continued in is the next segment of the same lineage,
 * and one that another's observation refers to is a sub-agent of it.
 */
export const atif: Format = {
  name: NAME,
  about: 'an object {schema_version, session_id, agent, steps: [{source, message}]}',

  detect(document) {
    const [value] = document.sample;
    if (document.kind !== 'json' || !isObject(value) || !Array.isArray(value.steps)) return false;
    const isVersioned =
      typeof value.schema_version === 'string' && /^atif/i.test(value.schema_version);
    const isStep = (step: unknown) => isObject(step) && 'source' in step && 'step_id' in step;
    return isVersioned || (isObject(value.agent) && value.steps.some(isStep));
  },

  groupKeys(document) {
    const folder = dirname(document.file.absolute);
    const [value] = document.sample;
    const own = isObject(value) && typeof value.session_id === 'string' ? value.session_id : '';
    const text = document.kind === 'json' ? document.text : '';
    const named = [...text.matchAll(/"(?:session_id)"\s*:\s*"([^"]+)"/g)].map(([, id]) => id);
    return [own, ...named].map((id) => `${folder} ${id}`);
  },

  read(documents, context) {
    const ordered = [...documents].sort((a, b) => byNaturalOrder(a.file.path, b.file.path));
    return transcriptsOf(
      ordered.flatMap((document) => trajectoriesIn(document, context)),
      context,
    );
  },
};

interface Found extends Played {
  /** The trajectory in the same file that this one works for. */
  readonly parent: Found | undefined;
}

function trajectoriesIn(document: Document, context: ReadContext): readonly Found[] {
  if (document.kind !== 'json') return [];
  const from = (parent: Found | undefined, spans: readonly Span[]): readonly Found[] =>
    readEntries(document, spans, context, 'steps', stepsIn, (entry) => {
      const found = { ...readTrajectory(entry), parent };
      const inner = path(document.text, ['subagent_trajectories'], entry.span);
      const below = inner === undefined ? [] : elements(document.text, inner);
      return [found, ...from(found, below)];
    });
  return from(undefined, [rootSpan(document.text)]);
}

function stepsIn(value: unknown): number {
  return isObject(value) ? lengthOf(value.steps) : 1;
}

function readTrajectory({ text, span, value, file }: Entry): Played {
  const parsed = trajectorySchema.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, atif.about, value);
  return { trajectory: parsed.data, text, span, file };
}

function transcriptsOf(found: readonly Found[], context: ReadContext): readonly Transcript[] {
  const continues = new Map<Found, Found>();
  for (const one of found) {
    const next = found.find((other) => other !== one && isContinuation(one, other));
    if (next !== undefined && !continues.has(next)) continues.set(next, one);
  }
  const followers = new Map<Found, Found>();
  for (const [next, one] of continues) if (!followers.has(one)) followers.set(one, next);
  const parents = new Map(found.map((one) => [one, one.parent ?? refererOf(one, found)]));
  const agents = new Map<Found, number>();
  return found
    .filter((one) => !continues.has(one))
    .map((one) => {
      const head = familyHead(one, parents);
      const number = (agents.get(head) ?? 0) + 1;
      if (head !== one) agents.set(head, number);
      const requests = playChain(one, followers, context);
      return transcriptOf(one, head, head === one ? 'main' : `agent-${number}`, requests);
    });
}

function isContinuation(one: Found, other: Found): boolean {
  const reference = one.trajectory.continued_trajectory_ref;
  if (typeof reference !== 'string' || dirname(one.file) !== dirname(other.file)) return false;
  if (!isFile(other, reference)) return false;
  const prefix = basename(other.file).slice(0, -basename(reference).length);
  return basename(one.file).startsWith(prefix);
}

/** Files are often renamed with a prefix, and refer to each other by their old names. */
function isFile({ file }: Found, reference: string): boolean {
  return basename(file).endsWith(basename(reference));
}

function refererOf(one: Found, found: readonly Found[]): Found | undefined {
  const names = (reference: Reference) =>
    reference.trajectory_path === null || reference.trajectory_path === undefined
      ? isSession(one, reference.session_id)
      : isFile(one, reference.trajectory_path);
  return found.find(
    (other) => other !== one && referencesIn(other.trajectory).some((entry) => names(entry)),
  );
}

function isSession({ trajectory }: Found, id: string | null | undefined): boolean {
  return typeof id === 'string' && id === trajectory.session_id;
}

function referencesIn({ steps }: Trajectory): readonly Reference[] {
  return steps.flatMap(
    ({ observation }) =>
      observation?.results?.flatMap((result) => result.subagent_trajectory_ref ?? []) ?? [],
  );
}

/** The conversation that a sub-agent works for in the end; rings end where they began. */
function familyHead(one: Found, parents: ReadonlyMap<Found, Found | undefined>): Found {
  const passed = new Set<Found>([one]);
  let head = one;
  for (let up = parents.get(one); up !== undefined && !passed.has(up); up = parents.get(up)) {
    passed.add(up);
    head = up;
  }
  return head;
}

function playChain(
  first: Found,
  followers: ReadonlyMap<Found, Found>,
  context: ReadContext,
): readonly Request[] {
  const requests: Request[] = [];
  const done = new Set<Found>();
  let next: Found | undefined = first;
  while (next !== undefined && !done.has(next)) {
    const one: Found = next;
    done.add(one);
    const latest = requests.at(-1)?.segment;
    pushAll(requests, requestsOf(one, context, latest === undefined ? 0 : latest + 1));
    next = followers.get(one);
  }
  return requests;
}

function transcriptOf(
  { trajectory, file }: Found,
  head: Found,
  lineage: string,
  requests: readonly Request[],
): Transcript {
  const { agent, session_id: session, final_metrics: totals } = trajectory;
  const model = agent?.model_name ?? requests.find((request) => request.model)?.model;
  const cost = totals?.total_cost_usd;
  const isTotal =
    typeof cost === 'number' && requests.every((request) => request.cost === undefined);
  return toTranscript({
    task: stemOf(head.file),
    trial: '0',
    lineage,
    source: { file, format: NAME, session: head.trajectory.session_id ?? session ?? file },
    dialect: 'openai-chat',
    ...(typeof agent?.name === 'string' ? { agent: agent.name } : {}),
    ...(typeof model === 'string' ? { model } : {}),
    ...(isTotal ? { cost } : {}),
    requests,
    retries: 0,
  });
}
