import { readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { cannotMakeFolder, makeFolder } from '../sweep/run-files.ts';
import { writeWhole } from '../text/write-whole.ts';
import { columnsPage } from './docs/columns-page.ts';
import { configKeysPage } from './docs/config-keys-page.ts';
import { licencesPage } from './docs/licences-page.ts';
import { rulesPage } from './docs/rules-page.ts';
import type { Environment, ExitCode } from './environment.ts';
import { projectPath } from './project.ts';

export interface DocsOptions {
  /** Compare with what is there, and write nothing. */
  readonly check: boolean;
}

/** The pages that are made from the code, by file name. */
export const docsPages: Readonly<Record<string, () => string[]>> = {
  'columns.md': columnsPage,
  'config-keys.md': configKeysPage,
  'licences.md': licencesPage,
  'rules.md': rulesPage,
};

const ORIGIN =
  '<!-- Made from the code by `npm run docs`; what is written here by hand is lost. -->';

/** The whole text of a page. */
export function docsText(lines: readonly string[]): string {
  return `${ORIGIN}\n\n${lines.join('\n')}\n`;
}

/**
 * `docs`: writes the pages of `docs/` that are made from the code; with `check` it compares them.
 * @returns 1 when a page differs. Rejects with `output.write` where one cannot be written.
 */
export async function docs({ check }: DocsOptions, environment: Environment): Promise<ExitCode> {
  const { cwd, stdout } = environment;
  const folder = resolve(cwd, projectPath(cwd, 'docs'));
  let exitCode: ExitCode = 0;
  for (const [name, page] of Object.entries(docsPages)) {
    const file = resolve(folder, name);
    const shown = relative(cwd, file);
    const text = docsText(page());
    const found = await readFile(file, 'utf8').catch(() => undefined);
    if (found === text) {
      stdout.write(`${shown}: as it should be\n`);
    } else if (check) {
      stdout.write(`${shown}: ${found === undefined ? 'missing' : 'out of date'}: npm run docs\n`);
      exitCode = 1;
    } else {
      await makeFolder(folder).catch((cause: unknown) => {
        throw cannotMakeFolder(folder, cause, 'make it by hand');
      });
      await writeWhole(file, text, { elsewhere: 'make it writable' });
      stdout.write(`${shown}: written\n`);
    }
  }
  return exitCode;
}
