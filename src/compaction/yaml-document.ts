import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { Place } from '../errors.ts';
import { dotted, type Located, type LocatedEntry, type LocatedMap, plain } from './located.ts';
import { Problems, shown } from './problems.ts';

/** Most characters of a document. Far above any config: these keep a hostile one from taking memory or time. */
export const LARGEST_YAML = 256 * 1024;
const MOST_NODES = 20_000;
const DEEPEST = 32;
const TOO_DEEP = `nested deeper than ${DEEPEST} levels`;

/**
 * Reads one YAML document whose root is a mapping. What is wrong is added to `problems`
 * (`config.syntax`, `config.key`) with line and column; `undefined` when nothing can be used.
 */
export function readYamlMapping(
  text: string,
  file: string,
  problems: Problems,
  example = 'pipeline: [summarize]',
): LocatedMap | undefined {
  const root = readYaml(text, { file }, problems);
  if (root === undefined) return undefined;
  if (root.kind === 'map') return root;
  const found =
    root.kind === 'list'
      ? 'a list'
      : root.value === null
        ? 'an empty document'
        : 'a single value (is the space after a colon missing?)';
  const expected = `expected a mapping such as "${example}"`;
  problems.add('config.syntax', `found ${found}, ${expected}`, root.at);
  return undefined;
}

/**
 * Reads one YAML value. `origin` is the place of a text that is no file, such as an option: then all
 * of it has that one place.
 */
export function readYaml(text: string, origin: Place, problems: Problems): Located | undefined {
  if (text.length > LARGEST_YAML) {
    problems.add('config.syntax', `longer than ${LARGEST_YAML / 1024} KiB, no config is`, origin);
    return undefined;
  }
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const lines = new LineCounter();
  const placeAt = (offset: number, key?: string): Place => {
    if (origin.key !== undefined) return origin;
    const { line, col } = lines.linePos(offset);
    return { ...origin, line, column: col, ...(key === undefined ? {} : { key }) };
  };
  const document = parse(source, lines);
  if (document === undefined) {
    problems.add('config.syntax', TOO_DEEP, origin);
    return undefined;
  }
  const faults = [...document.errors, ...document.warnings];
  if (faults.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) {
    problems.add('config.syntax', TOO_DEEP, origin);
    return undefined;
  }
  // What follows on the same line is most often a consequence of the first fault.
  for (const fault of faults.filter(startsLine(lines))) {
    problems.add('config.syntax', describeFault(fault), placeAt(fault.pos[0]));
  }
  if (faults.length > 0) return undefined;
  return new Conversion(placeAt, problems).convert(document.contents);
}

/**
 * A document that a sweep wrote, such as a config in a manifest, as a plain value, within the same limits;
 * undefined where it is none.
 */
export function plainYaml(text: string): unknown {
  const problems = new Problems();
  const root = readYaml(text, {}, problems);
  return root === undefined || problems.count > 0 ? undefined : plain(root);
}

/** True for the first fault of each line. */
function startsLine(lines: LineCounter): (fault: YAMLError) => boolean {
  const seen = new Set<number>();
  return ({ pos }) => {
    const { line } = lines.linePos(pos[0]);
    if (seen.has(line)) return false;
    seen.add(line);
    return true;
  };
}

