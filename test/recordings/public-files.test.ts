import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MessageTable } from '../../src/transcript/intern.ts';
import type { DialectName, Message } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { dialectOf } from '../../src/wire/catalog.ts';
import { isObject } from '../../src/wire/json-object.ts';
import { elements, path, rootSpan, slice } from '../../src/wire/json-spans.ts';
import { hasShared, needsShared, readAll, shared } from './support.ts';

interface Listed {
  readonly file: string;
  readonly format: string;
  readonly transcripts: number;
}

function listed(format: string): readonly Listed[] {
  if (!hasShared) return [];
  const manifest: unknown = JSON.parse(readFileSync(join(shared, 'manifest.json'), 'utf8'));
  const entries = Array.isArray(manifest) ? manifest : [];
  return entries.filter(
    (entry): entry is Listed =>
      isObject(entry) && entry.format === format && entry.transcripts !== 0,
  );
}

const text = (file: string) => readFileSync(join(shared, file), 'utf8');
const read = (...patterns: string[]) => readAll(patterns, { cwd: shared });

/** Every request written by its dialect, and every message as the recording spells it. */
function expectWrittenBack(
  transcripts: readonly Transcript[],
  bodies: (written: string) => boolean,
) {
  for (const { requests, dialect } of transcripts) {
    for (const { messages, envelope } of requests) {
      expect(bodies(dialectOf(dialect).encode(messages, envelope))).toBe(true);
    }
  }
}

describe.skipIf(!hasShared)(`llm-request-log${needsShared}`, () => {
  test('every request body is parsed and encoded with identical bytes', () => {
    const cases: (readonly [string, DialectName, readonly (string | number)[]])[] = [
      ['rossoctl__context-guru/apply__testdata__anthropic_tool_use.json', 'anthropic', ['body']],
      [
        'rossoctl__context-guru/examples__llm-d-service__sample__context.before.json',
        'openai-chat',
        [],
      ],
      ...['conv_a_turn1', 'conv_a_turn2', 'conv_a_turn3', 'conv_b_turn1', 'conv_b_turn2'].map(
        (name): readonly [string, DialectName, readonly string[]] => [
          'rossoctl__context-guru/apply__testdata__session_head_agentsdk.json',
          'anthropic',
          [name],
        ],
      ),
      ...listed('llm-request-log')
        .filter(({ file }) => file.includes('llm-logs__'))
        .map(({ file }): readonly [string, DialectName, readonly string[]] => [
          file.replace('llm-request-log/', ''),
          'openai-chat',
          [],
        ]),
    ];
    expect(cases).toHaveLength(13);
    for (const [file, name, steps] of cases) {
      const whole = text(`llm-request-log/${file}`);
      const span = path(whole, steps);
      const body = span === undefined ? '' : slice(whole, span);
      const dialect = dialectOf(name);
      const parsed = dialect.parse(body, new MessageTable());
      expect(parsed.messages.length).toBeGreaterThan(0);
      expect(dialect.encode(parsed.messages, parsed.envelope)).toBe(body);
    }
  });

  test('the reader finds the sessions of the folder', async () => {
    const { transcripts, problems } = await read('llm-request-log');
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    const found = transcripts.map(({ dialect, requests, retries }) => [
      dialect,
      requests.map(({ messages }) => messages.length),
      retries,
    ]);
    expect(found).toHaveLength(6);
    expect(found).toEqual(
      expect.arrayContaining([
        ['openai-chat', [2, 4, 6, 8, 10, 12], 0],
        ['anthropic', [2, 5, 8], 0],
        ['anthropic', [2, 5], 0],
        ['anthropic', [6], 0],
        ['openai-chat', [11], 0],
      ]),
    );
  });

  test('what the reader gives is written back as it stands in the files', async () => {
    const { transcripts } = await read('llm-request-log/rossoctl__context-guru');
    const files = listed('llm-request-log').map(({ file }) => text(file));
    expectWrittenBack(transcripts, (written) => files.some((file) => file.includes(written)));
  });
});

describe.skipIf(!hasShared)(`tau-bench${needsShared}`, () => {
  const [entry] = listed('tau-bench');

  test('200 transcripts, 84 with reward 1, a request for each assistant message', async () => {
    const { transcripts, problems } = await read('tau-bench/**/*.json');
    expect(problems).toEqual([]);
    expect(transcripts).toHaveLength(200);
    expect(transcripts.filter(({ reward }) => reward === 1)).toHaveLength(84);
    expect(new Set(transcripts.map(({ task }) => task)).size).toBe(50);
    const raw: unknown = JSON.parse(text(entry?.file ?? ''));
    const counts = (Array.isArray(raw) ? raw : []).map(
      (run) => run.traj.filter((message: { role: string }) => message.role === 'assistant').length,
    );
    expect(transcripts.map(({ requests }) => requests.length)).toEqual(counts);
    expect(new Set(transcripts.map(({ task, trial }) => `${task}/${trial}`)).size).toBe(200);
  });

  test('each message has the bytes of the file', async () => {
    const { transcripts } = await read('tau-bench/**/*.json');
    const whole = text(entry?.file ?? '');
    const runs = elements(whole, rootSpan(whole));
    for (const [index, { requests }] of transcripts.entries()) {
      const run = runs[index];
      const list = run && path(whole, ['traj'], run);
      const spelled = list ? elements(whole, list).map((span) => slice(whole, span)) : [];
      const last = requests.at(-1);
      const messages = [...(last?.messages ?? []), ...(last?.action ? [last.action] : [])];
      expect(messages.map(({ raw }) => raw)).toEqual(spelled.slice(0, messages.length));
    }
  });
});

