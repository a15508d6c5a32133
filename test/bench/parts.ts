/**
 * What one process of the bench measures, each from cold caches. Times are CPU seconds of the whole
 * process, so that other work on the machine and waiting do not count.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { sharedSandbox } from '../../src/compaction/extract/sandbox-access.ts';
import { loadConfigs } from '../../src/compaction/preset.ts';
import type { Model } from '../../src/model/model.ts';
import { SharedReplies } from '../../src/model/shared-replies.ts';
import { stubModel } from '../../src/model/stub.ts';
import { readRecordings } from '../../src/recordings/read.ts';
import { recordedEvidence } from '../../src/replay/evidence-recorded.ts';
import { replayTranscript } from '../../src/replay/replay.ts';
import { shapeCheck } from '../../src/replay/shape-check.ts';
import { countTokens } from '../../src/text/tokens.ts';
import { sharedStart } from '../../src/transcript/growing-lists.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { rootSpan } from '../../src/wire/json-spans.ts';

/** Figures by name. */
export type Figures = { readonly [name: string]: number };

export type Part = (file: string, names: readonly string[]) => Promise<Figures>;

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Largest resident size so far, in MB. */
function peakMegabytes(): number {
  return process.resourceUsage().maxRSS / 1024;
}

function sweepHere(words: readonly string[]): Promise<number> {
  const silent = { write: () => {}, isTerminal: false, columns: 80 };
  return runCommandLine(words, {
    cwd: process.cwd(),
    variables: process.env,
    stdout: silent,
    stderr: silent,
    signal: new AbortController().signal,
    now: () => performance.timeOrigin + performance.now(),
    processors: availableParallelism(),
    nodeVersion: process.version,
    pid: process.pid,
    host: hostname(),
    isAlive: () => true,
  });
}

async function timed<T>(
  work: () => T | Promise<T>,
): Promise<readonly [seconds: number, result: T]> {
  const start = cpuSeconds();
  const result = await work();
  return [cpuSeconds() - start, result];
}

async function read(file: string): Promise<readonly Transcript[]> {
  const transcripts: Transcript[] = [];
  for await (const reading of readRecordings([file], { cwd: '/' })) {
    for (const { message } of reading.problems) throw new Error(message);
    transcripts.push(...reading.transcripts);
  }
  return transcripts;
}

async function readOne(file: string): Promise<Transcript> {
  const [transcript] = await read(file);
  if (transcript === undefined) throw new Error(`${file} holds no transcript`);
  return transcript;
}

/** The texts of a message that are counted. */
function textsOf({ blocks }: Message): readonly string[] {
  return blocks.flatMap((block) => {
    if (block.kind === 'text' || block.kind === 'thinking') return [block.text];
    if (block.kind === 'tool-call') return [block.name, block.arguments];
    return block.kind === 'tool-result' ? block.texts : [];
  });
}

/** Each text of a transcript's messages and actions, once a message. */
function distinctTexts({ requests }: Transcript): readonly string[] {
  const messages = new Set<Message>();
  let before: readonly Message[] = [];
  for (const { messages: list, action } of requests) {
    for (const message of list.slice(sharedStart(before, list))) messages.add(message);
    if (action !== undefined) messages.add(action);
    before = list;
  }
  return [...messages].flatMap(textsOf);
}

function sum(texts: readonly string[]): number {
  let tokens = 0;
  for (const text of texts) tokens += countTokens(text);
  return tokens;
}

/** Replays under configs, one after the other; time in the stub and in the sandbox apart. */
async function replay(transcript: Transcript, names: readonly string[]): Promise<Figures> {
  const { configs } = await loadConfigs({ names, sets: [], folder: 'sweeps' });
  const apart = { stub: 0, sandbox: 0 };
  const sandbox = sharedSandbox();
  const evaluate = sandbox.evaluate.bind(sandbox);
  sandbox.evaluate = async (...program: Parameters<typeof evaluate>) => {
    const [seconds, evaluation] = await timed(() => evaluate(...program));
    apart.sandbox += seconds;
    return evaluation;
  };
  const figures: Record<string, number> = {};
  for (const config of configs) {
    const stub = stubModel('stub');
    const model: Model = new SharedReplies().around({
      ...stub,
      ask: async (request, signal) => {
        const [seconds, reply] = await timed(() => stub.ask(request, signal));
        apart.stub += seconds;
        return reply;
      },
    });
    const options = { tokenizer: 'o200k_base', models: () => () => model, sample: 0 } as const;
    const [seconds, replayed] = await timed(() => replayTranscript(transcript, config, options));
    figures[config.name] = seconds;
    figures.requestTokens = replayed.requests.reduce(
      (all, { tokensBefore }) => all + tokensBefore,
      0,
    );
  }
  return { ...figures, ...apart };
}

