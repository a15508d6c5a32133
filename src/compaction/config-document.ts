import { z } from 'zod';
import { nearestName, type Place } from '../errors.ts';
import { catalog } from './catalog.ts';
import {
  child,
  emptyMap,
  type Located,
  type LocatedEntry,
  type LocatedMap,
  type LocatedScalar,
  locate,
  plain,
} from './located.ts';
import { modelSpec } from './model-spec.ts';
import { type Problems, shown } from './problems.ts';
import { readYamlMapping } from './yaml-document.ts';
import { addIssues } from './zod-places.ts';

/** A config document as its author wrote it: keys checked, base and matrix not yet worked in. */
export interface ConfigDocument {
  readonly name: string;
  readonly about: string;
  readonly file: string;
  /** Name of the document that this one builds on. */
  readonly preset: LocatedScalar | undefined;
  /** Component keys in order; undefined: the base's. */
  readonly pipeline: readonly PipelineEntry[] | undefined;
  readonly components: LocatedMap;
  /** Default of the `model` block of every component that has one. */
  readonly model: Located | undefined;
  readonly matrix: LocatedEntry | undefined;
}

export interface PipelineEntry {
  readonly name: string;
  readonly at: Place;
}

/** Keys of a gateway that hosts components; they say nothing about a rewrite, so a replay ignores them. */
const HOST_KEYS = ['store', 'mode', 'observe', 'cache'] as const;

const configName = z
  .string()
  .refine((name) => name.trim() !== '' && !/\p{Cc}/u.test(name), 'a text of one line');

/** The top level; component settings and the matrix have schemas of their own. */
const documentSchema = z.strictObject({
  name: configName.optional(),
  about: z.string().optional(),
  preset: z.string().min(1).optional(),
  pipeline: z.array(z.string().min(1)).optional(),
  components: z.record(z.string(), z.unknown()).nullable().optional(),
  model: modelSpec,
  matrix: z.record(z.string(), z.unknown()).optional(),
  ...Object.fromEntries(HOST_KEYS.map((key) => [key, z.unknown().optional()])),
});

/** Reads a document; `undefined` when it is not even a mapping. `defaultName` is its file's stem. */
export function readConfigDocument(
  text: string,
  file: string,
  defaultName: string,
  problems: Problems,
  notices: string[],
): ConfigDocument | undefined {
  const root = readYamlMapping(text, file, problems);
  if (root === undefined) return undefined;
  const checked = documentSchema.safeParse(plain(root));
  if (!checked.success) addIssues(checked.error, documentSchema, root, problems);
  noteHostKeys(root, notices);
  const name = textOf(child(root, 'name')) ?? defaultName;
  if (name !== defaultName) {
    const at = locate(root, ['name']).node.at;
    notices.push(
      `${file}:${at.line}: the file is called ${shown(defaultName)}, its config ${shown(name)}`,
    );
  }
  const preset = child(root, 'preset');
  const mistyped = checked.error?.issues.some(
    ({ code, path }) => code === 'unrecognized_keys' && path.length === 0,
  );
  if (!mistyped && preset === undefined && child(root, 'pipeline') === undefined) {
    const message = 'found neither "pipeline" nor "preset", expected one of them';
    problems.add('config.value', message, root.at);
  }
  return {
    name,
    about: textOf(child(root, 'about')) ?? '',
    file,
    preset: preset?.kind === 'scalar' && typeof preset.value === 'string' ? preset : undefined,
    pipeline: readPipeline(child(root, 'pipeline'), problems),
    components: readComponents(root, problems),
    model: child(root, 'model'),
    matrix: root.entries.get('matrix'),
  };
}

function textOf(node: Located | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

function noteHostKeys(root: LocatedMap, notices: string[]): void {
  for (const key of HOST_KEYS) {
    const entry = root.entries.get(key);
    if (entry === undefined) continue;
    const { file, line } = entry.keyAt;
    notices.push(`${file}:${line}: "${key}" is for a gateway and has no effect on a replay`);
  }
}

function readPipeline(
  node: Located | undefined,
  problems: Problems,
): readonly PipelineEntry[] | undefined {
  if (node?.kind !== 'list') return undefined;
  const entries: PipelineEntry[] = [];
  for (const item of node.items) {
    const name = textOf(item);
    if (name === undefined) continue;
    if (entries.some((entry) => entry.name === name)) {
      const message = `${item.at.key}: ${shown(name)} stands twice in the pipeline: remove one`;
      problems.add('config.value', message, item.at);
    } else if (isKnown(name, item.at, problems)) {
      entries.push({ name, at: item.at });
    }
  }
  return entries;
}

/** The blocks of known components; an empty block (`summarize:`) stands for its defaults. */
function readComponents(root: LocatedMap, problems: Problems): LocatedMap {
  const node = child(root, 'components');
  if (node?.kind !== 'map') return emptyMap(node?.at ?? root.at);
  const entries = new Map<string, LocatedEntry>();
  for (const [name, { keyAt, value }] of node.entries) {
    const use = value.kind === 'map' ? value.entries.get('use') : undefined;
    if (use !== undefined) {
      const message = `"use" (a component of your own) is not a key of this build`;
      problems.add('config.key', message, use.keyAt);
    } else if (isKnown(name, keyAt, problems)) {
      const isEmpty = value.kind === 'scalar' && value.value === null;
      entries.set(name, { keyAt, value: isEmpty ? emptyMap(value.at) : value });
    }
  }
  return { kind: 'map', at: node.at, entries };
}

function isKnown(name: string, at: Place, problems: Problems): boolean {
  if (catalog.has(name)) return true;
  const near = nearestName(name, catalog.keys());
  const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
  const known = [...catalog.keys()].join(', ');
  const message = `no component ${shown(name)} in this build${hint} Components: ${known}`;
  problems.add('config.component', message, at);
  return false;
}
