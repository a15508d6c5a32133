import type { MessageTable } from '../../transcript/intern.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import type { Document } from '../document.ts';
import type { LossReport } from '../loss.ts';
import type { Problem } from '../problem.ts';

export type FormatName =
  | 'normalized'
  | 'tau-bench'
  | 'tau2-bench'
  | 'intercode'
  | 'inspect-eval'
  | 'claude-code-jsonl'
  | 'codex-rollout'
  | 'gemini-cli-chat'
  | 'pi-session'
  | 'openhands-v0-events'
  | 'openhands-v1-events'
  | 'langgraph-thread'
  | 'otel-traces'
  | 'claude-sdk-stream-json'
  | 'swe-agent-traj'
  | 'mini-swe-agent'
  | 'atif'
  | 'whowhen-multiagent'
  | 'cline-messages'
  | 'llm-request-log'
  | 'messages';

/** What a format's reader is given besides the documents. */
export interface ReadContext {
  /**
   * One table for what is read together. Of a format that gives its transcripts one by one, it is another one after
   * some of them, so it is asked for anew for each.
   */
  readonly table: MessageTable;
  /** Puts an empty table in its place, where a format knows that what it read so far is not needed any more. */
  renew(): void;
  report(problem: Problem): void;
  /** Counts what becomes of each record of each file. */
  readonly loss: LossReport;
}

/** One layout of recorded transcripts. */
export interface Format {
  readonly name: FormatName;
  /** What a file of this format looks like, for messages. */
  readonly about: string;

  /** True when the document is of this format, by its content. */
  detect(document: Document): boolean;

  /**
   * Keys that join documents to one reading: documents that share a key are read together. None: the
   * document is read alone. Joining too many costs memory and nothing else.
   */
  groupKeys(document: Document): readonly string[];

  /**
   * True for the first entries of a list that `read` takes as the lines of a JSONL file, so that a large one need not
   * be held.
   */
  detectsList?(entries: readonly unknown[]): boolean;

  /** True when `read` gives each transcript as soon as it is whole and keeps none, so that a file may hold any number. */
  readonly streams?: true;

  /** The transcripts of documents that belong together. What cannot be read is reported. */
  read(documents: readonly Document[], context: ReadContext): Iterable<Transcript>;
}
