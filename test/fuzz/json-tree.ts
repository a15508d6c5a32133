import { elements, members, rootSpan, type Span, slice } from '../../src/wire/json-spans.ts';

/** JSON that can also say what values cannot: repeated keys, `__proto__`, `1e999`, spellings of numbers. */
export type Tree =
  | { readonly kind: 'object'; members: Member[] }
  | { readonly kind: 'array'; items: Tree[] }
  | { readonly kind: 'raw'; readonly text: string };

interface Member {
  key: string;
  value: Tree;
}

export const raw = (text: string): Tree => ({ kind: 'raw', text });
export const literal = (value: unknown): Tree => raw(JSON.stringify(value) ?? 'null');

/** Deeper than any recording; a mutation may have nested it beyond what recursion takes. */
const DEEPEST = 200;

/** Undefined of a text that is no JSON, or nested too deep. */
export function parseTree(text: string): Tree | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  return treeAt(text, rootSpan(text), 0);
}

function treeAt(text: string, span: Span, depth: number): Tree | undefined {
  if (depth > DEEPEST) return undefined;
  const first = text[span.start];
  if (first === '{') {
    const found: Member[] = [];
    for (const { key, value } of members(text, span)) {
      const inner = treeAt(text, value, depth + 1);
      if (inner === undefined) return undefined;
      found.push({ key, value: inner });
    }
    return { kind: 'object', members: found };
  }
  if (first === '[') {
    const items: Tree[] = [];
    for (const element of elements(text, span)) {
      const inner = treeAt(text, element, depth + 1);
      if (inner === undefined) return undefined;
      items.push(inner);
    }
    return { kind: 'array', items };
  }
  return raw(slice(text, span));
}

/** How JSON is laid out: `dense`, with spaces in one line, or indented over lines. */
export type Layout = 'dense' | 'spaced' | 'indented';

export function printTree(tree: Tree, layout: Layout = 'dense', depth = 0): string {
  if (tree.kind === 'raw') return tree.text;
  const [open, close] = tree.kind === 'object' ? '{}' : '[]';
  const colon = layout === 'dense' ? ':' : ': ';
  const inner =
    tree.kind === 'object'
      ? tree.members.map(
          ({ key, value }) =>
            `${JSON.stringify(key)}${colon}${printTree(value, layout, depth + 1)}`,
        )
      : tree.items.map((item) => printTree(item, layout, depth + 1));
  if (inner.length === 0 || layout === 'dense') return `${open}${inner.join(',')}${close}`;
  if (layout === 'spaced') return `${open} ${inner.join(', ')} ${close}`;
  const margin = '  '.repeat(depth + 1);
  return `${open}\n${inner.map((text) => margin + text).join(',\n')}\n${margin.slice(2)}${close}`;
}

/** A place in a tree: what holds a value, and where. */
export type Place =
  | { readonly holder: Tree & { readonly kind: 'object' }; readonly index: number }
  | { readonly holder: Tree & { readonly kind: 'array' }; readonly index: number };

/** All places below the root. */
export function placesOf(tree: Tree): Place[] {
  const places: Place[] = [];
  const visit = (holder: Tree): void => {
    if (holder.kind === 'object') {
      for (const [index, { value }] of holder.members.entries()) {
        places.push({ holder, index });
        visit(value);
      }
    } else if (holder.kind === 'array') {
      for (const [index, value] of holder.items.entries()) {
        places.push({ holder, index });
        visit(value);
      }
    }
  };
  visit(tree);
  return places;
}

export function valueAt({ holder, index }: Place): Tree {
  const found = holder.kind === 'object' ? holder.members[index]?.value : holder.items[index];
  return found ?? raw('null');
}

export function putAt(place: Place, value: Tree): void {
  if (place.holder.kind === 'array') place.holder.items[place.index] = value;
  else {
    const member = place.holder.members[place.index];
    if (member !== undefined) member.value = value;
  }
}

export function copyOf(tree: Tree): Tree {
  if (tree.kind === 'raw') return tree;
  if (tree.kind === 'array') return { kind: 'array', items: tree.items.map(copyOf) };
  return {
    kind: 'object',
    members: tree.members.map(({ key, value }) => ({ key, value: copyOf(value) })),
  };
}

/** A string in a JSON value, and where it stands. */
export interface PlacedText {
  readonly text: string;
  /** The keys that lead to it, and what stands beside each of them; places in arrays are left out. */
  readonly place: string;
}

/** Every string in a JSON value, at any depth; none of a text that is no JSON. */
export function textsIn(json: string): readonly PlacedText[] {
  const found: PlacedText[] = [];
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return found;
  }
  // Not recursive: a mutation may nest deep.
  const pending: { value: unknown; place: string }[] = [{ value, place: '' }];
  for (let one = pending.pop(); one !== undefined; one = pending.pop()) {
    const { value: inner, place } = one;
    if (typeof inner === 'string') found.push({ text: inner, place });
    else if (Array.isArray(inner)) {
      // Attributes that are a list of keys and values.
      const attributes = inner.every(isAttribute) ? `|${digest(JSON.stringify(inner))}` : '';
      const beside = place.length > 500 ? place : `${place}[]${attributes}`;
      for (const item of inner) pending.push({ value: item, place: beside });
    } else if (typeof inner === 'object' && inner !== null) {
      const entries = Object.entries(inner);
      const beside = digest(entries.map(([key, item]) => `${key}=${outline(item)}`).join());
      // What is nested that deep is told apart by its beginning.
      const start = place.length > 500 ? place : `${place}|${beside}`;
      for (const [key, item] of entries) pending.push({ value: item, place: `${start}.${key}` });
    }
  }
  return found;
}

export function stringsIn(json: string): readonly string[] {
  return textsIn(json).map(({ text }) => text);
}

function isAttribute(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'key' in value && 'value' in value;
}

/** A value that says what its object is, or its type. */
function outline(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? '[]' : '{}';
  return JSON.stringify(value) ?? '';
}

/** FNV-1a. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
