import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { formats } from '../../src/recordings/formats/catalog.ts';
import { normalizedLines } from '../../src/recordings/formats/normalized-write.ts';
import { isObject } from '../../src/wire/json-object.ts';
import { agentSamples } from '../recordings/formats/agent-samples.ts';
import { inspectLog, inspectSample, sampleFiles } from '../recordings/formats/samples.ts';
import { jsonl, readFiles, shared } from '../recordings/support.ts';
import { cutJson, cutLines } from './cut.ts';
import { isJson } from './json-tree.ts';
import type { Kind, Seed, SeedFile } from './material.ts';
import { capturesOf, claudeCodeLines, exchanges, requestBodies } from './samples.ts';

const root = join(import.meta.dirname, '../..');
/** As many public files of a format are seeds. */
const MOST_FILES = 14;

/** Small real files of a format: of the project, and of the public recordings where they are at hand. */
export async function recordingSeeds(format: string): Promise<readonly Seed[]> {
  const own = [...samplesOf(format), ...(await fixturesOf(format))];
  return [...own, ...publicFiles(format)];
}

function file(path: string, text: string | Uint8Array, kind?: Kind): SeedFile {
  return { path, kind: kind ?? kindOf(path), bytes: Buffer.from(text) };
}

function kindOf(path: string): Kind {
  if (path.endsWith('.jsonl')) return 'jsonl';
  return /\.(?:eval|zip)$/.test(path) ? 'zip' : 'json';
}

const alone = (name: string, ...files: SeedFile[]): Seed => ({ name, files });

function samplesOf(format: string): Seed[] {
  const samples = [...sampleFiles, ...agentSamples].filter((sample) => sample.format === format);
  const seeds = samples.map(({ file: path, value }) =>
    alone(path, file(path, path.endsWith('.jsonl') ? jsonl(...asList(value)) : asJson(value))),
  );
  if (format === 'claude-code-jsonl') {
    const lines = claudeCodeLines;
    const side = lines.filter((line) => 'isSidechain' in line && line.isSidechain === true);
    seeds.push(alone('session.jsonl', file('session.jsonl', jsonl(...lines))));
    seeds.push(
      alone(
        'with an agent',
        file('main.jsonl', jsonl(...lines.filter((line) => !side.includes(line)))),
        file('agent-9.jsonl', jsonl(...side.map((line) => ({ ...line, agentId: '9' })))),
      ),
    );
  }
  if (format === 'openhands-v1-events') {
    const events = asList(agentSamples.find((sample) => sample.format === format)?.value);
    seeds.push(
      alone(
        'a file each',
        ...events.map((event, at) => file(`events/event-0000${at}-x.json`, asJson(event))),
      ),
    );
  }
  if (format === 'llm-request-log') seeds.push(...requestLogs());
  if (format === 'messages') seeds.push(...messageLists());
  if (format === 'inspect-eval') seeds.push(alone('log.eval', file('log.eval', evalArchive())));
  return seeds;
}

function requestLogs(): Seed[] {
  const providers = Object.keys(requestBodies);
  const logs = providers.map((provider) =>
    alone(provider, file(`${provider}.jsonl`, jsonl(...capturesOf(provider)))),
  );
  const [body] = requestBodies.anthropic ?? [];
  return [
    ...logs,
    alone('har', file('saved.json', asJson({ log: { entries: exchanges } }))),
    alone('exchanges', file('proxy.jsonl', jsonl(...exchanges))),
    alone(
      'bodies',
      ...capturesOf('openai').map((one, at) => file(`calls/${at}.json`, asJson(one))),
    ),
    alone(
      'named',
      file('named.json', asJson({ first: requestBodies.anthropic?.[0], second: body })),
    ),
    ...caseBodies(),
  ];
}

function messageLists(): Seed[] {
  const lists = Object.values(requestBodies).flatMap((bodies) => {
    const body: object = bodies.at(-1) ?? {};
    const list =
      'messages' in body ? body.messages : 'contents' in body ? body.contents : undefined;
    return Array.isArray(list) ? [[...list, said(list)]] : [];
  });
  return lists.flatMap((list, at) => [
    alone(`list ${at}`, file(`list-${at}.json`, asJson(list))),
    alone(`lines ${at}`, file(`lines-${at}.jsonl`, jsonl(...list))),
    alone(`chats ${at}`, file(`chats-${at}.jsonl`, jsonl({ messages: list }, { messages: list }))),
  ]);
}

function said(list: readonly unknown[]): object {
  const [first] = list;
  if (isObject(first) && Array.isArray(first.parts)) {
    return { role: 'model', parts: [{ text: 'that is all of it' }] };
  }
  const isBlocks = isObject(first) && Array.isArray(first.content);
  const isBedrock = isBlocks && JSON.stringify(list).includes('toolUseId');
  const block = isBedrock
    ? { text: 'that is all of it' }
    : { type: 'text', text: 'that is all of it' };
  return { role: 'assistant', content: isBlocks ? [block] : 'that is all of it' };
}

