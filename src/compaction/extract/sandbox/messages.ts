/** What the sandbox and its threads say to each other. */

import type { Language, Refusal } from './program.ts';

export type ThreadRequest =
  | { kind: 'prepare'; language: Language }
  | { kind: 'evaluate'; language: Language; code: string; input: string }
  | { kind: 'begin'; language: Language; input: string; asks: boolean }
  | { kind: 'run'; code: string };

/** Ends a session; nothing is replied. */
export interface ThreadFarewell {
  readonly kind: 'leave';
}

/** `heavy`: the thread holds memory that it cannot give back. */
export type ThreadReply =
  | { kind: 'ready' }
  | { kind: 'done'; output: string; summary: string | undefined; steps: number; heavy: boolean }
  | {
      kind: 'ran';
      printed: string;
      output: string | undefined;
      summary: string | undefined;
      heavy: boolean;
    }
  | { kind: 'refused'; refusal: Refusal; message: string; heavy: boolean }
  | { kind: 'failed'; message: string };

export type ThreadMessage =
  | ThreadReply
  | { kind: 'started' }
  | { kind: 'ask'; question: string; piece: string };

/** The parent's answer to `ask`. */
export type ThreadAnswer = { text: string } | { error: string };
