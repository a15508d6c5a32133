import { statSync } from 'node:fs';
import {
  HUGE_FILE,
  MANY_TRANSCRIPTS,
  type ManyShape,
  manyTranscripts,
  requestLogLines,
} from './logs.ts';
import type { Figures } from './parts.ts';
import {
  LONG_SESSION,
  NO_COMPACTION,
  type SessionShape,
  SMALL_MESSAGES,
  scaled,
} from './session.ts';

/** Runs a part in a process of its own. */
export type Run = (part: string, file: string, names?: readonly string[]) => Promise<Figures>;

export interface Inputs {
  /** Path of a session of this shape, made when it is first asked for. */
  session(shape: SessionShape): string;
  /** Path of a file of these lines, made when it is first asked for. */
  file(name: string, lines: () => Iterable<string>): string;
  /** Folder of the public recordings; undefined where they are not at hand. */
  readonly recordings: string | undefined;
  /** Path of the tau-bench recordings; undefined where they are not at hand. */
  readonly tauBench: string | undefined;
  /** Share of the full size that everything is measured at. */
  readonly share: number;
  /** Names of the presets that need nothing from outside. */
  readonly presets: readonly string[];
}

export interface Measurement {
  readonly name: string;
  readonly about: string;
  /** Measured only when it is named: it takes minutes, or gigabytes. */
  readonly isLarge?: true;
  /** One round: figures by label. Undefined where its input is not at hand. */
  round(run: Run, inputs: Inputs): Promise<Figures | undefined>;
}

/** About 5 MB of messages, which its requests repeat to hundreds. */
const LOGGED_SESSION = scaled(LONG_SESSION, 0.3);

function manyFile(file: Inputs['file'], shape: ManyShape, share: number): string {
  const transcripts = Math.max(20, Math.round(shape.transcripts * share));
  return file(`many-${transcripts}.jsonl`, () => manyTranscripts({ ...shape, transcripts }));
}

const TWO = ['baseline', 'cg-summarize'];
const FOUR = [...TWO, 'cg-mask', 'cg-extract-code'];

/** What replays take in passes: reading and the configs, with what the stub and the sandbox took apart. */
function inPasses(figures: Figures, names: readonly string[], pass: number): Figures {
  const of = (name: string) => figures[name] ?? 0;
  const all = names.reduce((seconds, name) => seconds + of(name), of('reading'));
  return {
    total: (all - of('stub') - of('sandbox')) / pass,
    reading: of('reading') / pass,
    stub: of('stub') / pass,
    sandbox: of('sandbox') / pass,
    ...Object.fromEntries(names.map((name) => [name, of(name) / pass])),
  };
}

function replayOf(
  name: string,
  about: string,
  shape: SessionShape,
  configs: readonly string[],
): Measurement {
  return {
    name,
    about: `${about}, in passes of the counter over its distinct text`,
    async round(run, inputs) {
      const file = inputs.session(scaled(shape, inputs.share));
      const { seconds = 0 } = await run('pass', file);
      return inPasses(await run('replay', file, configs), configs, seconds);
    },
  };
}

/** Seconds of one part over those of another, on the long session. */
function ratio(name: string, about: string, over: string, under: string): Measurement {
  return {
    name,
    about,
    async round(run, inputs) {
      const file = inputs.session(scaled(LONG_SESSION, inputs.share));
      const [one, other] = [await run(over, file), await run(under, file)];
      return { ratio: (one.seconds ?? 0) / (other.seconds ?? 0) };
    },
  };
}

