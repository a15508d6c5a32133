import type { MessageTable } from '../../transcript/intern.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import type { Document } from '../document.ts';
import type { Problem } from '../problem.ts';

export type FormatName = 'tau-bench' | 'claude-code-jsonl' | 'llm-request-log' | 'messages';

/** What a format's reader is given besides the documents. */
export interface ReadContext {
  /** One table for all documents of the reading. */
  readonly table: MessageTable;
  report(problem: Problem): void;
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

  /** The transcripts of documents that belong together. What cannot be read is reported. */
  read(documents: readonly Document[], context: ReadContext): readonly Transcript[];
}
