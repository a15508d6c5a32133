import { type BoundComponent, bindComponent } from '../../../src/compaction/bound.ts';
import { extract } from '../../../src/compaction/extract/extract.ts';
import type { Message } from '../../../src/transcript/message.ts';
import { resultText } from '../../../src/transcript/message.ts';
import { conversation, type Step, type WireDialect } from '../../support/wire-steps.ts';

export function extractWith(settings: object = {}): BoundComponent {
  const bound = bindComponent(extract, 'extract', settings);
  if (!bound.ok) throw bound.error;
  return bound.bound;
}

/** A log whose lines all differ, so that only a model's program can make it shorter. */
export function logOf(lines: number, seed = 0): string {
  return Array.from({ length: lines }, (_, n) => {
    const level = n % 9 === 4 ? 'ERROR' : 'INFO';
    return `2024-05-0${(n % 9) + 1} ${level} worker-${seed}-${n} took job-${(n * 37) % 101} from queue ${n}`;
  }).join('\n');
}

/** A task and an exchange for each output; the agent speaks of `about` in its last turn. */
export function sessionWith(
  dialect: WireDialect,
  outputs: readonly string[],
  about = 'the queue',
  isError = false,
): readonly Message[] {
  const steps: Step[] = [
    { kind: 'user', text: 'Find out why jobs fail.' },
    ...outputs.map(
      (result, index): Step => ({
        kind: 'exchange',
        text: `I look at ${about}.`,
        calls: [{ id: `call_${index}`, name: 'read', input: '{}', result, isError }],
      }),
    ),
  ];
  return conversation(dialect, steps).messages;
}

/** The texts of all tool outputs, in order. */
export function outputsOf(messages: readonly Message[]): string[] {
  return messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.kind === 'tool-result' ? [resultText(block)] : [])),
  );
}

/** A reply with a program that keeps the lines with this text. */
export function keepsLinesWith(text: string): string {
  return `\`\`\`javascript
const lines = INPUT.split('\\n');
OUTPUT = lines.filter((line) => line.includes(${JSON.stringify(text)})).join('\\n');
SUMMARY = 'only lines with ' + ${JSON.stringify(text)};
\`\`\``;
}
