/** Cases of `validate --cases` and bodies of `validate FILE`: every file has an outcome, and a broken one says why. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkBody } from '../../../src/commands/validate/bodies.ts';
import { checkCases } from '../../../src/commands/validate/cases.ts';
import { readJsonFile } from '../../../src/commands/validate/read-json.ts';
import { shared } from '../../recordings/support.ts';
import { insist } from '../finding.ts';
import type { Fuzzer } from '../fuzzer.ts';
import type { Seed } from '../material.ts';
import { requestBodies } from '../samples.ts';
import { fileFuzzer } from './one-file.ts';

function seed(name: string, text: string): Seed {
  return { name, files: [{ path: 'case.json', kind: 'json', bytes: Buffer.from(text) }] };
}

function cases(): readonly Seed[] {
  const own = Object.entries(requestBodies).map(([provider, bodies]) => {
    const body: object = bodies.at(-1) ?? {};
    const lists = Object.values(body).filter(Array.isArray);
    const value = { provider, messages: lists.at(-1), valid: true, context: { model: 'claude-x' } };
    return seed(`own ${provider}`, JSON.stringify(value, null, 1));
  });
  const folder = join(shared, '../shape-cases');
  if (!existsSync(folder)) return own;
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return [...own, ...names.map((name) => seed(name, readFileSync(join(folder, name), 'utf8')))];
}

function bodies(): readonly Seed[] {
  return Object.entries(requestBodies).flatMap(([provider, all]) =>
    all.map((body, at) => seed(`${provider} ${at}`, JSON.stringify(body))),
  );
}

export const caseFuzzers: readonly Fuzzer[] = [
  fileFuzzer(
    { name: 'cases', about: 'labelled lists of validate --cases', seeds: cases },
    async ({ path }) => {
      const outcomes = await checkCases(path);
      insist(outcomes.length === 1, () => `${outcomes.length} outcomes of one file`);
      const [outcome] = outcomes;
      if (outcome?.kind !== 'broken') return 'read';
      insist(
        outcome.detail?.includes('case.json') === true,
        () => `no file is named: ${outcome.detail}`,
      );
      return 'rejected';
    },
  ),
  fileFuzzer(
    { name: 'bodies', about: 'request bodies of validate', seeds: bodies },
    async ({ path, run }) => {
      const json = await readJsonFile(path);
      const mode = run.choice % 2 === 0 ? 'sendable' : 'prefix';
      const { violations, messages } = checkBody(json, { dialect: undefined, mode });
      for (const { message, rule, detail } of violations) {
        const exists = message === undefined || (message >= 0 && message <= messages);
        insist(
          exists && rule !== '' && detail !== '',
          () => `${rule} at ${message} of ${messages}`,
        );
      }
      return 'read';
    },
  ),
];
