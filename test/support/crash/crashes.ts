/** Ends a command at one change of the disk after the other, and looks at what it left. */
import { basename } from 'node:path';
import { type Fault, Injector, type Operation } from './injector.ts';

/** One point at which a command is ended. */
export interface Crash {
  readonly index: number;
  readonly when: 'before' | 'empty' | 'half';
  readonly operation: Operation;
}

export interface Crashing<S> {
  /** A fresh place, as the command finds it. */
  prepare(): S | Promise<S>;
  /** Folders that are watched. */
  folders(state: S): readonly string[];
  /** Runs the command; what it returns and throws is left aside where it is ended. */
  run(state: S): Promise<unknown>;
  /** What it left may be looked at, and the command run again. */
  check(state: S, crash: Crash): Promise<void>;
  /** Most crashes that are tried, chosen with a fixed seed; absent: all. */
  readonly most?: number;
}

/** The changes that the command makes when nobody ends it. */
export async function operationsOf<S>({
  prepare,
  folders,
  run,
}: Crashing<S>): Promise<readonly Operation[]> {
  const state = await prepare();
  const injector = Injector.begin(folders(state), () => ({ kind: 'none' }));
  try {
    await run(state);
  } finally {
    injector.end();
  }
  return injector.operations;
}

/**
 * Before each operation, which is behind the one before it too, and after the opening and the first half of each
 * write. Returns the crashes that were tried.
 */
export async function crashEverywhere<S>(crashing: Crashing<S>): Promise<readonly Crash[]> {
  const operations = await operationsOf(crashing);
  const crashes = operations.flatMap((operation, index): Crash[] => {
    const before = { index, when: 'before', operation } as const;
    if (!operation.writes) return [before];
    return [before, { ...before, when: 'empty' }, { ...before, when: 'half' }];
  });
  const tried = sampled(crashes, crashing.most ?? crashes.length);
  for (const crash of tried) {
    const state = await crashing.prepare();
    const plan = (operation: Operation, index: number): Fault => {
      if (index < crash.index) return { kind: 'none' };
      if (operation.name !== crash.operation.name) {
        throw new Error(`operation ${index} was ${crash.operation.name}, now ${operation.name}`);
      }
      return { kind: 'kill', when: crash.when };
    };
    const injector = Injector.begin(crashing.folders(state), plan);
    try {
      await crashing.run(state);
    } catch {
      // A process that has died throws nothing; this one only looks dead.
    } finally {
      injector.end();
    }
    if (injector.operations.length !== crash.index + 1) {
      throw new Error(`${describeCrash(crash)}: the command was not ended there`);
    }
    try {
      await crashing.check(state, crash);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${describeCrash(crash)}: ${message}`, { cause });
    }
  }
  return tried;
}

export function describeCrash({ index, when, operation }: Crash): string {
  return `killed ${when} ${index} (${operation.name} of ${basename(operation.path)})`;
}

/** Every kind of crash once (function, file, moment), and others by a fixed seed until there are `most`. */
function sampled(crashes: readonly Crash[], most: number): readonly Crash[] {
  const kinds = new Map(
    crashes.map((crash) => {
      const { name, path } = crash.operation;
      const file = basename(path).replace(/[0-9a-f]{12}|\d/g, '');
      return [`${name} ${file} ${crash.when}`, crash];
    }),
  );
  const chosen = new Set(kinds.values());
  const count = Math.min(crashes.length, Math.max(most, chosen.size));
  let state = 1;
  while (chosen.size < count) {
    state = (state * 48_271) % 2_147_483_647;
    const crash = crashes[state % crashes.length];
    if (crash !== undefined) chosen.add(crash);
  }
  return crashes.filter((crash) => chosen.has(crash));
}
