import type { BoundComponent } from './bound.ts';
import { type Catalog, withOwn } from './catalog.ts';
import type { Config } from './config.ts';
import { addUnknownComponent, type ConfigDocument, type PipelineEntry } from './config-document.ts';
import { hashOf, textOf } from './config-identity.ts';
import { child, emptyMap, type Located, merge, plain, withValue } from './located.ts';
import {
  type Assignment,
  type Axis,
  combinationName,
  crossWith,
  expandMatrix,
  matrixSize,
  productSize,
} from './matrix.ts';
import { readMatrix } from './matrix-document.ts';
import type { Problems } from './problems.ts';
import { settableKeys, takesModel } from './settable.ts';
import { addIssues } from './zod-places.ts';

/** Values of `CHEAP_MODEL*`, which a `model` block with `source: config` falls back to. */
export interface CheapModel {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly base?: string | undefined;
  readonly key?: string | undefined;
  readonly auth?: string | undefined;
}

/** More combinations than this are a mistake in a list, not a plan. */
const MOST_CONFIGS = 10_000;

/** Makes the configs of documents; counts them, and remembers which `--set` found its key. */
export class ConfigResolver {
  readonly #sets: readonly Axis[];
  readonly #cheapModel: CheapModel;
  readonly #problems: Problems;
  readonly #notices: string[];
  readonly #usedSets = new Set<string>();
  #count = 0;

  constructor(
    sets: readonly Axis[],
    cheapModel: CheapModel,
    problems: Problems,
    notices: string[],
  ) {
    this.#sets = sets;
    this.#cheapModel = cheapModel;
    this.#problems = problems;
    this.#notices = notices;
  }

  /** Keys of `--set` that no document so far has. */
  get unusedSets(): string[] {
    return this.#sets.map(({ key }) => key).filter((key) => !this.#usedSets.has(key));
  }

  /**
   * One config a combination of the document's matrix and the `--set` options. `bases` are the
   * documents that it builds on, the nearest first.
   */
  resolve(document: ConfigDocument, bases: readonly ConfigDocument[]): Config[] {
    const whole = [document, ...bases].reduceRight(overlay);
    const known = withOwn(whole.own);
    for (const entry of document.unknown) {
      if (!known.has(entry.name)) addUnknownComponent(entry, known, this.#problems);
    }
    const pipeline = whole.pipeline ?? [];
    const names = pipeline.map(({ name }) => name);
    const settable = settableKeys(names, known);
    const matrix = readMatrix(document.matrix, settable, known, this.#problems);
    const sets = this.#sets.filter(({ key }) => settable.includes(key));
    for (const { key } of sets) this.#usedSets.add(key);
    this.#checkUnusedBlocks(document, whole);
    this.#noteLeftMatrices(document, bases);

    const size = matrixSize(matrix) * productSize(sets);
    this.#count += size;
    if (this.#count > MOST_CONFIGS) {
      const message = `${this.#count} combinations, at most ${MOST_CONFIGS} configs a run: shorten the lists of the matrix or of --set`;
      this.#problems.add('config.value', message, { file: document.file });
      return [];
    }
    const fromMatrix = expandMatrix(matrix);
    if (fromMatrix.length === 0 && document.matrix !== undefined) {
      const message = 'matrix: no combination is left once the excluded ones are taken out';
      this.#problems.add('config.value', message, document.matrix.keyAt);
    }
    const combinations = crossWith(fromMatrix, sets);
    const keys = [...new Set(combinations.flatMap((combination) => [...combination.keys()]))];
    return combinations
      .map((combination) => this.#config(whole, combination, keys))
      .filter((config) => config !== undefined);
  }

  #config(
    document: ConfigDocument,
    assignment: Assignment,
    keys: readonly string[],
  ): Config | undefined {
    const known = withOwn(document.own);
    let tree: Located = treeOf(document);
    for (const [key, value] of assignment) tree = withValue(tree, key.split('.'), value);
    const pipeline = document.pipeline ?? [];
    const steps = pipeline
      .map((entry) => this.#bind(entry, tree, known))
      .filter((step) => step !== undefined);
    if (steps.length < pipeline.length) return undefined;
    const { about, inject, file: source } = document;
    const name = combinationName(document.name, assignment, keys);
    const config = {
      name,
      about,
      steps,
      source,
      document: document.name,
      ...(inject === undefined ? {} : { inject }),
    };
    return { ...config, text: textOf(config, usesOf(document)), hash: hashOf(steps, config) };
  }

  #bind({ name, at }: PipelineEntry, tree: Located, known: Catalog): BoundComponent | undefined {
    const entry = known.get(name);
    if (entry === undefined) return undefined;
    const block = settingsOf(
      child(child(tree, 'components'), name) ?? emptyMap({ ...at, key: `components.${name}` }),
    );
    const settings = takesModel(name, known) ? this.#withModel(block, child(tree, 'model')) : block;
    const outcome = entry.bind(name, plain(settings));
    if (outcome.ok) return outcome.bound;
    addIssues(outcome.error, entry.schema, settings, this.#problems);
    return undefined;
  }

  /** The block over the document's `model`, over `CHEAP_MODEL*` where its source is `config`. */
  #withModel(block: Located, documentModel: Located | undefined): Located {
    if (block.kind !== 'map') return block;
    let model = merge(documentModel, child(block, 'model'));
    const source = child(model, 'source');
    if (source?.kind === 'scalar' && source.value === 'config') {
      const { base, key, ...others } = this.#cheapModel;
      model = merge(fromEnvironment({ ...others, base_url: base, api_key: key }), model);
    }
    if (model === undefined) return block;
    const entries = new Map(block.entries).set('model', { keyAt: model.at, value: model });
    return { ...block, entries };
  }

  #noteLeftMatrices(document: ConfigDocument, bases: readonly ConfigDocument[]): void {
    for (const base of bases.filter(({ matrix }) => matrix !== undefined)) {
      this.#notices.push(
        `${document.file}: the matrix of its preset ${base.name} is not taken over`,
      );
    }
  }

