/** What goes into the sandbox, and what comes out of it. */

export type Language = 'javascript' | 'starlark';

export interface Program {
  readonly language: Language;
  readonly code: string;
  /** What the program reads as `INPUT`. */
  readonly input: string;
}

/** Why a program gave no result. */
export type Refusal = 'syntax' | 'runtime' | 'step_limit' | 'time_limit' | 'memory_limit';

export interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  /** For the model that wrote the program: what went wrong, with its line where it is known. */
  readonly message: string;
}

export interface Done {
  readonly kind: 'done';
  readonly output: string;
  /** The first line of the program's `SUMMARY`, where it set one. */
  readonly summary?: string;
  /** Calls and backward jumps, in ten thousands: the same on every machine. */
  readonly steps: number;
}

export type Evaluation = Done | Refused;

/** All of them hold for one program; in a session, for one run. */
export interface SandboxLimits {
  /** Calls and backward jumps in the machine. Deterministic, unlike the time. */
  readonly steps: number;
  readonly milliseconds: number;
  /** The memory of the machine, its code included. */
  readonly megabytes: number;
  readonly inputBytes: number;
  readonly outputBytes: number;
  /** Length of a program, in characters. */
  readonly codeLength: number;
}

export const DEFAULT_LIMITS: SandboxLimits = {
  steps: 20_000_000,
  milliseconds: 2000,
  megabytes: 256,
  inputBytes: 2 ** 20,
  outputBytes: 2 ** 20,
  codeLength: 65_536,
};

/** A summary is one line, and not longer than this. */
const SUMMARY_LENGTH = 500;

export function summaryLine(text: string | undefined): string | undefined {
  const line = text?.trim().split(/\r?\n/, 1)[0]?.trim().slice(0, SUMMARY_LENGTH);
  return line === '' ? undefined : line;
}
