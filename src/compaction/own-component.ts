import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import { HarnessError, messageOf } from '../errors.ts';
import { type CatalogEntry, catalogEntry } from './catalog.ts';
import type { Component } from './component.ts';

/** A component of the user's own, loaded from a file. */
export interface OwnComponent {
  readonly entry: CatalogEntry;
  /** SHA-256 (16 hexadecimal digits) of the file and of the files that it imports by a relative path. */
  readonly code: string;
}

/**
 * Loads the component that a TypeScript or JavaScript file has as its default export, made with
 * `defineComponent`.
 *
 * Rejects with `config.component`: no such file, a file that cannot be loaded, or one that gives no component.
 */
export async function loadComponent(path: string): Promise<OwnComponent> {
  const file = resolve(path);
  const code = await codeHash(file, path);
  let loaded: unknown;
  try {
    loaded = await importFile(pathToFileURL(file).href);
  } catch (cause) {
    throw broken(path, `cannot be loaded: ${messageOf(cause)}`, cause);
  }
  const component = checkComponent(defaultExport(loaded), path);
  const entry = catalogEntry(component);
  return {
    code,
    entry: {
      ...entry,
      bind: (key, settings) => {
        const outcome = entry.bind(key, settings);
        return outcome.ok ? { ok: true, bound: { ...outcome.bound, code } } : outcome;
      },
    },
  };
}

/** Whether this module runs as JavaScript, and so without a loader that reads TypeScript. */
const isBuilt = !import.meta.url.endsWith('.ts');

let hasLoader = false;

/**
 * Node 20 reads TypeScript only with a loader, which the built package does not start with. It comes before the
 * first try: Node remembers a file that it could not load.
 */
async function importFile(url: string): Promise<unknown> {
  if (isBuilt && !hasLoader && /\.[cm]?tsx?$/.test(url)) {
    const [forImport, forRequire] = await Promise.all([
      import('tsx/esm/api'),
      // A folder that does not say `"type": "module"` has its files loaded by `require`.
      import('tsx/cjs/api'),
    ]);
    forImport.register();
    forRequire.register();
    hasLoader = true;
  }
  return await import(url);
}

function broken(file: string, message: string, cause?: unknown): HarnessError {
  return new HarnessError('config.component', message, {
    at: { file },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** A file that the loader takes for CommonJS has its default one level deeper. */
function defaultExport(loaded: unknown): unknown {
  const outer = property(loaded, 'default');
  return property(outer, 'compact') === undefined ? (property(outer, 'default') ?? outer) : outer;
}

function property(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Reflect.get(value, key);
}

const FORM = 'expected "export default defineComponent({ … })" (docs/own-component.md)';

/** What a component must be, whatever its author's compiler let pass. */
const componentShape = z.object({
  name: z.string().regex(/^[a-z][a-z0-9_]*$/, 'expected lower-case words joined by _'),
  kind: z.enum(['reformat', 'offload'], 'expected reformat or offload'),
  about: z.string().min(1, 'expected a sentence'),
  version: z.int('expected a whole number, raised with every change of its results').min(1),
  timeLimit: z.number('expected milliseconds').positive('expected milliseconds'),
  stashes: z.literal(false, 'expected false, or nothing').optional(),
  config: z.custom<z.ZodType>(
    (value) => value instanceof z.ZodType,
    'expected a zod schema: z.strictObject({ … })',
  ),
  compact: z.custom<unknown>(
    (value) => typeof value === 'function',
    'expected a function (request, config, context) => outcome',
  ),
});

function checkComponent(value: unknown, file: string): Component<unknown> {
  if (value === undefined) throw broken(file, `no default export, ${FORM}`);
  const checked = componentShape.safeParse(value);
  if (!checked.success) {
    if (typeof value !== 'object' || value === null) {
      throw broken(file, `the default export is no component, ${FORM}`);
    }
    const faults = checked.error.issues.map(
      ({ path, message }) =>
        `${path.join('.')}: ${property(value, String(path[0])) === undefined ? 'missing, ' : ''}${message}`,
    );
    throw broken(file, `the default export is no component: ${faults.join('; ')}`);
  }
  const schema = objectSchema(checked.data.config);
  if (schema === undefined || !(schema.def.catchall instanceof z.ZodNever)) {
    const message = 'config: a key that is misspelled would pass, expected z.strictObject({ … })';
    throw broken(file, message);
  }
  return value as Component<unknown>;
}

/** The mapping under defaults and refinements. */
function objectSchema(schema: z.ZodType): z.ZodObject | undefined {
  if (schema instanceof z.ZodObject) return schema;
  const isWrapped =
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodOptional;
  const inner: unknown = isWrapped
    ? schema.unwrap()
    : schema instanceof z.ZodPipe
      ? schema.in
      : undefined;
  return inner instanceof z.ZodType ? objectSchema(inner) : undefined;
}

/** `from './x.ts'`, `import './x.ts'`, `import('./x.ts')`. */
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*(['"])(\.{1,2}\/[^'"\n]+)\1/g;

const harness = fileURLToPath(new URL('../', import.meta.url));

/** Hash of a file's code and of its own helpers'; what it imports from the harness has the harness's version. */
async function codeHash(file: string, shown: string): Promise<string> {
  const texts = new Map<string, string>();
  const pending = [file];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (texts.has(next) || next.startsWith(harness)) continue;
    let text: string;
    try {
      text = await readFile(next, 'utf8');
    } catch (cause) {
      // A helper that cannot be read is told by the import, with the name of who wants it.
      if (next !== file) continue;
      throw broken(shown, 'cannot be read, expected a TypeScript file', cause);
    }
    texts.set(next, text);
    for (const [, , path = ''] of text.matchAll(RELATIVE_IMPORT)) {
      pending.push(resolve(dirname(next), path));
    }
  }
  const digest = createHash('sha256');
  for (const text of [...texts.values()].toSorted()) digest.update(text).update('\0');
  return digest.digest('hex').slice(0, 16);
}
