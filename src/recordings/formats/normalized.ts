import type { z } from 'zod';
import { HarnessError } from '../../errors.ts';
import type { Message } from '../../transcript/message.ts';
import type { Envelope, Request, Transcript } from '../../transcript/transcript.ts';
import { dialectOf } from '../../wire/catalog.ts';
import { isObject } from '../../wire/json-object.ts';
import { countLines, type Document, documentLines, type Line } from '../document.ts';
import { BROKEN } from '../entries.ts';
import { problemOf } from '../problem.ts';
import { inputError, schemaError } from '../schema.ts';
import { type TranscriptDraft, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';
import {
  bodyLine,
  NORMALIZED,
  NORMALIZED_VERSION,
  type requestLine,
  type TranscriptLine,
  transcriptLine,
} from './normalized-lines.ts';

/** The harness's own JSONL, as `import` writes it: a transcript a file, or several after one another. */
export const normalized: Format = {
  name: 'normalized',
  about: 'JSONL of this harness, as import writes it',

  detect: (document) => document.sample.some(isHead),

  groupKeys: () => [],

  streams: true,

  *read(documents, context) {
    for (const document of documents) yield* new Reader(document, context).read();
  },
};

function isHead(value: unknown): boolean {
  return isObject(value) && value.type === 'transcript' && value.format === NORMALIZED;
}

/** Reads one document. A transcript that has a broken line is left out, and the others go on. */
class Reader {
  readonly #document: Document;
  readonly #context: ReadContext;
  /** Undefined after a broken line, until the next transcript begins. */
  #current: Draft | undefined;
  /** Lines since the last transcript ended. */
  #lines = 0;

  constructor(document: Document, context: ReadContext) {
    this.#document = document;
    this.#context = context;
  }

  *read(): Generator<Transcript> {
    const { path } = this.#document.file;
    const { loss } = this.#context;
    loss.found(path, countLines(this.#document), 'lines');
    let last = 0;
    for (const line of documentLines(this.#document)) {
      last = line.line;
      const done = this.#readLine(line);
      if (done !== undefined) yield done;
    }
    this.#endOfPart(last);
  }

  /** @returns the transcript that ends with this line */
  #readLine({ line, text }: Line): Transcript | undefined {
    const { path } = this.#document.file;
    let ended: Transcript | undefined;
    let isWhole = false;
    try {
      const value: unknown = JSON.parse(text);
      isWhole = true;
      if (isHead(value)) {
        this.#endOfPart(line - 1);
        this.#current = new Draft(headOf(value), path, this.#context);
      } else if (this.#current !== undefined) {
        ended = this.#current.add(value);
      } else if (this.#lines === 0) {
        const message =
          'expected the first line of a transcript, found another one; import it again';
        throw new HarnessError('input.schema', message);
      }
    } catch (error) {
      const problem = problemOf(inputError(text, error), path, line);
      // A place inside of a message's text is none of the file's.
      const { column: _, ...place } = problem.at;
      const at = isWhole ? { ...place, line } : problem.at;
      this.#context.report({ ...problem, at });
      this.#current = undefined;
    }
    this.#lines++;
    if (ended === undefined) return undefined;
    this.#context.loss.read(path, this.#lines);
    this.#lines = 0;
    this.#current = undefined;
    return ended;
  }

  /** Before the next transcript and at the end: what was begun and is not whole is left out. */
  #endOfPart(line: number): void {
    const { path } = this.#document.file;
    if (this.#current !== undefined) {
      const message =
        'the transcript ends without its last line: the file was cut short; import it again';
      const at = { file: path, line };
      this.#context.report({ code: 'input.syntax', message, at, severity: 'error' });
    }
    this.#context.loss.skipped(path, BROKEN, this.#lines);
    this.#lines = 0;
    this.#current = undefined;
  }
}

/** @throws HarnessError `input.schema` for another version, and for what is no such line */
function headOf(value: unknown): TranscriptLine {
  const version = isObject(value) ? value.version : undefined;
  if (version !== NORMALIZED_VERSION) {
    const found = JSON.stringify(version)?.slice(0, 40) ?? 'no version';
    const message = `expected version ${NORMALIZED_VERSION} of the normalized format, found ${found}; import the original recording again, or update the harness`;
    throw new HarnessError('input.schema', message, { at: { key: 'version' } });
  }
  const parsed = transcriptLine.safeParse(value);
  if (!parsed.success) throw schemaError(parsed.error, "a transcript's first line", value);
  return parsed.data;
}

/** A transcript whose lines come one by one. */
class Draft {
  readonly #head: TranscriptLine;
  readonly #file: string;
  readonly #context: ReadContext;
  readonly #messages: Message[] = [];
  readonly #envelopes: Envelope[] = [];
  readonly #requests: Request[] = [];

  constructor(head: TranscriptLine, file: string, context: ReadContext) {
    this.#head = head;
    this.#file = file;
    this.#context = context;
  }

  /**
   * @returns the whole transcript where this line closes it
   * @throws HarnessError `input.schema` for what is no line of a transcript, or leads to what is not there
   */
  add(value: unknown): Transcript | undefined {
    const parsed = bodyLine.safeParse(value);
    if (!parsed.success) throw schemaError(parsed.error, 'a line of a transcript', value);
    const line = parsed.data;
    switch (line.type) {
      case 'message':
        this.#messages.push(
          dialectOf(this.#head.dialect).parseMessage(line.raw, this.#context.table),
        );
        return undefined;
      case 'envelope': {
        const { head, separator, gaps, tail, system, tools } = line;
        const envelope: Envelope = {
          head,
          separator,
          ...(gaps === undefined ? {} : { gaps }),
          tail,
          ...(system === undefined ? {} : { system }),
          ...(tools === undefined ? {} : { tools }),
        };
        expectBody(envelope);
        this.#envelopes.push(envelope);
        return undefined;
      }
      case 'request':
        this.#requests.push(this.#requestOf(line));
        return undefined;
      case 'end':
        expectCount('requests', line.requests, this.#requests.length);
        expectCount('messages', line.messages, this.#messages.length);
        expectCount('envelopes', line.envelopes, this.#envelopes.length);
        return this.#whole();
    }
  }

  #requestOf(line: z.infer<typeof requestLine>): Request {
    const { segment, keep, add, envelope, action, model, time, usage, cost } = line;
    const before = this.#requests.at(-1)?.messages ?? [];
    if (keep > before.length) {
      throw new HarnessError(
        'input.schema',
        `"keep": found ${keep}, expected at most ${before.length}, the messages of the request before`,
      );
    }
    const isSame = keep === before.length && add.length === 0 && this.#requests.length > 0;
    const added = add.map((number) => numbered(this.#messages, number, 'add', 'message'));
    return {
      segment,
      messages: isSame ? before : [...before.slice(0, keep), ...added],
      ...(envelope === undefined
        ? {}
        : { envelope: numbered(this.#envelopes, envelope, 'envelope', 'envelope') }),
      ...(action === undefined
        ? {}
        : { action: numbered(this.#messages, action, 'action', 'message') }),
      ...(model === undefined ? {} : { model }),
      ...(time === undefined ? {} : { time }),
      ...(usage === undefined ? {} : { usage }),
      ...(cost === undefined ? {} : { cost }),
    };
  }

  #whole(): Transcript {
    const { task, trial, lineage, dialect, agent, model, reward, cost, retries, source } =
      this.#head;
    const draft: TranscriptDraft = {
      task,
      trial,
      lineage,
      source: { file: this.#file, format: 'normalized', session: source.session },
      dialect,
      ...(agent === undefined ? {} : { agent }),
      ...(model === undefined ? {} : { model }),
      ...(reward === undefined ? {} : { reward }),
      ...(cost === undefined ? {} : { cost }),
      requests: this.#requests,
      retries,
    };
    return toTranscript(draft);
  }
}

/** @throws HarnessError `input.schema` where the end says another count; a file of an earlier version says none */
function expectCount(what: string, expected: number | undefined, found: number): void {
  if (expected === undefined || expected === found) return;
  const message = `expected ${expected} ${what}, found ${found}; import it again`;
  throw new HarnessError('input.schema', message);
}

/** @throws HarnessError `input.schema` where no list of messages makes JSON of what stands around it */
function expectBody({ head, separator, gaps, tail, system = '0', tools = '0' }: Envelope): void {
  // A body without brackets of its own holds one message that is a string.
  const list = gaps?.length === 0 ? '[]' : '';
  try {
    const body: unknown = JSON.parse(`${head}${list}${tail}`);
    if (!isObject(body)) throw new SyntaxError('no object');
    for (const between of [separator, ...(gaps ?? [])]) JSON.parse(`[0${between}0]`);
    for (const part of [system, tools]) JSON.parse(part);
  } catch (error) {
    const message = `expected what stands around a list of messages, found ${head.slice(0, 60)}; import it again`;
    throw new HarnessError('input.schema', message, { cause: error });
  }
}

/** @throws HarnessError `input.schema` where no line has this number */
function numbered<T>(items: readonly T[], number: number, key: string, what: string): T {
  const item = items[number];
  if (item !== undefined) return item;
  throw new HarnessError(
    'input.schema',
    `"${key}": found ${number}, expected the number of one of the ${items.length} ${what} lines before`,
  );
}
