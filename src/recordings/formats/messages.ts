import { HarnessError } from '../../errors.ts';
import type { DialectName, Message } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { dialectOf } from '../../wire/catalog.ts';
import { isObject } from '../../wire/json-object.ts';
import { path, slice } from '../../wire/json-spans.ts';
import { isConversation } from '../capture-entries.ts';
import { isContentsList, isMessage, isMessageList, judgeDialect } from '../dialects.ts';
import { countLines, type Document, documentLines, type Line, linesOf } from '../document.ts';
import { lengthOf } from '../entries.ts';
import { describeOdd } from '../odd-message.ts';
import { problemOf } from '../problem.ts';
import { inputError } from '../schema.ts';
import { countList, requestsOfList, stemOf, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

/**
 * Plain lists of messages: an array, a message a line, or what a client saved of a chat: `{messages}`,
 * `{history}`, also a line each, with nothing of a request. Also lists of gemini's `{role, parts}`.
 */
export const messageArrays: Format = {
  name: 'messages',
  about: 'an array of messages {role, content}, bare or in {messages}, or one message a line',

  detect(document) {
    if (document.kind === 'json') return listIn(document.sample[0]) !== undefined;
    return (
      isSaidList(leadingOf(document)) || document.sample.some((value) => isConversation(value))
    );
  },

  groupKeys: () => [],

  streams: true,

  *read(documents, context) {
    for (const document of documents) yield* readDocument(document, context);
  },
};

type JsonlDocument = Document & { readonly kind: 'jsonl' };

/** True for a list that somebody answered, or spoke in. */
function isSaidList(list: unknown): boolean {
  if (isContentsList(list)) return list.some(({ role }) => role === 'model');
  return isMessageList(list) && list.some((message) => 'content' in message);
}

function dialectOfList(list: unknown): DialectName | undefined {
  return judgeDialect(isContentsList(list) ? { contents: list } : { messages: list })?.dialect;
}

/** Of lines of messages a later one may be none, which is told when it is read. */
function leadingOf({ sample, leading }: JsonlDocument): readonly unknown[] {
  return sample.slice(0, leading);
}

/** Where the list is: the steps to it. */
function listIn(value: unknown): readonly string[] | undefined {
  if (isSaidList(value)) return [];
  if (isConversation(value)) return ['messages'];
  // A chat that was saved.
  return isObject(value) && isContentsList(value.history) ? ['history'] : undefined;
}

function* readDocument(document: Document, context: ReadContext): Generator<Transcript> {
  const { path: file } = document.file;
  const { loss } = context;
  if (document.kind === 'jsonl' && isSaidList(leadingOf(document))) {
    const name = dialectOfList(leadingOf(document));
    if (name === undefined) return;
    loss.found(file, countLines(document), 'messages');
    yield readList(readMessages(document, name, context), name, file, undefined, context);
    return;
  }
  const isOne = countLines(document) === 1;
  for (const line of documentLines(document)) {
    const transcript = readLine(line, file, isOne, context);
    if (transcript !== undefined) yield transcript;
  }
}

/** A line that holds a list; reported where it does not. */
function readLine(
  { line, text }: Line,
  file: string,
  isOne: boolean,
  context: ReadContext,
): Transcript | undefined {
  const { loss } = context;
  try {
    const value: unknown = JSON.parse(text);
    const steps = listIn(value);
    const list = steps?.reduce<unknown>((at, key) => (isObject(at) ? at[key] : at), value);
    const span = steps === undefined ? undefined : path(text, steps);
    const name = dialectOfList(list);
    if (name === undefined || span === undefined) {
      throw new HarnessError('input.schema', `expected ${messageArrays.about}`);
    }
    const messages = dialectOf(name).parseList(slice(text, span), context.table);
    loss.found(file, lengthOf(list), 'messages');
    return readList(messages, name, file, isOne ? undefined : line, context);
  } catch (error) {
    loss.found(file, 1, 'messages');
    loss.skipped(file, 'a broken line');
    context.report(problemOf(inputError(text, error), file, line));
    return undefined;
  }
}

/** @param line where the list stands, of a file with several */
function readList(
  messages: readonly Message[],
  dialect: DialectName,
  file: string,
  line: number | undefined,
  { loss }: ReadContext,
): Transcript {
  const requests = requestsOfList(messages);
  countList(loss, file, messages, requests);
  return toTranscript({
    task: line === undefined ? stemOf(file) : `${stemOf(file)} ${line}`,
    trial: '0',
    lineage: 'main',
    source: { file, format: 'messages', session: line === undefined ? file : `${file} ${line}` },
    dialect,
    requests,
    retries: 0,
  });
}

function readMessages(
  document: JsonlDocument,
  name: DialectName,
  context: ReadContext,
): readonly Message[] {
  const dialect = dialectOf(name);
  const messages: Message[] = [];
  for (const { line, text } of linesOf(document.content)) {
    try {
      const message = dialect.parseMessage(text.trim(), context.table);
      const value: unknown = JSON.parse(text);
      if (name === 'gemini' ? !isContentsList([value]) : !isMessage(value)) {
        throw new HarnessError('input.schema', `expected a message, found ${describeOdd(value)}`);
      }
      messages.push(message);
    } catch (error) {
      context.loss.skipped(document.file.path, 'a broken line');
      context.report(problemOf(inputError(text, error), document.file.path, line));
    }
  }
  return messages;
}
