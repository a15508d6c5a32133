import type { FileLoss } from '../../src/recordings/loss.ts';
import type { Problem } from '../../src/recordings/problem.ts';
import type { Reading } from '../../src/recordings/read.ts';
import type { Message } from '../../src/transcript/message.ts';
import type { Transcript } from '../../src/transcript/transcript.ts';
import { stringsIn, textsIn } from './json-tree.ts';
import type { SeedFile } from './material.ts';

/** All readings of a folder as one. */
export interface Whole {
  readonly transcripts: readonly Transcript[];
  readonly problems: readonly Problem[];
  readonly losses: readonly FileLoss[];
}

export async function wholeOf(readings: AsyncIterable<Reading>): Promise<Whole> {
  const transcripts: Transcript[] = [];
  const problems: Problem[] = [];
  const losses: FileLoss[] = [];
  for await (const reading of readings) {
    transcripts.push(...reading.transcripts);
    problems.push(...reading.problems);
    losses.push(...reading.losses);
  }
  return { transcripts, problems, losses };
}

/** Every distinct message, those of actions too. */
function messagesOf(transcripts: readonly Transcript[]): ReadonlySet<Message> {
  const messages = new Set<Message>();
  for (const { requests } of transcripts) {
    for (const { messages: list, action } of requests) {
      for (const message of list) messages.add(message);
      if (action !== undefined) messages.add(action);
    }
  }
  return messages;
}

/** The texts that the messages of transcripts hold. */
export class Texts {
  readonly #known = new Set<string>();
  #whole: string | undefined;

  constructor(transcripts: readonly Transcript[]) {
    for (const { raw } of messagesOf(transcripts)) this.#add(`[${raw}]`);
  }

  /** As a text of its own. */
  has(text: string): boolean {
    return this.#known.has(text);
  }

  /** Whole, or as a part of a longer text. */
  holds(text: string): boolean {
    if (this.#known.has(text)) return true;
    this.#whole ??= [...this.#known].join('\0');
    // Content of an odd form is read as its JSON.
    return this.#whole.includes(text) || this.#whole.includes(JSON.stringify(text).slice(1, -1));
  }

  #add(json: string): void {
    for (const text of stringsIn(json)) this.#known.add(text);
  }
}

/** A shorter text may stand anywhere by chance. */
const SHORTEST_MARK = 9;
/** Words of a format, which are no content: `function_call_output`. */
const WORD = /^[a-z]+(?:[_-][a-z]+)*$/;

function canMark(text: string): boolean {
  return text.length >= SHORTEST_MARK && !WORD.test(text);
}

/** A record of a file and the texts that only it has: found again in a transcript, it was read. */
export interface MarkedRecord {
  /** Exact text of the line; of a JSON file, one of its strings. */
  readonly text: string;
  readonly marks: readonly string[];
}

/** Records of a file: the lines of a JSONL file, else the strings of a JSON file. */
export function recordsOf({ kind, bytes }: SeedFile): readonly MarkedRecord[] {
  const text = bytes.toString('utf8');
  if (kind !== 'jsonl') {
    // One under other keys, or beside other values, is another; one that stands twice tells nothing of either.
    const all = textsIn(text).filter(({ text: mark }) => canMark(mark));
    const counts = new Map<string, number>();
    for (const { text: mark } of all) counts.set(mark, (counts.get(mark) ?? 0) + 1);
    return all.map(({ text: mark, place }) => ({
      text: `${place} ${mark}`,
      marks: counts.get(mark) === 1 ? [mark] : [],
    }));
  }
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const marks = uniqueOf(lines.map((line) => stringsIn(line)));
  return lines.map((line, index) => ({ text: line, marks: marks[index] ?? [] }));
}

/** Of each list the texts that are in no other list, and are no name or id of little. */
function uniqueOf(lists: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const owners = new Map<string, number>();
  for (const [index, list] of lists.entries()) {
    for (const text of list) {
      const owner = owners.get(text);
      owners.set(text, owner === undefined || owner === index ? index : -1);
    }
  }
  return lists.map((list, index) => [
    ...new Set(list.filter((text) => canMark(text) && owners.get(text) === index)),
  ]);
}

/** How many records were said to be in no transcript, or to be part of what another gave. */
export interface Told {
  readonly skipped: number;
  readonly merged: number;
}

export function toldOf(losses: readonly FileLoss[]): Told {
  const sum = (all: readonly ReadonlyMap<string, number>[]) =>
    all.flatMap((counts) => [...counts.values()]).reduce((total, count) => total + count, 0);
  return {
    skipped: sum(losses.map(({ skipped }) => skipped)),
    merged: sum(losses.map(({ merged }) => merged)),
  };
}

/** True for the file itself and for what an archive of that name holds. */
export function isOf(named: string | undefined, path: string): boolean {
  return named === path || named?.startsWith(`${path}!/`) === true;
}

/** What two readings of the same content have in common, whatever the spelling. */
export function contentOf(whole: Whole): string {
  const transcripts = whole.transcripts.map((transcript) => {
    const { requests, source: _, hash: __, task, ...rest } = transcript;
    return [
      // Some are called after their line, which a blank one moves.
      task.replace(/ \d+$/, ''),
      rest,
      requests.map(({ messages, action, envelope: ___, ...facts }) => [
        messages.map(outlineOf),
        action === undefined ? null : outlineOf(action),
        facts,
      ]),
    ];
  });
  const losses = whole.losses.map((loss) => ({
    ...loss,
    merged: [...loss.merged],
    skipped: [...loss.skipped],
  }));
  // One about the folder as a whole is there or not as the folder was named or its file.
  const problems = whole.problems.flatMap(({ code, at }) => (at.file === '.' ? [] : [code]));
  return JSON.stringify([transcripts, problems, losses], null, 1);
}

/** What a message says; JSON inside of it may be laid out otherwise. */
function outlineOf({ role, blocks }: Message): unknown {
  return [
    role,
    blocks.map((block) => [block.kind, stringsIn(JSON.stringify(block)).map(respaced)]),
  ];
}

function respaced(text: string): string {
  return text.replace(/\s+/g, '');
}
