import { Random } from './random.ts';
import { outputLine, sentence, vocabulary } from './words.ts';

export interface SessionShape {
  readonly seed: number;
  /** Bytes of message text, about. */
  readonly bytes: number;
  /** Model calls. */
  readonly requests: number;
  /** Tokens of a request at which the agent compacts for itself; absent: never. */
  readonly compactAt?: number;
}

/** 20 MB in about 3,000 requests, as a long-lived agent with its own compaction leaves it. */
export const LONG_SESSION: SessionShape = {
  seed: 20261130,
  bytes: 20_000_000,
  requests: 3000,
  compactAt: 150_000,
};

/** The same in small messages: what a request costs apart from its text. */
export const SMALL_MESSAGES: SessionShape = { ...LONG_SESSION, requests: 20_000 };

/** The same of an agent that never compacts: lists of thousands of messages. */
export const NO_COMPACTION: SessionShape = {
  seed: LONG_SESSION.seed,
  bytes: LONG_SESSION.bytes,
  requests: LONG_SESSION.requests,
};

/** The session at a share of its length; its requests keep their size. */
export function scaled(shape: SessionShape, share: number): SessionShape {
  const requests = Math.max(10, Math.round(shape.requests * share));
  return { ...shape, bytes: Math.round(shape.bytes * share), requests };
}

/** Characters of a token of such text, about. */
const CHARACTERS_A_TOKEN = 3.2;

/**
 * One session as an agent writes it to its log, one record a line: each turn the model thinks aloud, calls a
 * tool, and gets its output. Where the agent compacts, a boundary record and its summary stand in between.
 */
export function* sessionLines(shape: SessionShape): Generator<string> {
  const random = new Random(shape.seed);
  const known = vocabulary(random);
  const perTurn = shape.bytes / shape.requests;
  let number = 0;
  let parent: string | null = null;
  let held = 0;
  const record = (rest: Record<string, unknown>): string => {
    const uuid = `record-${number++}`;
    const line = JSON.stringify({
      uuid,
      parentUuid: parent,
      sessionId: `session-${shape.seed}`,
      isSidechain: false,
      cwd: '/home/user/project',
      version: '2.0.0',
      timestamp: new Date(Date.UTC(2026, 2, 1) + number * 7000).toISOString(),
      ...rest,
    });
    parent = uuid;
    return line;
  };
  const user = (content: unknown): string => {
    held += JSON.stringify(content).length;
    return record({ type: 'user', message: { role: 'user', content } });
  };
  yield user(`Work through the list. ${sentence(random, known)} ${sentence(random, known)}`);
  for (let turn = 0; turn < shape.requests; turn++) {
    if (shape.compactAt !== undefined && held / CHARACTERS_A_TOKEN > shape.compactAt) {
      const logicalParentUuid: string | null = parent;
      parent = null;
      held = 0;
      yield record({
        type: 'system',
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        logicalParentUuid,
        compactMetadata: { trigger: 'auto', preTokens: shape.compactAt },
      });
      const told = Array.from({ length: 60 }, () => sentence(random, known)).join(' ');
      yield user(`What was done before: ${told}`);
    }
    const id = `call_${turn}`;
    const file = random.pick(known.files);
    const input =
      random.next() < 0.6
        ? { file_path: file, limit: 100 + random.below(400) }
        : {
            command: `grep -n ${random.pick(known.names)} ${file}`,
            description: sentence(random, known),
          };
    const content = [
      { type: 'text', text: `${sentence(random, known)} ${sentence(random, known)}` },
      { type: 'tool_use', id, name: 'file_path' in input ? 'Read' : 'Bash', input },
    ];
    held += JSON.stringify(content).length;
    yield record({
      type: 'assistant',
      message: {
        id: `message-${turn}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content,
        stop_reason: 'tool_use',
        usage: { input_tokens: 3, output_tokens: 120 },
      },
    });
    // Sizes as outputs have them: many small ones and a few large.
    const size = perTurn * (0.1 + 1.8 * random.next()) - 500;
    const lines: string[] = [];
    for (let length = 0; length < size; ) {
      const line = outputLine(random, known);
      lines.push(line);
      length += line.length + 1;
    }
    yield user([{ type: 'tool_result', tool_use_id: id, content: lines.join('\n') }]);
  }
  yield record({
    type: 'assistant',
    message: {
      id: 'message-last',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'Everything on the list is done.' }],
      stop_reason: 'end_turn',
    },
  });
}
