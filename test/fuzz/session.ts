import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HarnessError } from '../../src/errors.ts';
import { Finding, insist } from './finding.ts';
import type { Fuzzer, Outcome } from './fuzzer.ts';
import { filesOf, type Input, inputOf } from './inputs.ts';
import type { Seed, SeedFile } from './material.ts';

export interface SessionOptions {
  /** Where the random numbers start. */
  readonly seed: number;
  /** Ends after as many runs. */
  readonly runs: number;
  /** Ends when as many milliseconds have passed. */
  readonly milliseconds: number;
  /** CPU time that a run may take, ms. */
  readonly limit: number;
}

/** What one run broke, and from what. */
export interface Found {
  readonly run: number;
  readonly what: string;
  readonly seedName: string;
  /** What was done to the files of the seed, as few as break it. */
  readonly steps: readonly string[];
  readonly files: readonly SeedFile[];
}

export interface Summary {
  readonly runs: number;
  readonly read: number;
  readonly rejected: number;
  readonly milliseconds: number;
  readonly found?: Found;
}

/** Is told of each run before it starts, so that one that never ends is known. */
export type Watch = (run: number) => void;

/** CPU time that this process has used, ms. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The runs of one fuzzer, until the first finding. */
export async function fuzz(
  fuzzer: Fuzzer,
  { seed, runs, milliseconds, limit }: SessionOptions,
  watch: Watch = () => {},
): Promise<Summary> {
  const started = performance.now();
  const session = new Session(fuzzer, await fuzzer.seeds(), limit);
  const counts = { read: 0, rejected: 0 };
  let run = 0;
  try {
    for (; run < runs && performance.now() - started < milliseconds; run++) {
      watch(run);
      const input = session.inputOf(seed, run);
      const outcome = await session.attempt(input);
      if (typeof outcome === 'string') counts[outcome]++;
      else {
        const found = await session.shrink(input, outcome, () => watch(run));
        return {
          runs: run + 1,
          ...counts,
          milliseconds: performance.now() - started,
          found: { run, ...found },
        };
      }
    }
  } finally {
    session.close();
  }
  return { runs: run, ...counts, milliseconds: performance.now() - started };
}

/** The input of a run alone, for one that did not come to its end. */
export async function filesOfRun(
  fuzzer: Fuzzer,
  seed: number,
  run: number,
): Promise<Omit<Found, 'run' | 'what'>> {
  const seeds = await fuzzer.seeds();
  const input = inputOf(seeds, fuzzer.hasSpellings, seed, run);
  return { seedName: input.seed.name, steps: stepsOf(input), files: filesOf(input, seeds) };
}

class Session {
  readonly #fuzzer: Fuzzer;
  readonly #seeds: readonly Seed[];
  readonly #limit: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
  readonly #known = new Set<Seed>();
  readonly #prototypes = prototypes();
  #rejection: unknown;
  readonly #note = (reason: unknown) => {
    this.#rejection = reason;
  };

  constructor(fuzzer: Fuzzer, seeds: readonly Seed[], limit: number) {
    this.#fuzzer = fuzzer;
    this.#seeds = seeds;
    this.#limit = limit;
    process.on('unhandledRejection', this.#note);
  }

  inputOf(seed: number, run: number): Input {
    return inputOf(this.#seeds, this.#fuzzer.hasSpellings, seed, run);
  }

  /** @returns how the run ended, or what it broke */
  async attempt(input: Input): Promise<Outcome | Finding> {
    try {
      if (!this.#known.has(input.seed)) {
        // What fuzzers read unchanged, they compare with; the run's own time does not hold it.
        await this.#check({ ...input, mutations: [], spelling: undefined, choice: 1 }, true);
        this.#known.add(input.seed);
      }
      const before = cpuTime();
      const outcome = await this.#check(input, false);
      const spent = cpuTime() - before;
      insist(spent <= this.#limit, () => `it took ${Math.round(spent)} ms of CPU time`);
      return outcome;
    } catch (error) {
      if (error instanceof Finding) return error;
      const kind = error instanceof HarnessError ? `${error.code} ` : '';
      return new Finding(
        `it threw ${kind}${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    }
  }

  /** The same finding, or another, from as few of the mutations as break anything. */
  async shrink(input: Input, finding: Finding, watch: () => void): Promise<Omit<Found, 'run'>> {
    let smallest = input;
    let broken = finding;
    for (let at = 0; at < smallest.mutations.length && smallest.mutations.length > 1; ) {
      watch();
      const fewer = { ...smallest, mutations: smallest.mutations.toSpliced(at, 1) };
      const outcome = await this.attempt(fewer);
      if (outcome instanceof Finding) {
        smallest = fewer;
        broken = outcome;
      } else at++;
    }
    const files = filesOf(smallest, this.#seeds);
    return { what: broken.message, seedName: smallest.seed.name, steps: stepsOf(smallest), files };
  }

  close(): void {
    process.off('unhandledRejection', this.#note);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #check(input: Input, isSeed: boolean): Promise<Outcome> {
    const files = isSeed ? input.seed.files : filesOf(input, this.#seeds);
    rmSync(this.#folder, { recursive: true, force: true });
    for (const { path, bytes } of files) {
      mkdirSync(dirname(join(this.#folder, path)), { recursive: true });
      writeFileSync(join(this.#folder, path), bytes);
    }
    const isRespelled = input.spelling !== undefined;
    const { seed, choice } = input;
    const outcome = await this.#fuzzer.check({
      seed,
      files,
      isRespelled,
      folder: this.#folder,
      choice,
    });
    // Rejections that nobody handles are told after the microtasks of this turn.
    await new Promise((resolve) => setImmediate(resolve));
    insist(
      this.#rejection === undefined,
      () => `a rejection that nobody handles: ${this.#rejection}`,
    );
    insist(prototypes() === this.#prototypes, () => `a prototype has changed: ${prototypes()}`);
    return outcome;
  }
}

function prototypes(): string {
  return [Object, Array, String, Function, Map]
    .map(({ prototype }) => Object.getOwnPropertyNames(prototype).join())
    .join(';');
}

function stepsOf({ mutations, spelling }: Input): readonly string[] {
  if (spelling !== undefined) return [`spelling ${spelling}`];
  return mutations.map(({ file, name, seed }) => `${name} of ${file} (${seed})`);
}
