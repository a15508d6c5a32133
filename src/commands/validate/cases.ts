/** `validate --cases`: does the oracle say of each case what its label says? */
import { codeOf, messageOf } from '../../errors.ts';
import { type Violation, validate } from '../../shape/validate.ts';
import { readCase, type ShapeCase } from './case-file.ts';
import { jsonFiles, readJsonFile } from './read-json.ts';

export interface CaseOutcome {
  readonly file: string;
  readonly kind: 'as labelled' | 'different' | 'broken';
  /** Where it is not as labelled: what was expected and what was reported, or why the file cannot be read. */
  readonly detail?: string;
}

/** Compares the cases of a folder with their labels, in order of their names. */
export async function checkCases(folder: string): Promise<readonly CaseOutcome[]> {
  const outcomes: CaseOutcome[] = [];
  for (const file of await jsonFiles(folder)) outcomes.push(await outcomeOf(file));
  return outcomes;
}

async function outcomeOf(file: string): Promise<CaseOutcome> {
  let difference: string | undefined;
  try {
    const shapeCase = readCase(await readJsonFile(file));
    difference = compare(shapeCase, checkCase(shapeCase));
  } catch (error) {
    if (codeOf(error) === 'harness.internal') throw error;
    return { file, kind: 'broken', detail: messageOf(error) };
  }
  if (difference === undefined) return { file, kind: 'as labelled' };
  return { file, kind: 'different', detail: difference };
}

/** What the oracle reports of a case. */
function checkCase(shapeCase: ShapeCase): readonly Violation[] {
  const { dialect, ofAnyProvider, list, before, texts, mode, shapeContext } = shapeCase;
  const request = { dialect, messages: list, context: shapeContext };
  const main = before === undefined ? request : { ...request, before };
  if (texts === undefined) {
    return validate(main, ofAnyProvider ? { mode, rules: isOfAnyProvider } : { mode });
  }
  const exact = { dialect, messages: texts.list, before: texts.before };
  return [
    ...(ofAnyProvider ? [] : validate(main, { mode, rules: (id) => !isOfAnyProvider(id) })),
    ...validate(exact, { mode, rules: isOfAnyProvider }),
  ];
}

function isOfAnyProvider(rule: string): boolean {
  return rule.startsWith('X-');
}

/** How the report differs from the label; `undefined` when it does not. */
function compare(label: ShapeCase, violations: readonly Violation[]): string | undefined {
  const reported = idsOf(violations, 'error');
  const isError = !label.valid && label.severity === 'error';
  const expected = isError
    ? [...new Set([label.expected_violation ?? '', ...label.also_violates])].sort()
    : [];
  if (expected.join() !== reported.join()) {
    return `expected ${listed(expected)}, reported ${listed(reported)}`;
  }
  if (label.valid || label.severity === 'error') return undefined;
  const warnings = idsOf(violations, 'warning');
  if (warnings.includes(label.expected_violation ?? '')) return undefined;
  return `expected the warning ${label.expected_violation}, reported ${listed(warnings)}`;
}

function idsOf(
  violations: readonly Violation[],
  severity: Violation['severity'],
): readonly string[] {
  const ofSeverity = violations.filter((violation) => violation.severity === severity);
  return [...new Set(ofSeverity.map((violation) => violation.rule))].sort();
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'nothing' : ids.join(', ');
}
