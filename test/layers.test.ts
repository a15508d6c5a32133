import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

/** The parts of the design from top to bottom; those in one row stand side by side. */
const LAYERS: readonly (readonly string[])[] = [
  ['cli.ts', 'api.ts'],
  ['commands'],
  ['report'],
  ['sweep'],
  ['rows'],
  ['replay'],
  ['compaction'],
  ['shape', 'recordings'],
  ['wire'],
  ['transcript', 'model'],
  ['text'],
  ['errors.ts'],
];

/** Path under `src/`, with `/`, → text. */
type Sources = ReadonlyMap<string, string>;

/** Every node of a file's syntax tree. */
function nodesOf(file: string, text: string): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, false));
  return nodes;
}

/** What a node imports or passes on: the specifier of an import, an export or an `import()`. */
function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    const { moduleSpecifier } = node;
    return moduleSpecifier && ts.isStringLiteral(moduleSpecifier)
      ? moduleSpecifier.text
      : undefined;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [specifier] = node.arguments;
    return specifier && ts.isStringLiteral(specifier) ? specifier.text : undefined;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return ts.isStringLiteral(node.argument.literal) ? node.argument.literal.text : undefined;
  }
  return undefined;
}

/** The project's own files that a file imports, types included, as paths under `src/`. */
function importsOf(file: string, text: string): string[] {
  return nodesOf(file, text)
    .map(specifierOf)
    .filter((specifier) => specifier?.startsWith('.') === true)
    .map((specifier) => posix.join(posix.dirname(file), specifier ?? ''));
}

function partOf(file: string): string {
  return file.split('/')[0] ?? file;
}

function layerOf(file: string): number {
  return LAYERS.findIndex((row) => row.includes(partOf(file)));
}

/** Imports that go up or sideways, or to a part that the design does not have. */
function upwardImports(sources: Sources): string[] {
  const wrong: string[] = [];
  for (const [file, text] of sources) {
    if (layerOf(file) < 0) wrong.push(`${file}: no part of the design`);
    for (const path of importsOf(file, text)) {
      const allowed = partOf(path) === partOf(file) || layerOf(path) > layerOf(file);
      if (!allowed) wrong.push(`${file} → ${path}`);
    }
  }
  return wrong;
}

/** Imports of files that are not there. */
function missingImports(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) =>
    importsOf(file, text)
      .filter((path) => !sources.has(path))
      .map((path) => `${file} → ${path}`),
  );
}

/** Each cycle once, as the files on it; imports of types count too. */
function importCycles(sources: Sources): string[] {
  const cycles: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (file: string): void => {
    state.set(file, 'open');
    path.push(file);
    for (const next of importsOf(file, sources.get(file) ?? '')) {
      if (state.get(next) === 'open')
        cycles.push([...path.slice(path.indexOf(next)), next].join(' → '));
      else if (!state.has(next) && sources.has(next)) visit(next);
    }
    path.pop();
    state.set(file, 'done');
  };
  for (const file of sources.keys()) if (!state.has(file)) visit(file);
  return cycles;
}

/** Files other than `cli.ts` that reach for the process. */
function processUsers(sources: Sources): string[] {
  const uses = (node: ts.Node): boolean => {
    const specifier = specifierOf(node);
    if (specifier === 'process' || specifier === 'node:process') return true;
    if (ts.isPropertyAccessExpression(node)) {
      const { expression, name } = node;
      if (ts.isIdentifier(expression) && expression.text === 'globalThis')
        return name.text === 'process';
      return ts.isIdentifier(expression) && expression.text === 'process';
    }
    // `process['env']`, `const { env } = process`, `run(process)`.
    if (ts.isElementAccessExpression(node)) return isProcess(node.expression);
    if (ts.isVariableDeclaration(node)) return isProcess(node.initializer);
    return ts.isCallExpression(node) && node.arguments.some(isProcess);
  };
  return [...sources]
    .filter(([file, text]) => file !== 'cli.ts' && nodesOf(file, text).some(uses))
    .map(([file]) => file);
}

function isProcess(node: ts.Node | undefined): boolean {
  return node !== undefined && ts.isIdentifier(node) && node.text === 'process';
}

/** Files that pass on what others define. */
function barrels(sources: Sources): string[] {
  const passesOn = (node: ts.Node) =>
    ts.isExportDeclaration(node) && node.moduleSpecifier !== undefined;
  return (
    [...sources]
      // `api.ts` is what components of the user's own import.
      .filter(([file]) => file !== 'api.ts')
      .filter(([file, text]) => /(^|\/)index\.ts$/.test(file) || nodesOf(file, text).some(passesOn))
      .map(([file]) => file)
  );
}

