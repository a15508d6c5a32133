import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { HarnessError, nearestName, type Place } from '../errors.ts';
import { type Catalog, type CatalogEntry, catalog, withOwn } from './catalog.ts';
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
import { loadComponent } from './own-component.ts';
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
  /** When the expand tool is declared; undefined: the base's. */
  readonly inject: ExpandInjection | undefined;
  /** Components of the author's own (`use`), by their key. */
  readonly own: Catalog;
  /** Names of components that are neither known nor here: a base must have them. */
  readonly unknown: readonly PipelineEntry[];
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

/** When the expand tool is declared: `auto` if something can be got back. */
const expandInjection = z.enum(['auto', 'always', 'never']);

export type ExpandInjection = z.output<typeof expandInjection>;

/** The top level; component settings and the matrix have schemas of their own. */
const documentSchema = z.strictObject({
  name: configName.optional(),
  about: z.string().optional(),
  preset: z.string().min(1).optional(),
  pipeline: z.array(z.string().min(1)).optional(),
  components: z.record(z.string(), z.unknown()).nullable().optional(),
  model: modelSpec,
  matrix: z.record(z.string(), z.unknown()).optional(),
  expand: z.strictObject({ inject: expandInjection.default('auto') }).optional(),
  ...Object.fromEntries(HOST_KEYS.map((key) => [key, z.unknown().optional()])),
});

/** Reads a document; `undefined` when it is not even a mapping. `defaultName` is its file's stem. */
export async function readConfigDocument(
  text: string,
  file: string,
  defaultName: string,
  problems: Problems,
  notices: string[],
): Promise<ConfigDocument | undefined> {
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
  const own = await loadOwn(root, file, problems);
  const names = new Names(withOwn(own), preset !== undefined, problems);
  return {
    name,
    about: textOf(child(root, 'about')) ?? '',
    file,
    preset: preset?.kind === 'scalar' && typeof preset.value === 'string' ? preset : undefined,
    pipeline: readPipeline(child(root, 'pipeline'), names, problems),
    components: readComponents(root, names),
    model: child(root, 'model'),
    matrix: root.entries.get('matrix'),
    inject: expandInjection.safeParse(textOf(locate(root, ['expand', 'inject']).node)).data,
    own,
    unknown: names.unknown,
  };
}

/** The names of components in a document, checked against those that there are. */
class Names {
  /** What a base may still have. */
  readonly unknown: PipelineEntry[] = [];
  readonly #known: Catalog;
  readonly #hasBase: boolean;
  readonly #problems: Problems;

  constructor(known: Catalog, hasBase: boolean, problems: Problems) {
    this.#known = known;
    this.#hasBase = hasBase;
    this.#problems = problems;
  }

  /** Whether a name can be used; if not, the reason is told. */
  accept(name: string, at: Place): boolean {
    if (this.#known.has(name)) return true;
    if (this.#hasBase) this.unknown.push({ name, at });
    else addUnknownComponent({ name, at }, this.#known, this.#problems);
    return this.#hasBase;
  }
}

/** Loads the components that blocks name by `use`, a path relative to the document. */
async function loadOwn(root: LocatedMap, file: string, problems: Problems): Promise<Catalog> {
  const blocks = child(root, 'components');
  const own = new Map<string, CatalogEntry>();
  if (blocks?.kind !== 'map') return own;
  for (const [name, { value }] of blocks.entries) {
    const use = value.kind === 'map' ? value.entries.get('use') : undefined;
    if (use === undefined) continue;
    const path = textOf(use.value);
    if (path === undefined || path === '') {
      const message = `${use.value.at.key}: expected the path of a file, relative to this document`;
      problems.add('config.value', message, use.value.at);
    } else if (catalog.has(name)) {
      const message = `${shown(name)} is a component of this build: give yours another name`;
      problems.add('config.component', message, use.keyAt);
    } else {
      try {
        const { entry } = await loadComponent(resolve(dirname(file), path));
        own.set(name, entry);
      } catch (error) {
        if (!(error instanceof HarnessError)) throw error;
        problems.add('config.component', `${path}: ${error.message}`, use.value.at);
        // Named, so that the pipeline is not blamed for it as well.
        own.set(name, unusable);
      }
    }
  }
  return own;
}

/** In the place of a component that could not be loaded. */
const unusable: CatalogEntry = {
  name: 'unusable',
  about: '',
  kind: 'reformat',
  schema: z.looseObject({}),
  bind: () => ({ ok: false, error: new z.ZodError([]) }),
};

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
  names: Names,
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
    } else if (names.accept(name, item.at)) {
      entries.push({ name, at: item.at });
    }
  }
  return entries;
}

/** The blocks of known components; an empty block (`summarize:`) stands for its defaults. */
function readComponents(root: LocatedMap, names: Names): LocatedMap {
  const node = child(root, 'components');
  if (node?.kind !== 'map') return emptyMap(node?.at ?? root.at);
  const entries = new Map<string, LocatedEntry>();
  for (const [name, { keyAt, value }] of node.entries) {
    if (!names.accept(name, keyAt)) continue;
    const isEmpty = value.kind === 'scalar' && value.value === null;
    entries.set(name, { keyAt, value: isEmpty ? emptyMap(value.at) : value });
  }
  return { kind: 'map', at: node.at, entries };
}

export function addUnknownComponent(
  { name, at }: PipelineEntry,
  known: Catalog,
  problems: Problems,
): void {
  const near = nearestName(name, known.keys());
  const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
  const names = [...known.keys()].join(', ');
  const message = `no component ${shown(name)} in this build${hint} Components: ${names}`;
  problems.add('config.component', message, at);
}
