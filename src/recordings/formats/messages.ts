import { HarnessError } from '../../errors.ts';
import type { Message } from '../../transcript/message.ts';
import type { Transcript } from '../../transcript/transcript.ts';
import { dialectOf } from '../../wire/catalog.ts';
import { isMessage, isMessageList, judgeDialect } from '../dialects.ts';
import { countLines, type Document, linesOf } from '../document.ts';
import { lengthOf } from '../entries.ts';
import { describeOdd } from '../odd-message.ts';
import { problemOf } from '../problem.ts';
import { inputError } from '../schema.ts';
import { countList, requestsOfList, stemOf, toTranscript } from '../transcripts.ts';
import type { Format, ReadContext } from './format.ts';

/** A plain array of messages, or a JSONL file with a message a line. */
export const messageArrays: Format = {
  name: 'messages',
  about: 'an array of messages {role, content}, or one message a line',

  detect(document) {
    const list = document.kind === 'json' ? document.sample[0] : document.sample;
    return isMessageList(list) && list.some((message) => 'content' in message);
  },

  groupKeys: () => [],

  read(documents, context) {
    return documents.flatMap((document) => readDocument(document, context));
  },
};

function readDocument(document: Document, context: ReadContext): readonly Transcript[] {
  const list = document.kind === 'json' ? document.sample[0] : document.sample;
  const name = judgeDialect({ messages: list })?.dialect;
  if (name === undefined) return [];
  const { path } = document.file;
  const { loss } = context;
  loss.found(path, document.kind === 'json' ? lengthOf(list) : countLines(document), 'messages');
  const messages = readMessages(document, name, context);
  const requests = requestsOfList(messages);
  countList(loss, path, messages, requests);
  return [
    toTranscript({
      task: stemOf(path),
      trial: '0',
      lineage: 'main',
      source: { file: path, format: 'messages', session: path },
      dialect: name,
      requests,
      retries: 0,
    }),
  ];
}

function readMessages(
  document: Document,
  name: Transcript['dialect'],
  context: ReadContext,
): readonly Message[] {
  const dialect = dialectOf(name);
  if (document.kind === 'json') return dialect.parseList(document.text, context.table);
  const messages: Message[] = [];
  for (const { line, text } of linesOf(document.bytes)) {
    try {
      const message = dialect.parseMessage(text.trim(), context.table);
      const value: unknown = JSON.parse(text);
      if (!isMessage(value)) {
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
