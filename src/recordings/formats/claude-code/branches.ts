import type { SessionRecord } from './records.ts';

/**
 * The conversations among records that form trees through their parents: for each root the path to its
 * newest message, in order, completed by what belongs to the path's messages but hangs beside it.
 *
 * An edit or a repeated turn starts a branch, and the older branch is left out. Parallel calls make side
 * branches that are none: the records of one response hang under each other, and each result under the
 * record of its own call. So records that share a response with the path, and results that answer a
 * call of the path and are not on it, are added.
 *
 * Where no record names a parent that is there, file order is the path. A record whose parent is
 * missing (a broken line) follows the record before it in its file.
 */
export function conversationsOf(records: readonly SessionRecord[]): readonly SessionRecord[][] {
  const known = new Map<string, SessionRecord>();
  for (const record of records) if (record.uuid !== undefined) known.set(record.uuid, record);
  const isLinked = records.some(({ parent }) => parent !== undefined && known.has(parent));
  if (!isLinked) return [[...records]];
  const parents = parentsOf(records, known);
  const trees = new Map<SessionRecord, SessionRecord[]>();
  const roots = new Map<SessionRecord, SessionRecord>();
  for (const record of records) {
    const root = rootOf(record, parents, roots);
    const tree = trees.get(root);
    if (tree === undefined) trees.set(root, [record]);
    else tree.push(record);
  }
  return [...trees.values()]
    .map((tree) => complete(newestPath(tree, parents), tree, parents))
    .filter((path) => path.length > 0);
}

type Parents = ReadonlyMap<SessionRecord, SessionRecord>;

function parentsOf(
  records: readonly SessionRecord[],
  known: ReadonlyMap<string, SessionRecord>,
): Parents {
  const parents = new Map<SessionRecord, SessionRecord>();
  const previous = new Map<string, SessionRecord>();
  let allBackward = true;
  for (const record of records) {
    const named = record.parent === undefined ? undefined : known.get(record.parent);
    const parent = named ?? (record.parent === undefined ? undefined : previous.get(record.file));
    if (parent !== undefined) {
      allBackward &&= parent.position < record.position;
      // Links that all lead backward can close no ring.
      if (allBackward || !isAbove(record, parent, parents)) parents.set(record, parent);
    }
    if (record.message !== undefined) previous.set(record.file, record);
  }
  return parents;
}

/** True when `record` is `other` or one of its ancestors: a link would close a ring. */
function isAbove(record: SessionRecord, other: SessionRecord, parents: Parents): boolean {
  for (let at: SessionRecord | undefined = other; at !== undefined; at = parents.get(at)) {
    if (at === record) return true;
  }
  return false;
}

function rootOf(
  record: SessionRecord,
  parents: Parents,
  roots: Map<SessionRecord, SessionRecord>,
): SessionRecord {
  const passed: SessionRecord[] = [];
  let at = record;
  let root = roots.get(at);
  while (root === undefined) {
    passed.push(at);
    const parent = parents.get(at);
    if (parent === undefined) root = at;
    else {
      at = parent;
      root = roots.get(at);
    }
  }
  for (const below of passed) roots.set(below, root);
  return root;
}

function newestPath(tree: readonly SessionRecord[], parents: Parents): SessionRecord[] {
  let newest: SessionRecord | undefined;
  for (const record of tree) {
    if (record.message === undefined) continue;
    if (newest === undefined || isNewer(record, newest)) newest = record;
  }
  const path: SessionRecord[] = [];
  for (let at = newest; at !== undefined; at = parents.get(at)) path.push(at);
  return path.reverse();
}

function isNewer(a: SessionRecord, b: SessionRecord): boolean {
  if (a.time !== undefined && b.time !== undefined && a.time !== b.time) return a.time > b.time;
  return a.position > b.position;
}

function complete(
  path: readonly SessionRecord[],
  tree: readonly SessionRecord[],
  parents: Parents,
): SessionRecord[] {
  const onPath = new Set(path);
  const responses = new Set(path.flatMap(({ message }) => message?.id ?? []));
  const parts = tree.filter(
    (record) =>
      onPath.has(record) || (record.message?.id !== undefined && responses.has(record.message.id)),
  );
  const included = new Set(parts);
  const calls = new Set(parts.flatMap(({ message }) => message?.callIds ?? []));
  const answered = new Set(parts.flatMap(({ message }) => message?.resultIds ?? []));
  for (const record of tree) {
    const ids = record.message?.resultIds ?? [];
    if (included.has(record) || ids.length === 0) continue;
    const isMissing = ids.every((id) => calls.has(id) && !answered.has(id));
    if (!isMissing || !hangsUnder(record, included, parents)) continue;
    included.add(record);
    for (const id of ids) answered.add(id);
  }
  return inOrder(
    path,
    [...included].filter((record) => !onPath.has(record)),
    parents,
  );
}

/** True when the way up from the record meets the path before any other message. */
function hangsUnder(
  record: SessionRecord,
  included: ReadonlySet<SessionRecord>,
  parents: Parents,
): boolean {
  for (let at = parents.get(record); at !== undefined; at = parents.get(at)) {
    if (included.has(at)) return true;
    if (at.message !== undefined && at.message.resultIds.length === 0) return false;
  }
  return false;
}

/** The path with each added record behind the record that it hangs under. */
function inOrder(
  path: readonly SessionRecord[],
  added: readonly SessionRecord[],
  parents: Parents,
): SessionRecord[] {
  const onPath = new Set(path);
  const behind = new Map<SessionRecord, SessionRecord[]>();
  for (const record of added) {
    let anchor = parents.get(record);
    while (anchor !== undefined && !onPath.has(anchor)) anchor = parents.get(anchor);
    const key = anchor ?? path[0];
    if (key === undefined) continue;
    const list = behind.get(key);
    if (list === undefined) behind.set(key, [record]);
    else list.push(record);
  }
  return path.flatMap((record) => [
    record,
    ...(behind.get(record) ?? []).sort((a, b) => a.position - b.position),
  ]);
}
