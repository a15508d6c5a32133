import { readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { HarnessError, nearestName, type Place } from '../errors.ts';
import { visible } from '../text/visible.ts';
import { wholeBytes } from '../text/whole-file.ts';
import { type ConfigDocument, readConfigDocument } from './config-document.ts';
import { type Problems, shown } from './problems.ts';
import { LARGEST_YAML } from './yaml-document.ts';

/** Thresholds of `gate`, which stand beside the configs and are none. */
const NO_CONFIG = 'gate.yaml';

/** Where named documents stand: one folder, or several that stand for one. */
export type ConfigFolders = string | readonly string[];

/** The documents of a folder; each file is read once. */
export class ConfigFolder {
  readonly folder: string;
  /** File stem → path, by name. */
  readonly files: ReadonlyMap<string, string>;
  readonly #problems: Problems;
  readonly #notices: string[];
  readonly #documents = new Map<string, Promise<ConfigDocument | undefined>>();

  private constructor(
    folder: string,
    files: ReadonlyMap<string, string>,
    problems: Problems,
    notices: string[],
  ) {
    this.folder = folder;
    this.files = files;
    this.#problems = problems;
    this.#notices = notices;
  }

  /** A missing folder holds no documents; of two with one name, that of the later folder is taken. */
  static async open(
    folders: ConfigFolders,
    problems: Problems,
    notices: string[],
  ): Promise<ConfigFolder> {
    const files = new Map<string, string>();
    for (const folder of [folders].flat()) {
      const stems = (await filesOf(folder)).map((name) => basename(name, '.yaml'));
      for (const stem of stems.toSorted()) files.set(stem, join(folder, `${stem}.yaml`));
    }
    return new ConfigFolder([folders].flat().join(', '), files, problems, notices);
  }

  /** The document of a file; `undefined`, with problems added, when nothing of it can be used. */
  read(file: string): Promise<ConfigDocument | undefined> {
    const known = this.#documents.get(file);
    if (known !== undefined) return known;
    const reading = this.#read(file);
    this.#documents.set(file, reading);
    return reading;
  }

  /** The documents that one builds on, the nearest first; `undefined` when one of them is unusable. */
  async basesOf(document: ConfigDocument): Promise<ConfigDocument[] | undefined> {
    const bases: ConfigDocument[] = [];
    let current = document;
    while (current.preset !== undefined) {
      const { at, value } = current.preset;
      const name = String(value);
      const file = this.files.get(name);
      if (file === undefined) {
        this.addMissing(name, at);
        return undefined;
      }
      const chain = [document, ...bases].map((link) => link.file);
      if (chain.includes(file)) {
        const circle = [...chain, file].map((link) => basename(link)).join(' → ');
        this.#problems.add('config.value', `preset: documents build on one another: ${circle}`, at);
        return undefined;
      }
      const base = await this.read(file);
      if (base === undefined) return undefined;
      bases.push(base);
      current = base;
    }
    return bases;
  }

  addMissing(name: string, at: Place): void {
    const near = nearestName(name, this.files.keys());
    const hint = near === undefined ? '.' : `; did you mean "${near}"?`;
    const known = [...this.files.keys()].join(', ') || 'none';
    const message = `no config ${shown(name)} in ${this.folder}${hint} Configs there: ${known}`;
    this.#problems.add('config.missing', message, at);
  }

  async #read(file: string): Promise<ConfigDocument | undefined> {
    const text = await readText(file, this.#problems);
    if (text === undefined) return undefined;
    const stem = visible(basename(file, extname(file)));
    return await readConfigDocument(text, file, stem, this.#problems, this.#notices);
  }
}

async function filesOf(folder: string): Promise<string[]> {
  try {
    const names = await readdir(folder);
    return names.filter(
      (name) => name.endsWith('.yaml') && !name.startsWith('.') && name !== NO_CONFIG,
    );
  } catch (cause) {
    if (codeOfFailure(cause) === 'ENOENT') return [];
    throw new HarnessError('config.missing', `cannot read the folder (${codeOfFailure(cause)})`, {
      cause,
      at: { file: folder },
    });
  }
}

async function readText(file: string, problems: Problems): Promise<string | undefined> {
  try {
    const bytes = await wholeBytes(file, { what: 'the config', limit: 4 * LARGEST_YAML });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof HarnessError) {
      problems.add('config.missing', `${error.message}, expected a config document`, { file });
    } else {
      const message = 'is not UTF-8 text, expected a YAML document';
      problems.add('config.syntax', message, { file });
    }
    return undefined;
  }
}

function codeOfFailure(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
