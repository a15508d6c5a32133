import type { Place } from '../errors.ts';
import { type Catalog, catalog } from './catalog.ts';
import type { Config } from './config.ts';
import { type ConfigDocument, readConfigDocument } from './config-document.ts';
import { ConfigFolder, type ConfigFolders } from './config-folder.ts';
import { contentOf } from './config-identity.ts';
import { child } from './located.ts';
import { CONTROLS, isControl, matchControls, matchedBy, wantedBy } from './match-controls.ts';
import { Problems, shown } from './problems.ts';
import { type CheapModel, ConfigResolver } from './resolve-config.ts';
import { placeOf, readSetOptions } from './set-option.ts';
import { nearestSettable, settableKeys } from './settable.ts';

export interface ConfigRequest {
  /** Values of `--config`: names in the folder, paths of documents, `all`, or `env`. */
  readonly names: readonly string[];
  /** Values of `--set`: `KEY=V1,V2`. */
  readonly sets: readonly string[];
  /** Where the named documents stand, e.g. `sweeps`. */
  readonly folder: ConfigFolders;
  /** Text of `CONTEXT_GURU_CONFIG_YAML`: used when `names` is empty or holds `env`. */
  readonly inline?: string | undefined;
  /** Values of `CHEAP_MODEL*`. */
  readonly cheapModel?: CheapModel | undefined;
}

/** The name of the document in `CONTEXT_GURU_CONFIG_YAML`, which also stands for its file. */
const INLINE_NAME = 'env';
const INLINE_FILE = 'CONTEXT_GURU_CONFIG_YAML';
const EVERY_DOCUMENT = 'all';

/**
 * The configs that a run asks for, in the order of its names, every combination of a matrix and of
 * `--set` one of its own. `baseline` is among them only when named. No names and no inline document
 * give no configs. Notices are complete lines for the reader.
 *
 * Throws one `HarnessError` that lists everything wrong: `config.missing`, `config.syntax`,
 * `config.key`, `config.value`, `config.component` or `usage`.
 */
export async function loadConfigs(
  request: ConfigRequest,
): Promise<{ configs: Config[]; notices: string[] }> {
  const problems = new Problems();
  const notices: string[] = [];
  const folder = await ConfigFolder.open(request.folder, problems, notices);
  const documents: Derived[] = [];
  for (const document of await selectDocuments(request, folder, problems, notices)) {
    const bases = await folder.basesOf(document);
    if (bases !== undefined) documents.push({ document, bases });
  }
  const sets = readSetOptions(request.sets, componentsOf(documents), problems);
  const resolver = new ConfigResolver(sets, request.cheapModel ?? {}, problems, notices);
  const resolved = documents.flatMap(({ document, bases }) => resolver.resolve(document, bases));
  const controls = resolved.filter(isControl);
  const configs = distinctByName(
    resolved.filter((config) => !isControl(config)),
    problems,
  );
  for (const config of await pulledIn(controls, configs, folder, resolver, notices)) {
    configs.push(config);
  }
  // A key or a match is only missing everywhere if everything could be read.
  const isReadable = problems.count === 0;
  if (isReadable) {
    addUnusedSets(resolver.unusedSets, resolved, componentsOf(documents), problems);
  }
  const surroundings = {
    named: [...folder.files.keys()],
    placeOf: (control: Config) => matchPlace(control, documents),
  };
  const matched = isReadable ? matchControls(configs, controls, problems, surroundings) : configs;
  const distinct = distinctByName(matched, problems);
  problems.throwIfAny();
  noteEqualHashes(distinct, notices);
  return { configs: distinct, notices: [...new Set(notices)] };
}

/** A document and those that it builds on, the nearest first. */
interface Derived {
  readonly document: ConfigDocument;
  readonly bases: readonly ConfigDocument[];
}

/** Where the documents of a control say what it matches; undefined where `--set` does. */
function matchPlace(control: Config, documents: readonly Derived[]): Place | undefined {
  const derived = documents.find(({ document }) => document.file === control.source);
  const [step] = control.steps;
  if (derived === undefined || step === undefined) return undefined;
  const nodes = [derived.document, ...derived.bases].map(({ components }) =>
    ['budget', 'match'].reduce(child, child(components, step.key)),
  );
  const wanted = wantedBy(control);
  return nodes.find((node) => node?.kind === 'scalar' && node.value === wanted)?.at;
}

/** Every component that these documents can name. */
function componentsOf(documents: readonly Derived[]): Catalog {
  const own = documents.flatMap(({ document, bases }) =>
    [document, ...bases].flatMap((one) => [...one.own]),
  );
  return new Map([...catalog, ...own]);
}