describe.skipIf(!hasShared)(`claude-code-jsonl${needsShared}`, () => {
  /** Responses of the model, counted from the lines alone. */
  function responsesIn(file: string): number {
    const ids = new Set<unknown>();
    for (const line of text(file).split('\n')) {
      if (!line.startsWith('{')) continue;
      const record: unknown = JSON.parse(line);
      if (!isObject(record)) continue;
      const inner = isObject(record.data) ? record.data.message : undefined;
      for (const holder of [record, inner]) {
        if (!isObject(holder) || holder.type !== 'assistant' || !isObject(holder.message)) continue;
        ids.add(holder.message.id);
      }
    }
    return ids.size;
  }

  test('no response of the model is lost, and none counted twice', async () => {
    const entries = listed('claude-code-jsonl');
    expect(entries).toHaveLength(29);
    for (const { file } of entries) {
      const { transcripts } = await read(file);
      const requests = transcripts.flatMap((transcript) => transcript.requests);
      expect([file, requests.length]).toEqual([file, responsesIn(file)]);
    }
  });

  /** Token counts of the responses, each once, from the lines alone; its last record has the whole output. */
  function usageIn(file: string): readonly number[] {
    const responses = new Map<unknown, unknown>();
    for (const line of text(file).split('\n')) {
      if (!line.startsWith('{')) continue;
      const record: unknown = JSON.parse(line);
      const inner = isObject(record) && isObject(record.data) ? record.data.message : undefined;
      for (const holder of [record, inner]) {
        if (!isObject(holder) || holder.type !== 'assistant' || !isObject(holder.message)) continue;
        const { id, usage } = holder.message;
        if (isObject(usage)) responses.set(id, usage);
      }
    }
    const keys = [
      'input_tokens',
      'output_tokens',
      'cache_read_input_tokens',
      'cache_creation_input_tokens',
    ];
    return keys.map((key) => {
      let sum = 0;
      for (const usage of responses.values()) {
        if (isObject(usage) && typeof usage[key] === 'number') sum += usage[key];
      }
      return sum;
    });
  }

  test('usage sums equal those of the merged records', async () => {
    let total = 0;
    for (const { file } of listed('claude-code-jsonl')) {
      const { transcripts } = await read(file);
      const usages = transcripts.flatMap(({ requests }) => requests.map(({ usage }) => usage));
      const keys = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const;
      const sums = keys.map((key) => usages.reduce((sum, usage) => sum + (usage?.[key] ?? 0), 0));
      expect([file, sums]).toEqual([file, usageIn(file)]);
      total += sums[2] ?? 0;
    }
    expect(total).toBeGreaterThan(1_000_000);
  });

  test('every result of a call that was answered stands in the next request', async () => {
    for (const { file } of listed('claude-code-jsonl')) {
      const { transcripts } = await read(file);
      for (const { requests } of transcripts) {
        for (const { messages } of requests) {
          const ids = (kind: 'tool-call' | 'tool-result') =>
            messages.flatMap(({ blocks }) =>
              blocks.flatMap((block) => (block.kind === kind && 'id' in block ? block.id : [])),
            );
          expect([file, ids('tool-result').sort()]).toEqual([file, ids('tool-call').sort()]);
        }
      }
    }
  });

  test('each block of each message has the bytes of the file', async () => {
    for (const { file } of listed('claude-code-jsonl')) {
      const whole = text(file);
      const { transcripts } = await read(file);
      const messages = new Set<Message>();
      for (const { requests } of transcripts) {
        for (const request of requests) {
          for (const message of request.messages) messages.add(message);
          if (request.action !== undefined) messages.add(request.action);
        }
      }
      for (const { raw } of messages) {
        const content = path(raw, ['content']);
        const blocks = content === undefined ? [] : elements(raw, content);
        for (const span of blocks.length > 0 || content === undefined ? blocks : [content]) {
          expect(whole.includes(slice(raw, span))).toBe(true);
        }
      }
    }
  });

  test('the folder is read as 26 sessions; only the file of broken lines has errors', async () => {
    const { transcripts, problems } = await read('claude-code-jsonl');
    expect(new Set(transcripts.map(({ source }) => source.session)).size).toBe(26);
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ at }) => at.line)).toEqual([10, 11, 13, 14, 15, 16, 18]);
    expect(errors.every(({ at }) => at.file?.endsWith('edge_cases.jsonl'))).toBe(true);
    const names = transcripts.map(({ task, trial, lineage }) => `${task} ${trial} ${lineage}`);
    expect(new Set(names).size).toBe(names.length);
    const segments = transcripts.filter(({ requests }) => (requests.at(-1)?.segment ?? 0) > 0);
    expect(segments.map(({ task }) => task)).toEqual(['compaction_session']);
  });
});

test.skipIf(!hasShared)(`reading twice gives the same hashes${needsShared}`, async () => {
  const hashes = async () =>
    (await read('llm-request-log', 'claude-code-jsonl', 'tau-bench')).transcripts.map(
      ({ hash }) => hash,
    );
  const first = await hashes();
  expect(await hashes()).toEqual(first);
  expect(new Set(first).size).toBe(first.length);
});