export const parts: { readonly [name: string]: Part } = {
  /** One pass of the counter over the distinct texts. */
  async pass(file) {
    const texts = distinctTexts(await readOne(file));
    countTokens('the ranks are loaded');
    const [seconds, tokens] = await timed(() => sum(texts));
    return { seconds, tokens, characters: texts.reduce((all, { length }) => all + length, 0) };
  },

  async replay(file, names) {
    countTokens('the ranks are loaded');
    const [reading, transcript] = await timed(() => readOne(file));
    const figures = await replay(transcript, names);
    return { reading, ...figures, rss: process.resourceUsage().maxRSS / 1024 };
  },

  /** Every request counted from scratch, of each hundredth request. */
  async naive(file) {
    const { requests } = await readOne(file);
    countTokens('the ranks are loaded');
    const sample = requests.filter((_, index) => index % 100 === 50);
    const [seconds, tokens] = await timed(() =>
      sample.reduce((all, { messages }) => all + sum(messages.flatMap(textsOf)), 0),
    );
    return { seconds, tokens };
  },

  async read(file) {
    const [seconds] = await timed(() => readOne(file));
    return { seconds };
  },

  async parse(file) {
    const [seconds] = await timed(() => {
      for (const line of readFileSync(file, 'utf8').split('\n')) if (line !== '') JSON.parse(line);
    });
    return { seconds };
  },

  /** The same of a file that holds more than a transcript. */
  async readAll(file) {
    const [seconds, transcripts] = await timed(() => read(file));
    return { seconds, transcripts: transcripts.length, rss: peakMegabytes() };
  },

  /** Reads the bytes, and finds the end of each line and of the value in it. */
  async scan(file) {
    const [seconds] = await timed(() => {
      const bytes = readFileSync(file);
      for (let start = 0; start < bytes.length; ) {
        const end = bytes.indexOf(10, start);
        rootSpan(bytes.toString('utf8', start, end));
        start = end + 1;
      }
    });
    return { seconds };
  },

  /** The command itself: time of the clock, of processors, and memory. */
  async sweep(file, [workers = '1', ...names]) {
    const folder = mkdtempSync(join(tmpdir(), 'bench-sweep-'));
    const configs = names.flatMap((name) => ['--config', name]);
    const words = ['sweep', ...configs, '--transcripts', file, '--workers', workers];
    const start = performance.now();
    const [seconds, code] = await timed(() => sweepHere([...words, '--out', folder]));
    const wall = (performance.now() - start) / 1000;
    rmSync(folder, { recursive: true });
    if (code !== 0) throw new Error(`the sweep ended with ${code}`);
    return { wall, seconds, rss: peakMegabytes() };
  },

  async shape(file) {
    const transcript = await readOne(file);
    const [seconds] = await timed(() => {
      for (const request of transcript.requests) shapeCheck(transcript, request, transcript.model);
    });
    return { seconds };
  },

  async evidence(file) {
    const transcript = await readOne(file);
    const [seconds] = await timed(() => recordedEvidence(transcript));
    return { seconds };
  },

  async ours(file) {
    const texts = await corpusOf(file);
    countTokens('the ranks are loaded');
    const start = performance.now();
    const [seconds, tokens] = await timed(() => sum(texts));
    return { seconds, tokens, wall: performance.now() - start };
  },

  async tiktoken(file) {
    const texts = await corpusOf(file);
    const { Tiktoken } = require('js-tiktoken/lite') as typeof import('js-tiktoken/lite');
    const encoder = new Tiktoken(require('js-tiktoken/ranks/o200k_base'));
    const start = performance.now();
    const [seconds, tokens] = await timed(() =>
      texts.reduce((all, text) => all + encoder.encode(text, [], []).length, 0),
    );
    return { seconds, tokens, wall: performance.now() - start };
  },

  /** Cells of the first transcripts of a file under each config. */
  async cells(file, [count = '20', ...names]) {
    const transcripts = (await read(file)).slice(0, Number(count));
    countTokens('the ranks are loaded');
    const figures: Record<string, number> = { cells: transcripts.length * names.length };
    for (const name of names) {
      const [seconds] = await timed(async () => {
        for (const transcript of transcripts) await replay(transcript, [name]);
      });
      figures[name] = seconds;
    }
    return figures;
  },
};

const require = createRequire(import.meta.url);

/** Characters that js-tiktoken takes a few seconds for. */
const SAMPLE_CHARACTERS = 5_000_000;

/** Each text of a file or a folder of recordings once; what cannot be read of it is left out. */
async function corpusOf(path: string): Promise<readonly string[]> {
  const texts = new Set<string>();
  let characters = 0;
  for await (const { transcripts } of readRecordings([path], { cwd: '/' })) {
    for (const text of transcripts.flatMap(distinctTexts)) {
      if (texts.has(text)) continue;
      texts.add(text);
      characters += text.length;
      if (characters > SAMPLE_CHARACTERS) return [...texts];
    }
  }
  return [...texts];
}
