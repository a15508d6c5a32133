/**
 * Whatever is written to stay goes through the few files that are crash-tested: a writer of its own would be one
 * that nobody has tried to kill.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

/** Who may call what changes the disk, and why it is safe. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  // Drafts that are put in their place in one step.
  'text/write-whole.ts': ['link', 'open', 'rename', 'rm'],
  'commands/import/write-file.ts': ['linkSync', 'openSync', 'renameSync', 'rmSync', 'writeSync'],
  // Whole lines at the end of a file, repaired by whoever goes on.
  'text/append-lines.ts': ['open'],
  'rows/csv.ts': ['open'],
  'model/cassette-file.ts': [
    ...['linkSync', 'mkdtempSync', 'openSync', 'rmSync', 'writeFileSync', 'writeSync'],
  ],
  // The lock, folders, and what is removed again.
  'sweep/lock.ts': ['rm'],
  'sweep/run-files.ts': ['mkdir', 'rm'],
  'commands/publish-results.ts': ['rm'],
  // A folder of scratch that nobody reads afterwards.
  'commands/fixtures/workspace.ts': [
    'copyFile',
    'cp',
    'mkdir',
    'mkdtemp',
    'open',
    'rm',
    'writeFile',
  ],
  'commands/fixtures/cassette.ts': ['mkdtemp', 'rm'],
};

const CHANGES =
  /^(?:appendFile|copyFile|cp|createWriteStream|link|mkdir|mkdtemp|open|rename|rm|rmdir|symlink|truncate|unlink|write|writeFile|writev)(?:Sync)?$/;

/** Names of functions of `node:fs` that change something, as a file imports or calls them. */
function changesIn(file: string, text: string): readonly string[] {
  if (!text.includes('node:fs')) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
  const found = new Set<string>();
  const namespaces = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      ts.isImportDeclaration(node) &&
      /^'node:fs(?:\/promises)?'$/.test(node.moduleSpecifier.getText())
    ) {
      const bindings = node.importClause?.namedBindings;
      if (bindings !== undefined && ts.isNamedImports(bindings)) {
        for (const { name, propertyName } of bindings.elements) {
          found.add((propertyName ?? name).text);
        }
      }
      if (bindings !== undefined && ts.isNamespaceImport(bindings))
        namespaces.add(bindings.name.text);
      if (node.importClause?.name !== undefined) namespaces.add(node.importClause.name.text);
    }
    if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      if (namespaces.has(node.expression.text)) found.add(node.name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found].filter((name) => CHANGES.test(name)).toSorted();
}

/** Reading alone. */
const READERS = new Set(['open', 'openSync']);

function strangers(sources: ReadonlyMap<string, string>): readonly string[] {
  return [...sources].flatMap(([file, text]) => {
    const allowed = new Set(WRITERS[file] ?? []);
    // A file that only opens is a reader, unless it asks for more than reading.
    const opensToRead = !/open(?:Sync)?\([^()]*'(?:a|w|r\+)/.test(text);
    return changesIn(file, text)
      .filter((name) => !allowed.has(name) && !(READERS.has(name) && opensToRead))
      .map((name) => `${file}: ${name}`);
  });
}

function sourcesIn(folder: string, skipped: RegExp): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.ts') && !skipped.test(name))
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

const root = resolve(import.meta.dirname, '../../src');
/** Texts of programs that the scripted agent writes in its scratch folder. */
const TOLD = /^commands\/fixtures\/(?!workspace|cassette)/;
const sources = sourcesIn(root, TOLD);

test('only the crash-tested writers change the disk', () => {
  expect(strangers(sources)).toEqual([]);
  for (const file of Object.keys(WRITERS)) expect([...sources.keys()]).toContain(file);
});

test('each of them still does what it is allowed to', () => {
  for (const [file, names] of Object.entries(WRITERS)) {
    expect(changesIn(file, sources.get(file) ?? ''), file).toEqual(names.toSorted());
  }
});

test.each([
  ["import { writeFile } from 'node:fs/promises';", 'writeFile'],
  ["import { writeFileSync as put } from 'node:fs';", 'writeFileSync'],
  ["import * as fs from 'node:fs';\nfs.createWriteStream('x');", 'createWriteStream'],
  ["import fs from 'node:fs';\nfs.renameSync('x', 'y');", 'renameSync'],
  ["import { open } from 'node:fs/promises';\nawait open(file, 'w');", 'open'],
])('a writer of its own is seen: %j', (line, name) => {
  expect(strangers(new Map([['commands/page.ts', line]]))).toEqual([`commands/page.ts: ${name}`]);
  expect(
    strangers(new Map([['a.ts', "import { open, readFile } from 'node:fs/promises';"]])),
  ).toEqual([]);
});
