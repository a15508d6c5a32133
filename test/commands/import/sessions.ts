import fc from 'fast-check';
import { toTranscript } from '../../../src/recordings/transcripts.ts';
import type { Request, Transcript } from '../../../src/transcript/transcript.ts';
import { conversation, type Step, type WireDialect } from '../../support/wire-steps.ts';
import { type Planted, plantedKinds } from '../../text/planted-secrets.ts';

/** A long session of an agent that comes upon secrets and uses them. */
export interface PlantedSession {
  readonly transcript: Transcript;
  readonly planted: readonly Planted[];
}

/** Ordinary work, about 900 tokens of names and prose; a name of each is used later. */
function fillerOf(turn: number): string {
  const lines = Array.from(
    { length: 24 },
    (_, line) =>
      `src/module_${turn}/file-${line}.ts:${line * 7}: handler${turn}X${line} waits for the queue and then retries`,
  );
  return lines.join('\n');
}

/** How a secret is used by a call: in a command, in JSON within JSON, or by itself. */
const uses: readonly ((secret: string) => string)[] = [
  (secret) => JSON.stringify({ command: `deploy --with '${secret}' src/a1.ts` }),
  (secret) => JSON.stringify({ body: JSON.stringify({ nested: { value: secret } }), n: 1e3 }),
  (secret) => JSON.stringify({ value: secret }),
  (secret) => JSON.stringify({ script: `x = ${JSON.stringify(secret)}\nrun(x)` }),
];

const several = fc.record({
  dialect: fc.constantFrom<WireDialect>('anthropic', 'openai-chat'),
  planted: fc.tuple(...plantedKinds),
  order: fc.array(fc.nat(99), { minLength: 30, maxLength: 30 }),
});

/** Sessions with a secret of every kind; about half of them are used again, early and late. */
export const plantedSessions: fc.Arbitrary<PlantedSession> = several.map(
  ({ dialect, planted, order }) => {
    const steps: Step[] = [
      { kind: 'user', text: 'Deploy the service, and mind src/module_1/file-2.ts.' },
    ];
    for (const [turn, one] of planted.entries()) {
      const number = order[turn] ?? 0;
      const earlier = planted[number % (turn + 1)] ?? one;
      const use = uses[number % uses.length] ?? String;
      const isUsed = number % 2 === 0;
      steps.push({
        kind: 'exchange',
        text: isUsed ? `Now with ${earlier.secret.split('\n')[0]}.` : 'Let me look.',
        calls: [
          {
            id: `call_${turn}`,
            name: 'run',
            input: isUsed
              ? use(earlier.secret)
              : JSON.stringify({ path: `src/module_${Math.max(0, turn - 3)}/file-1.ts` }),
            result:
              number % 3 === 0
                ? JSON.stringify({ output: `${fillerOf(turn)}\n${one.shown}`, code: 0 })
                : `${fillerOf(turn)}\n${one.shown}\ndone`,
          },
        ],
      });
    }
    steps.push({ kind: 'assistant', text: 'All done.' });
    return { transcript: transcriptOf(dialect, steps), planted };
  },
);

export function transcriptOf(dialect: WireDialect, steps: readonly Step[]): Transcript {
  const { messages } = conversation(dialect, steps);
  const requests = messages.flatMap((message, index): Request[] =>
    message.role === 'assistant'
      ? [{ segment: 0, messages: messages.slice(0, index), action: message }]
      : [],
  );
  return toTranscript({
    task: 'deploy',
    trial: '0',
    lineage: 'main',
    source: { file: 'deploy.json', format: 'made', session: 'deploy' },
    dialect,
    requests,
    retries: 0,
  });
}