/** The configs of the folder that controls match and that nobody named: a control needs their figures. */
async function pulledIn(
  controls: readonly Config[],
  configs: readonly Config[],
  folder: ConfigFolder,
  resolver: ConfigResolver,
  notices: string[],
): Promise<Config[]> {
  const pulled = new Map<string, readonly Config[]>();
  for (const control of controls) {
    const wanted = wantedBy(control);
    const file = folder.files.get(wanted);
    if (file === undefined || pulled.has(wanted) || matchedBy(control, configs).length > 0)
      continue;
    const document = await folder.read(file);
    const bases = document === undefined ? undefined : await folder.basesOf(document);
    if (document === undefined || bases === undefined) continue;
    const made = resolver.resolve(document, bases);
    if (made.some(isControl)) continue;
    pulled.set(wanted, made);
    notices.push(`${control.name} matches ${wanted}, which is run too`);
  }
  return [...pulled.values()].flat();
}

/** The documents of a folder by name, for `--list`. Throws `HarnessError` when one cannot be read. */
export async function listDocuments(
  folder: ConfigFolders,
): Promise<{ name: string; about: string; file: string }[]> {
  const problems = new Problems();
  const opened = await ConfigFolder.open(folder, problems, []);
  const list: { name: string; about: string; file: string }[] = [];
  for (const file of opened.files.values()) {
    const document = await opened.read(file);
    if (document !== undefined) list.push({ name: document.name, about: document.about, file });
  }
  problems.throwIfAny();
  return list;
}

async function selectDocuments(
  request: ConfigRequest,
  folder: ConfigFolder,
  problems: Problems,
  notices: string[],
): Promise<ConfigDocument[]> {
  const { inline } = request;
  const names = request.names.length === 0 && inline !== undefined ? [INLINE_NAME] : request.names;
  const documents = new Set<ConfigDocument>();
  const add = (document: ConfigDocument | undefined) => {
    if (document !== undefined) documents.add(document);
  };
  for (const name of new Set(names)) {
    const file = folder.files.get(name);
    if (name === INLINE_NAME && inline !== undefined) {
      add(await readConfigDocument(inline, INLINE_FILE, INLINE_NAME, problems, notices));
    } else if (name === EVERY_DOCUMENT) {
      if (folder.files.size === 0) folder.addMissing(name, { file: '--config' });
      for (const each of folder.files.values()) {
        const document = await folder.read(each);
        const reason = document === undefined ? undefined : whyNotAmongAll(document);
        if (reason === undefined) add(document);
        else notices.push(`${document?.name} is not among all: ${reason}`);
      }
    } else if (file !== undefined) {
      add(await folder.read(file));
    } else if (/[/\\]|\.ya?ml$/.test(name)) {
      add(await folder.read(name));
    } else if (name === INLINE_NAME) {
      const message = `no config "env": ${INLINE_FILE} is not set, expected a whole document in it`;
      problems.add('config.missing', message, { file: '--config' });
    } else {
      folder.addMissing(name, { file: '--config' });
    }
  }
  if (inline !== undefined && !names.includes(INLINE_NAME)) {
    notices.push(`${INLINE_FILE} is set but not used: --config ${INLINE_NAME} selects it`);
  }
  return [...documents];
}

/** Why `all` leaves a document out: it says nothing by itself, or needs what may not be there. */
function whyNotAmongAll({ pipeline = [], components }: ConfigDocument): string | undefined {
  if (pipeline.some(({ name }) => CONTROLS.has(name))) {
    return 'it is a control of other configs; --controls adds it to each of them';
  }
  const endpoint = child(child(components, 'external'), 'url');
  if (pipeline.some(({ name }) => name === 'external') && endpoint !== undefined) {
    return 'it needs a server; name it when yours is running';
  }
  return undefined;
}

function addUnusedSets(
  unused: readonly string[],
  configs: readonly Config[],
  components: Catalog,
  problems: Problems,
): void {
  const usable = settableKeys(
    configs.flatMap(({ steps }) => steps.map(({ key }) => key)),
    components,
  );
  const selected = [...new Set(configs.map(({ name }) => name))].slice(0, 10).join(', ') || 'none';
  for (const key of unused) {
    const near = nearestSettable(key, usable);
    const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
    const message = `${shown(key)}: no selected config has it${hint} Selected: ${selected}`;
    problems.add('config.key', message, placeOf(key));
  }
}

/** The same config asked for twice is one; two that only share a name would share their rows. */
function distinctByName(configs: readonly Config[], problems: Problems): Config[] {
  const byName = new Map<string, Config>();
  for (const config of configs) {
    const known = byName.get(config.name);
    if (known === undefined) {
      byName.set(config.name, config);
    } else if (contentOf(known.steps) !== contentOf(config.steps)) {
      const message = `${shown(config.name)} is also the name of another config, in ${known.source}: rename one`;
      problems.add('config.value', message, { file: config.source });
    }
  }
  return [...byName.values()];
}

function noteEqualHashes(configs: readonly Config[], notices: string[]): void {
  const byHash = new Map<string, string[]>();
  for (const { hash, name } of configs) byHash.set(hash, [...(byHash.get(hash) ?? []), name]);
  for (const names of byHash.values()) {
    if (names.length < 2) continue;
    const others = names.length > 5 ? ` and ${names.length - 5} more` : '';
    const shownNames = names.slice(0, 5).join(', ') + others;
    notices.push(`${shownNames}: the same settings, so their rows will be equal`);
  }
}