  /** A block outside the pipeline has no effect, but a mistake in it is still one. */
  #checkUnusedBlocks(document: ConfigDocument, whole: ConfigDocument): void {
    const known = withOwn(whole.own);
    for (const [name, { keyAt, value }] of document.components.entries) {
      if (whole.pipeline?.some((entry) => entry.name === name)) continue;
      const { file, line } = keyAt;
      this.#notices.push(
        `${file}:${line}: ${name} is not in the pipeline: its block has no effect`,
      );
      const entry = known.get(name);
      const settings = settingsOf(value);
      const outcome = entry?.bind(name, plain(settings));
      if (entry === undefined || outcome === undefined || outcome.ok) continue;
      addIssues(outcome.error, entry.schema, settings, this.#problems);
    }
    if (
      document.model !== undefined &&
      !whole.pipeline?.some(({ name }) => takesModel(name, known))
    ) {
      const { file, line } = document.model.at;
      this.#notices.push(`${file}:${line}: no component of the pipeline asks a model`);
    }
  }
}

/** `document` laid over its base, whose name, description and matrix stay behind. */
function overlay(base: ConfigDocument, document: ConfigDocument): ConfigDocument {
  const components = merge(base.components, document.components);
  return {
    ...document,
    pipeline: document.pipeline ?? base.pipeline,
    components: components?.kind === 'map' ? components : document.components,
    model: merge(base.model, document.model),
    inject: document.inject ?? base.inject,
    own: new Map([...base.own, ...document.own]),
  };
}

/** A component's block without `use`, which is the harness's. */
function settingsOf(block: Located): Located {
  if (block.kind !== 'map' || !block.entries.has('use')) return block;
  const entries = new Map(block.entries);
  entries.delete('use');
  return { ...block, entries };
}

/** Where the components of the author's own are, as their documents say it. */
function usesOf({ components }: ConfigDocument): Map<string, string> {
  const uses = new Map<string, string>();
  for (const [key, { value }] of components.entries) {
    const use = child(value, 'use');
    if (use?.kind === 'scalar' && typeof use.value === 'string') uses.set(key, use.value);
  }
  return uses;
}

function treeOf({ components, model }: ConfigDocument): Located {
  const entries = new Map([['components', { keyAt: components.at, value: components as Located }]]);
  if (model !== undefined) entries.set('model', { keyAt: model.at, value: model });
  return { kind: 'map', at: components.at, entries };
}

const VARIABLES: Readonly<Record<string, string>> = {
  model: 'CHEAP_MODEL',
  provider: 'CHEAP_MODEL_PROVIDER',
  base_url: 'CHEAP_MODEL_BASE',
  api_key: 'CHEAP_MODEL_KEY',
  auth: 'CHEAP_MODEL_AUTH',
};

/** A `model` block out of environment variables; an empty variable counts as unset. */
function fromEnvironment(values: Readonly<Record<string, string | undefined>>): Located {
  let block: Located = emptyMap({ file: 'CHEAP_MODEL' });
  for (const [key, value] of Object.entries(values)) {
    if (value === undefined || value === '') continue;
    const at = { file: VARIABLES[key] ?? key, key: `model.${key}` };
    block = withValue(block, [key], { kind: 'scalar', at, value });
  }
  return block;
}
