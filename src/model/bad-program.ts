/** Models that write bad filter programs, one kind each: what a component must survive, and count. */

import { HarnessError } from '../errors.ts';
import type { ModelRequest } from './model.ts';
import { readProgramPrompt } from './program-prompt.ts';
import { type ScriptedModel, type ScriptStep, scriptedModel } from './scripted.ts';

type Written = Readonly<Record<'javascript' | 'starlark', string>>;

/** Replies that hold a program, by what becomes of it. */
const PROGRAMS = {
  syntax: { javascript: 'OUTPUT = (INPUT;', starlark: 'OUTPUT = (INPUT' },
  runtime: {
    javascript: 'OUTPUT = INPUT.nothing.of.the.kind;',
    starlark: 'OUTPUT = INPUT[0] + 1',
  },
  step_limit: {
    javascript: 'for (;;) {}',
    starlark: 'for a in range(100000):\n    for b in range(100000):\n        pass',
  },
  // Native work, which counts as few steps.
  time_limit: {
    javascript: 'const text = "a".repeat(8000000);\nfor (;;) text.indexOf("b");',
    starlark: 'text = "a" * 8000000\nfor turn in range(100000000):\n    text.find("b")',
  },
  memory_limit: {
    javascript: 'const hold = []; for (;;) hold.push(new Uint8Array(8388608).fill(1));',
    starlark: 'text = "x" * 1000\nfor turn in range(40):\n    text = text + text',
  },
  not_contained: {
    javascript: 'OUTPUT = "This line is in no output at all.";',
    starlark: 'OUTPUT = "This line is in no output at all."',
  },
  // All lines but those that hold what must stay.
  lost_identifier: {
    javascript: `const lines = INPUT.split('\\n');
OUTPUT = lines.filter((line) => !NAMES.some((name) => line.includes(name))).join('\\n');`,
    starlark: `lost = [line for line in INPUT.split("\\n") if len([name for name in NAMES if name in line]) == 0]
OUTPUT = "\\n".join(lost)`,
  },
  // What must stay, and nothing else.
  too_small: {
    javascript: `const lines = INPUT.split('\\n');
OUTPUT = lines.filter((line) => NAMES.some((name) => line.includes(name))).join('\\n');`,
    starlark: `kept = [line for line in INPUT.split("\\n") if len([name for name in NAMES if name in line]) > 0]
OUTPUT = "\\n".join(kept)`,
  },
  no_gain: { javascript: 'OUTPUT = INPUT;', starlark: 'OUTPUT = INPUT' },
} as const satisfies Readonly<Record<string, Written>>;

export const badProgramKinds = [
  ...(Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]),
  'empty_reply',
  'timeout',
  'transport',
] as const;

export type BadProgramKind = (typeof badProgramKinds)[number];

/** A model whose every reply comes to this end, in the language that the prompt asks for. */
export function badProgramModel(kind: BadProgramKind): ScriptedModel {
  return scriptedModel((request) => stepOf(kind, request), { name: `bad-program-${kind}` });
}

function stepOf(kind: BadProgramKind, request: ModelRequest): ScriptStep {
  switch (kind) {
    case 'empty_reply':
      return { kind: 'blank' };
    case 'timeout':
      return { kind: 'fail', error: new HarnessError('model.timeout', 'the model did not reply') };
    case 'transport':
      return { kind: 'fail' };
    default: {
      const { language, keep } = readProgramPrompt(request);
      const program = PROGRAMS[kind][language].replace('NAMES', JSON.stringify(keep));
      return `\`\`\`${language}\n${program}\n\`\`\``;
    }
  }
}