const CHECKS = { upwardImports, missingImports, importCycles, processUsers, barrels };

function readSources(): Sources {
  const root = resolve(dirname(import.meta.dirname), 'src');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => name.endsWith('.ts')).toSorted();
  return new Map(
    files.map((name) => [
      relative('', name).replaceAll('\\', '/'),
      readFileSync(join(root, name), 'utf8'),
    ]),
  );
}

describe('the source', () => {
  const sources = readSources();

  test('is all there', () => {
    expect(sources.size).toBeGreaterThan(50);
    const parts = new Set([...sources.keys()].map(partOf));
    for (const part of LAYERS.flat()) expect(parts, part).toContain(part);
    const imports = [...sources].flatMap(([file, text]) => importsOf(file, text));
    expect(imports.length).toBeGreaterThan(sources.size);
  });

  test.each(Object.entries(CHECKS))('has no %s', (_, check) => {
    expect(check(sources)).toEqual([]);
  });
});

describe('each check finds a seeded fault, and only that', () => {
  const clean: Record<string, string> = {
    'cli.ts': "import { sweep } from './commands/sweep.ts';\nprocess.exitCode = sweep();",
    'commands/sweep.ts':
      "import { run } from '../sweep/run.ts';\n// process.exit is for cli.ts\nexport const sweep = () => run();",
    'sweep/run.ts':
      "import type { Problem } from '../errors.ts';\nimport {\n  one,\n} from './cells.ts';\nexport const run = () => one as Problem;",
    'sweep/cells.ts':
      'export const one = 1;\nexport const processed = { process: 2 };\nconst text = `import x from "./gone.ts"; process.exit(1);`;',
    'wire/dialect.ts': 'export const dialect = 1;',
    'model/model.ts': 'export const model = 1;',
    'transcript/message.ts': 'export const message = 1;',
    'errors.ts': 'export type Problem = number;',
  };
  const faults: readonly [keyof typeof CHECKS, string, string][] = [
    ['upwardImports', 'errors.ts', "import { one } from './sweep/cells.ts';"],
    ['upwardImports', 'sweep/cells.ts', "import type { x } from '../commands/other.ts';"],
    ['upwardImports', 'model/model.ts', "import { message } from '../transcript/message.ts';"],
    ['upwardImports', 'wire/dialect.ts', "const late = import('../sweep/cells.ts');"],
    ['upwardImports', 'wire/dialect.ts', "import '../sweep/cells.ts';"],
    ['upwardImports', 'utils/all.ts', 'export const x = 1;'],
    ['missingImports', 'sweep/cells.ts', "import { x } from './gone.ts';"],
    ['importCycles', 'sweep/cells.ts', "import { run } from './run.ts';"],
    ['importCycles', 'sweep/cells.ts', "import type {\n  run,\n} from './run.ts';"],
    ['importCycles', 'sweep/cells.ts', "import { one } from './cells.ts';"],
    ['processUsers', 'commands/sweep.ts', 'process.exit(1);'],
    ['processUsers', 'sweep/run.ts', "import { env } from 'node:process';"],
    ['processUsers', 'sweep/run.ts', 'const { env } = globalThis.process;'],
    ['processUsers', 'sweep/run.ts', 'const { env } = process;'],
    ['processUsers', 'sweep/run.ts', "const home = process['env'].HOME;"],
    ['processUsers', 'sweep/run.ts', 'run(process);'],
    ['barrels', 'sweep/index.ts', 'export const x = 1;'],
    ['barrels', 'sweep/run.ts', "export { one } from './cells.ts';"],
    ['barrels', 'sweep/run.ts', "export * from './cells.ts';"],
    ['upwardImports', 'sweep/cells.ts', "import { one } from '../api.ts';"],
  ];

  test.each(Object.entries(CHECKS))('%s finds nothing in a clean source', (_, check) => {
    expect(check(new Map(Object.entries(clean)))).toEqual([]);
  });

  test.each(faults)('%s: %s with %j', (name, file, line) => {
    const sources = new Map(Object.entries(clean));
    sources.set(file, `${line}\n${sources.get(file) ?? ''}`);
    expect(CHECKS[name](sources)).toHaveLength(1);
  });
});