function parse(source: string, lineCounter: LineCounter) {
  try {
    return parseDocument<ParsedNode>(source, {
      lineCounter,
      prettyErrors: false, // an excerpt could show an API key
      uniqueKeys: false, // found in the conversion, which names the key and both lines
      version: '1.2',
      schema: 'core',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the parser's recursion met its limit
    throw error;
  }
}

/** From syntax nodes to located values: aliases resolved, keys unique, depth and size bounded. */
class Conversion {
  readonly #anchors = new Map<string, Node>();
  readonly #placeAt: (offset: number, key?: string) => Place;
  readonly #problems: Problems;
  #nodes = 0;
  #unusable = false;

  constructor(placeAt: (offset: number, key?: string) => Place, problems: Problems) {
    this.#placeAt = placeAt;
    this.#problems = problems;
  }

  convert(node: Node | null): Located | undefined {
    const root = this.#convert(node, '', 0, 0);
    return this.#unusable ? undefined : root;
  }

  #convert(node: Node | null, key: string, offset: number, depth: number): Located {
    const at = this.#placeAt(node?.range?.[0] ?? offset, key);
    const nothing: Located = { kind: 'scalar', at, value: null };
    if (node === null || !this.#withinLimits(at, depth)) return nothing;
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source);
      if (target !== undefined) return this.#convert(target, key, offset, depth + 1);
      this.#problems.add(
        'config.syntax',
        'an alias ("*…") without an anchor of its name before it',
        at,
      );
      this.#unusable = true;
      return nothing;
    }
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined) {
      this.#anchors.set(node.anchor, node);
    }
    if (isMap(node)) {
      return { kind: 'map', at, entries: this.#entries(node.items, key, at, depth) };
    }
    if (isSeq(node)) {
      const items = node.items.map((item, index) =>
        this.#convert(asNode(item), dotted(key, [index]), node.range?.[0] ?? offset, depth + 1),
      );
      return { kind: 'list', at, items };
    }
    const value = isScalar(node) ? node.value : null;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return { kind: 'scalar', at, value };
    }
    return nothing;
  }

  #entries(
    pairs: readonly { key: unknown; value: unknown }[],
    parent: string,
    mapAt: Place,
    depth: number,
  ): Map<string, LocatedEntry> {
    const entries = new Map<string, LocatedEntry>();
    for (const pair of pairs) {
      const written = asNode(pair.key);
      const offset = written?.range?.[0] ?? 0;
      if (written === null || !isScalar(written) || written.value === null) {
        const at = written === null ? mapAt : this.#placeAt(offset, parent);
        this.#problems.add('config.key', 'a key must be a plain text', at);
        continue;
      }
      const name = String(written.value);
      const key = dotted(parent, [name]);
      const keyAt = this.#placeAt(offset, key);
      const earlier = entries.get(name);
      if (earlier !== undefined) {
        const line =
          earlier.keyAt.line === undefined ? '' : ` (first in line ${earlier.keyAt.line})`;
        const message = `the key ${shown(key)} stands here twice${line}: remove one`;
        this.#problems.add('config.syntax', message, keyAt);
        continue;
      }
      if (name === '__proto__') {
        this.#problems.add('config.key', 'unknown key "__proto__": remove it', keyAt);
        continue;
      }
      entries.set(name, {
        keyAt,
        value: this.#convert(asNode(pair.value), key, offset, depth + 1),
      });
    }
    return entries;
  }

  #withinLimits(at: Place, depth: number): boolean {
    this.#nodes++;
    if (this.#unusable) return false;
    if (depth > DEEPEST) {
      this.#problems.add('config.syntax', TOO_DEEP, at);
      this.#unusable = true;
    } else if (this.#nodes > MOST_NODES) {
      const message = `more than ${MOST_NODES} values once its aliases are filled in`;
      this.#problems.add('config.syntax', message, at);
      this.#unusable = true;
    }
    return !this.#unusable;
  }
}

function asNode(value: unknown): Node | null {
  return isScalar(value) || isMap(value) || isSeq(value) || isAlias(value) ? value : null;
}

const ADVICE: Partial<Record<YAMLError['code'], string>> = {
  BAD_DQ_ESCAPE: 'an escape that YAML does not know in a text in double quotes',
  BAD_INDENT: 'the indentation does not fit, or a bracket opened before is not closed',
  BAD_SCALAR_START: 'a text cannot start with this character: put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a mapping inside a line: put the text with the colon in quotes',
  MISSING_CHAR: 'a closing quote, bracket or comma, or the colon of a key, is missing',
  MULTILINE_IMPLICIT_KEY: 'a key without its colon (a key is one line, then a colon and a space)',
  MULTIPLE_DOCS: 'a second document starts here ("---"): one file holds one document',
  TAB_AS_INDENT: 'a tab used for indentation: use spaces',
  TAG_RESOLVE_FAILED: 'a tag ("!…"): config documents have none',
  UNEXPECTED_TOKEN: 'unexpected text here: put texts with special characters in quotes',
};

/** Our own words: the parser's quote the text, and that could be an API key. */
function describeFault(fault: YAMLError): string {
  const advice = ADVICE[fault.code] ?? fault.code.toLowerCase().replaceAll('_', ' ');
  return `not valid YAML: ${advice}`;
}