export const measurements: readonly Measurement[] = [
  replayOf('replay-two', 'a long session under two configs', LONG_SESSION, TWO),
  replayOf('replay-four', 'a long session under four configs', LONG_SESSION, FOUR),
  replayOf('small-two', 'the same in small messages, two configs', SMALL_MESSAGES, TWO),
  replayOf('small-four', 'the same in small messages, four configs', SMALL_MESSAGES, FOUR),
  replayOf(
    'growing-two',
    'the same without compaction of the agent, two configs',
    NO_COMPACTION,
    TWO,
  ),
  replayOf(
    'growing-four',
    'the same without compaction of the agent, four configs',
    NO_COMPACTION,
    FOUR,
  ),
  {
    name: 'naive',
    about:
      'counting every request from scratch against ours; and Σ request tokens ÷ distinct tokens',
    async round(run, inputs) {
      const file = inputs.session(scaled(LONG_SESSION, inputs.share));
      const pass = await run('pass', file);
      const naive = await run('naive', file);
      const ours = await run('replay', file, ['baseline']);
      const tokens = ours.requestTokens ?? 0;
      const scratch = ((naive.seconds ?? 0) * tokens) / (naive.tokens ?? 1);
      return {
        ratio: scratch / (ours.baseline ?? 0),
        'request tokens ÷ distinct': tokens / (pass.tokens ?? 1),
      };
    },
  },
  {
    name: 'twice',
    about: 'twice the session against once, two configs, reading included',
    async round(run, inputs) {
      const seconds = async (share: number) => {
        const file = inputs.session(scaled(LONG_SESSION, share));
        return inPasses(await run('replay', file, TWO), TWO, 1).total ?? 0;
      };
      return { ratio: (await seconds(2 * inputs.share)) / (await seconds(inputs.share)) };
    },
  },
  {
    name: 'counter',
    about:
      'js-tiktoken against our counter, both from cold caches: the public recordings, made-up text; by processor time, compilation beside it included, and by the clock',
    async round(run, inputs) {
      const made = inputs.session(scaled(LONG_SESSION, Math.min(inputs.share, 0.1)));
      const times = async (path: string, label: string) => {
        const [theirs, ours] = [await run('tiktoken', path), await run('ours', path)];
        return {
          [label]: (theirs.seconds ?? 0) / (ours.seconds ?? 0),
          [`${label}, clock`]: (theirs.wall ?? 0) / (ours.wall ?? 0),
        };
      };
      const { recordings } = inputs;
      return {
        ...(recordings === undefined ? {} : await times(recordings, 'on recordings')),
        ...(await times(made, 'on made-up text')),
      };
    },
  },
  ratio('reading', 'reading against JSON.parse of the same bytes', 'read', 'parse'),
  ratio('shape', 'the shape check of all requests alone, in passes', 'shape', 'pass'),
  ratio('evidence', 'the evidence of all actions alone, in passes', 'evidence', 'pass'),
  {
    name: 'request-log',
    about: 'reading a log of whole requests against reading its bytes and scanning them once',
    async round(run, { share, file }) {
      const shape = scaled(LOGGED_SESSION, share);
      const log = file('requests.jsonl', () => requestLogLines(shape));
      const [ours, scan] = [await run('readAll', log), await run('scan', log)];
      const { size } = statSync(log);
      const seconds = ours.seconds ?? 0;
      return {
        ratio: seconds / (scan.seconds ?? 0),
        'MB a second': size / 1e6 / seconds,
        'bytes ÷ distinct': size / shape.bytes,
      };
    },
  },
  {
    name: 'workers',
    about: 'many transcripts under two configs: time of the clock of one thread against two',
    async round(run, { share, file }) {
      const many = manyFile(file, MANY_TRANSCRIPTS, share);
      const [one, two] = [
        await run('sweep', many, ['1', ...TWO]),
        await run('sweep', many, ['2', ...TWO]),
      ];
      return {
        ratio: (one.wall ?? 0) / (two.wall ?? 0),
        'processor time, two ÷ one': (two.seconds ?? 0) / (one.seconds ?? 0),
        'MB more a thread': ((two.rss ?? 0) - (one.rss ?? 0)) / 2,
      };
    },
  },
  {
    name: 'memory',
    about:
      'largest resident size of a sweep of a long session in one thread, in MB (2^20), and less 150 MB over the file; of all four configs, two sandbox threads beside it',
    async round(run, inputs) {
      const path = inputs.session(scaled(LONG_SESSION, inputs.share));
      const size = statSync(path).size / 2 ** 20;
      const { rss: two = 0 } = await run('sweep', path, ['1', ...TWO]);
      const { rss: four = 0 } = await run('sweep', path, ['1', ...FOUR]);
      return {
        'two configs': two,
        'two, less 150, ÷ file': (two - 150) / size,
        'four configs': four,
        'four, less 150, ÷ file': (four - 150) / size,
      };
    },
  },
  {
    name: 'huge-file',
    about: 'a sweep of 1 GB of many transcripts in one thread: largest resident size in MB',
    isLarge: true,
    async round(run, { share, file }) {
      const path = manyFile(file, HUGE_FILE, share);
      const { rss = 0, seconds = 0 } = await run('sweep', path, ['1', 'baseline']);
      const size = statSync(path).size / 1e6;
      return { MB: rss, 'MB of file': size, 'MB of file a second': size / seconds };
    },
  },
  {
    name: 'cells',
    about:
      'tau-bench transcripts under all presets: cells a second of CPU, the slowest over the median',
    async round(run, { tauBench, share, presets }) {
      if (tauBench === undefined) return undefined;
      const count = String(Math.max(2, Math.round(200 * share)));
      const { cells = 0, ...seconds } = await run('cells', tauBench, [count, ...presets]);
      const times = Object.values(seconds).sort((a, b) => a - b);
      const all = times.reduce((total, time) => total + time, 0);
      const median = times[times.length >> 1] ?? 1;
      const rates = Object.entries(seconds).map(([name, time]) => [
        `${name} ÷ median`,
        time / median,
      ]);
      return {
        'a second': cells / all,
        'most ÷ median': (times.at(-1) ?? 0) / median,
        ...Object.fromEntries(rates),
      };
    },
  },
];
