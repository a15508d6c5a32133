import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readCase } from '../../src/commands/validate/case-file.ts';
import { checkCases } from '../../src/commands/validate/cases.ts';
import { readJsonFile } from '../../src/commands/validate/read-json.ts';
import { rules, validate } from '../../src/shape/validate.ts';
import { brokenRules } from './examples/example.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const folder = path.join(process.env.CG_SHARED ?? path.join(project, '../shared'), 'shape-cases');
const absent = !fs.existsSync(folder);
const suffix = absent ? ' (skipped: no ../shared)' : '';

describe.skipIf(absent)(`the labelled cases${suffix}`, () => {
  it('are all as labelled', async () => {
    const outcomes = await checkCases(folder);
    expect(outcomes.length).toBeGreaterThanOrEqual(74);
    expect(outcomes.filter((outcome) => outcome.kind !== 'as labelled')).toEqual([]);
  });

  it('that break a rule are not as labelled without it', async () => {
    for (const name of fs.readdirSync(folder)) {
      const one = readCase(await readJsonFile(path.join(folder, name)));
      const id = one.expected_violation ?? '';
      if (one.valid || !rules.some((rule) => rule.id === id)) continue;
      const request = { dialect: one.dialect, messages: one.list, context: one.shapeContext };
      const violations = validate(
        one.before === undefined ? request : { ...request, before: one.before },
        { mode: one.mode, rules: (rule) => rule !== id },
      );
      expect(brokenRules(violations)).not.toContain(id);
    }
  });

  it('are valid before they are rewritten', async () => {
    for (const name of fs.readdirSync(folder)) {
      const { before, dialect, shapeContext } = readCase(
        await readJsonFile(path.join(folder, name)),
      );
      if (before === undefined) continue;
      expect(validate({ dialect, messages: before, context: shapeContext })).toEqual([]);
    }
  });
});
