import type { Message } from './message.ts';

/**
 * Where a message list may be cut without tearing an exchange (an assistant message with tool calls and
 * all its results) apart.
 *
 * @returns for each position 0…n whether a cut before message `position` leaves every exchange whole.
 * Position n is not safe while a call at the end still waits for its result.
 */
export function safeCuts(messages: readonly Message[]): readonly boolean[] {
  const safe = new Array<boolean>(messages.length + 1).fill(true);
  // Ids repeat within real transcripts, so calls are paired by position: those of the latest
  // assistant message that called tools, until another message that is neither result nor note comes.
  let start = -1;
  let waiting: string[] = [];
  for (const [index, message] of messages.entries()) {
    const answered = resultIds(message);
    if (answered.length > 0 && start >= 0) {
      for (let inner = start + 1; inner <= index; inner++) safe[inner] = false;
      for (const id of answered) {
        const position = waiting.indexOf(id);
        if (position >= 0) waiting.splice(position, 1);
      }
    }
    const calls = callIds(message);
    if (calls.length > 0) {
      start = index;
      waiting = calls;
    } else if (message.role === 'assistant') {
      start = -1;
      waiting = [];
    }
  }
  if (waiting.length > 0 && start >= 0) {
    for (let inner = start + 1; inner <= messages.length; inner++) safe[inner] = false;
  }
  return safe;
}

function callIds(message: Message): string[] {
  const ids: string[] = [];
  for (const block of message.blocks) {
    if (block.kind === 'tool-call' && block.server !== true) ids.push(block.id);
  }
  return ids;
}

function resultIds(message: Message): string[] {
  const ids: string[] = [];
  for (const block of message.blocks) {
    if (block.kind === 'tool-result' && block.server !== true) ids.push(block.id);
  }
  return ids;
}
