import { isObject } from '../wire/json-object.ts';

/**
 * What a tool call acts on, spelled so that two spellings of the same are equal.
 *
 * The target is made of the arguments that name something: a path, a command, a query, an address or an id,
 * told by the last word of their key (`file_path`, `orderId`, `q`), at any depth. Everything else (a new
 * content, a limit, an explanation) says how and is left aside. A call without such an argument has all of
 * its arguments as its target.
 *
 * The order of keys and runs of white space do not matter; `5` is `"5"`; `./a//b/` is the path `a/b`; a path
 * that only says "here" (`.`) is left out, and so is what is empty. Of a patch its files are the target.
 *
 * @param json text of a JSON object; other text is a target as a whole
 */
export function targetOf(json: string): string {
  const value = parsed(json);
  if (!isObject(value)) return JSON.stringify(collapsed(json));
  const named: Named[] = [];
  collect(value, '', named);
  const parts = named.length > 0 ? named : everything(value);
  const sorted = parts.toSorted((a, b) => (spelled(a) < spelled(b) ? -1 : 1));
  return JSON.stringify(sorted.map(({ key, text }) => [key, text]));
}

interface Named {
  /** Keys from the outermost on, without positions in lists. */
  readonly key: string;
  readonly text: string;
}

type Kind = 'path' | 'command' | 'query' | 'address' | 'id' | 'patch';

/** What the last word of a key says that the argument is. */
const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    path: 'path paths file files filename filenames filepath dir directory folder notebook',
    command: 'command commands cmd script code program sql',
    query: 'query queries q pattern patterns regex regexp glob search term keyword keywords',
    address: 'url urls uri href',
    id: 'id ids key keys name names email symbol ref selector hash',
    patch: 'patch diff',
  } satisfies Record<Kind, string>).flatMap(([kind, words]) =>
    words.split(' ').map((word): [string, Kind] => [word, kind as Kind]),
  ),
);

/** Where a command runs is no more than how. */
const SURROUNDINGS = /^(?:cwd|work(?:ing)?_?(?:dir|directory|folder|path))$/i;

function kindOf(key: string, value: unknown): Kind | undefined {
  if (SURROUNDINGS.test(key)) return undefined;
  if (typeof value === 'string' && filesOfPatch(value).length > 0) return 'patch';
  const words = key.split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u);
  return kinds.get(
    words
      .filter((word) => word !== '')
      .at(-1)
      ?.toLowerCase() ?? '',
  );
}

function collect(value: unknown, path: string, named: Named[]): void {
  if (Array.isArray(value)) {
    for (const inner of value) collect(inner, path, named);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`;
    const kind = kindOf(key, inner);
    const text = kind === undefined ? undefined : textOf(inner, kind);
    if (text === undefined) collect(inner, at, named);
    else if (text !== '') named.push({ key: at, text });
  }
}

/** The spelled value; undefined of an object, which is looked into. */
function textOf(value: unknown, kind: Kind): string | undefined {
  if (Array.isArray(value)) {
    const texts = value.map((inner) => textOf(inner, kind));
    if (texts.some((text) => text === undefined)) return undefined;
    // A command may be a list of its words.
    return texts.join(kind === 'command' ? ' ' : '\n');
  }
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return undefined;
  const text = String(value);
  if (kind === 'path') return plainPath(text);
  const files = kind === 'patch' ? filesOfPatch(text) : [];
  return files.length > 0 ? files.join('\n') : collapsed(text);
}

function plainPath(text: string): string {
  const path = text
    .trim()
    .replace(/\/{2,}/g, '/')
    .replace(/^(?:\.\/)+/, '');
  if (path === '.' || path === '') return '';
  return path.length > 1 ? path.replace(/\/$/, '') : path;
}

/** Files that a patch changes, each once, in the order of their names. */
function filesOfPatch(text: string): string[] {
  const headers = /^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(?!\/dev\/null)(.+)$/gm;
  const files = [...text.matchAll(headers)].map(([, file = '']) => plainPath(file));
  return [...new Set(files)].toSorted();
}

function everything(value: object): Named[] {
  return Object.entries(value).map(([key, inner]) => ({ key, text: canonical(inner) }));
}

/** JSON text with sorted keys and collapsed white space. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return collapsed(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`).join(',')}}`;
}

function collapsed(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function spelled({ key, text }: Named): string {
  return `${key}\0${text}`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