/** The labelled lists of the shape rules as bodies: every kind of block that a wire has. */
function caseBodies(): Seed[] {
  const folder = join(shared, '../shape-cases');
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names.flatMap((name) => {
    const value: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    if (!isObject(value) || !Array.isArray(value.messages)) return [];
    const key =
      value.provider === 'gemini'
        ? 'contents'
        : value.provider === 'openai-responses'
          ? 'input'
          : 'messages';
    const body = { model: 'model-x', [key]: value.messages };
    const text = cutJson({ provider: value.provider, body });
    return [alone(`case ${name}`, file('case.jsonl', `${text}\n`))];
  });
}

function evalArchive(): Uint8Array {
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
  const { samples: _, ...header } = inspectLog;
  return zipSync({
    'header.json': bytes(header),
    '_journal/start.json': bytes({ version: 2, eval: inspectLog.eval, plan: {} }),
    'samples/q1_epoch_2.json': bytes(inspectSample),
    'samples/q2_epoch_1.json': bytes({ ...inspectSample, id: 'q2', epoch: 1 }),
  });
}

async function fixturesOf(format: string): Promise<Seed[]> {
  if (format !== 'llm-request-log' && format !== 'normalized') return [];
  const names = readdirSync(join(root, 'fixtures/transcripts')).slice(0, 4);
  const logs = names.map((name) => {
    const text = readFileSync(join(root, 'fixtures/transcripts', name), 'utf8');
    return alone(name, file(name, text.split('\n').slice(0, 6).map(shortLine).join('\n')));
  });
  if (format === 'llm-request-log') return logs;
  const seeds: Seed[] = [];
  const sources = [
    ...logs.slice(0, 2),
    ...requestLogs().slice(0, 5),
    ...samplesOf('swe-agent-traj'),
  ];
  for (const { name, files } of sources) {
    const { transcripts } = await readFiles(
      Object.fromEntries(files.map(({ path, bytes }) => [path, bytes])),
    );
    const lines = transcripts.flatMap((transcript) => [...normalizedLines(transcript)]);
    seeds.push(alone(`normalized ${name}`, file('normalized.jsonl', lines.join(''))));
  }
  return seeds;
}

function shortLine(line: string): string {
  return line === '' ? '' : cutJson(JSON.parse(line), 9_000);
}

function publicFiles(format: string): Seed[] {
  const folder = join(shared, format);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:json|jsonl|traj|eval)$/.test(name) && !name.includes('-metadata'))
    .toSorted();
  if (format === 'openhands-v1-events') return publicEvents(folder, names);
  // Attributes of a span are many, and one that is left out is the call.
  const most = format === 'otel-traces' ? 90_000 : undefined;
  return names.slice(0, MOST_FILES).flatMap((name) => {
    const bytes = readFileSync(join(folder, name));
    const path = name.split('/').at(-1) ?? name;
    if (name.endsWith('.eval'))
      return bytes.length > 60_000 ? [] : [alone(name, file(path, bytes))];
    const text = bytes.toString('utf8');
    // Some JSON files are named as if they were lines.
    if (!name.endsWith('.jsonl') || isJson(text)) {
      return [alone(name, file(path, cutJson(JSON.parse(text), most), 'json'))];
    }
    return cutLines(text).map((cut, at) => alone(`${name} ${at}`, file(path, cut)));
  });
}

function publicEvents(folder: string, names: readonly string[]): Seed[] {
  const sessions = new Set(names.map((name) => name.split('__event')[0] ?? ''));
  return [...sessions].map((session) =>
    alone(
      session,
      ...names
        .filter((name) => name.startsWith(`${session}__`))
        .map((name) => {
          const text = readFileSync(join(folder, name), 'utf8');
          return file(name.split('/').at(-1) ?? name, cutJson(JSON.parse(text), 4000));
        }),
    ),
  );
}

/** Files of several formats, packed: what holds a recording is not what this is about. */
export async function packedSeeds(): Promise<readonly Seed[]> {
  const seeds: Seed[] = [];
  const plain: { [path: string]: Uint8Array } = {};
  for (const { name } of formats) {
    const [seed] = await recordingSeeds(name);
    const [first] = seed?.files ?? [];
    if (first === undefined || first.kind === 'zip') continue;
    const path = `${name}/${first.path}`;
    plain[path] = first.bytes;
    seeds.push(alone(`${name} gzip`, file(`${first.path}.gz`, gzipSync(first.bytes), 'gzip')));
    seeds.push(alone(`${name} zip`, file('one.zip', zipSync({ [path]: first.bytes }))));
  }
  seeds.push(alone('all in one', file('all.zip', zipSync(plain))));
  seeds.push(alone('log.eval', file('log.eval', evalArchive())));
  return seeds;
}

function asJson(value: unknown): string {
  return JSON.stringify(value, null, 1);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
