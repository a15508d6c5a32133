/** A violation in a public recording, and why it is one of the recording and not of the oracle. */
export interface ExplainedViolation {
  /** File under `../shared/transcripts`. */
  readonly file: string;
  /** Number of the request in its transcript, from 0. */
  readonly request: number;
  readonly rule: string;
  /** Places in the list. */
  readonly messages: readonly number[];
  readonly reason: string;
}

export const explainedViolations: readonly ExplainedViolation[] = [
  {
    file: 'llm-request-log/rossoctl__context-guru/examples__llm-d-service__sample__context.before.json',
    request: 0,
    rule: 'OC-PAIR-2',
    messages: [3, 5, 7, 9],
    reason:
      'a sample that was written by hand and never sent: its assistant turns tell of the calls in words and have no tool_calls, so its tool messages c1 to c4 are orphans',
  },
];
