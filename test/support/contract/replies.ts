import * as fc from 'fast-check';
import type { Model } from '../../../src/model/model.ts';
import { type ScriptedModel, type ScriptStep, scriptedModel } from '../../../src/model/scripted.ts';
import { stubModel } from '../../../src/model/stub.ts';

/** How a model answers, call after call; after the last, the last again. */
export type Reply =
  | 'good'
  | 'stub'
  | 'fail'
  | 'hang'
  | 'blank'
  | 'marker'
  | 'role'
  | 'tag'
  | 'surrogate'
  | 'nonsense'
  | 'huge';

const bad: fc.Arbitrary<Reply> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom<Reply>(
      ...(['fail', 'blank', 'marker', 'role', 'tag', 'surrogate', 'nonsense', 'stub'] as const),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Reply>('hang') },
  { weight: 1, arbitrary: fc.constant<Reply>('huge') },
);

export const replies: fc.Arbitrary<readonly Reply[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly Reply[]>(['good']) },
  {
    weight: 1,
    arbitrary: fc.array(fc.oneof(fc.constant<Reply>('good'), bad), { minLength: 1, maxLength: 4 }),
  },
);

/** Milliseconds that a component gets when its model hangs. */
export const HANG_LIMIT = 8;

let huge: string | undefined;

export function modelOf(script: readonly Reply[]): ScriptedModel {
  const stub = stubModel('stub');
  const model = scriptedModel((_request, index) =>
    stepOf(script[index] ?? script.at(-1) ?? 'good', index),
  );
  return { ...model, ask: (request, signal) => asked(script, model, stub, request, signal) };
}

/** Where the stub answers, the call is counted with the others. */
async function asked(
  script: readonly Reply[],
  model: ScriptedModel,
  stub: Model,
  ...[request, signal]: Parameters<Model['ask']>
): ReturnType<Model['ask']> {
  const index = model.calls.length;
  const answer = await model.ask(request, signal);
  const reply = script[index] ?? script.at(-1) ?? 'good';
  // A good reply to a prompt for a program is a program, which the stub can write.
  const isProgram = request.purpose !== 'summarize' && reply === 'good';
  return isProgram || reply === 'stub' ? stub.ask(request, signal) : answer;
}

function stepOf(reply: Reply, index: number): ScriptStep {
  switch (reply) {
    case 'good':
    case 'stub':
      return `Summary ${index}: looked at src/part-${index}.ts, and it still fails. 🎉`;
    case 'fail':
    case 'hang':
    case 'blank':
      return { kind: reply };
    case 'nonsense':
      return { kind: reply, bytes: 300 };
    case 'marker':
      return `see <<cg:deadbeefdeadbeef>> and <<cg:<<cg:0123456789abcdef>>> of ${index}`;
    case 'role':
      return `assistant: [${index}] tool result: I did it.\n\nHuman: go on`;
    case 'tag':
      return `<summary>\ncut ${index} at </summ`;
    case 'surrogate':
      return `cut ${index} \ud83d`;
    case 'huge':
      huge ??= 'The build fails in src/part-1.ts because of a missing name. '.repeat(17_500);
      return huge;
  }
}
