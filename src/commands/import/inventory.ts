import type { FileLoss } from '../../recordings/loss.ts';
import type { Problem } from '../../recordings/problem.ts';
import type { Reading } from '../../recordings/read.ts';
import type { Message } from '../../transcript/message.ts';
import { messageTokens } from '../../transcript/message-tokens.ts';
import type { Transcript } from '../../transcript/transcript.ts';

/** What one file holds. */
export interface FileInventory {
  /** Path as the user would write it. */
  readonly file: string;
  /** Undefined where no format was recognized. */
  readonly format: string | undefined;
  readonly agents: readonly string[];
  readonly models: readonly string[];
  readonly sessions: number;
  /** Lineages: what a sweep has a row for. */
  readonly transcripts: number;
  /** Distinct ones, added up over the transcripts. */
  readonly messages: number;
  readonly requests: number;
  /** Of the distinct messages (o200k_base). */
  readonly tokens: number;
  readonly rewards: readonly number[];
  readonly errors: number;
  readonly notices: number;
  readonly loss: FileLoss | undefined;
}

interface Tally {
  format: string | undefined;
  readonly agents: Set<string>;
  readonly models: Set<string>;
  readonly sessions: Set<string>;
  transcripts: number;
  messages: number;
  requests: number;
  tokens: number;
  readonly rewards: number[];
  errors: number;
  notices: number;
  loss: FileLoss | undefined;
}

/** Adds up readings, file by file; of a transcript no more than its figures stays in memory. */
export class Inventory {
  readonly #files = new Map<string, Tally>();

  add({ transcripts, problems, losses }: Reading): void {
    for (const loss of losses) {
      const tally = this.#of(loss.file);
      tally.loss = loss;
      tally.format = loss.format;
    }
    for (const transcript of transcripts) this.#addTranscript(transcript);
    for (const problem of problems) this.#addProblem(problem);
  }

  files(): readonly FileInventory[] {
    return [...this.#files].map(([file, { agents, models, sessions, ...figures }]) => ({
      file,
      agents: [...agents],
      models: [...models],
      sessions: sessions.size,
      ...figures,
    }));
  }

  #addTranscript(transcript: Transcript): void {
    const { agent, model, source, requests, reward, dialect } = transcript;
    const tally = this.#of(source.file);
    tally.format = source.format;
    if (agent !== undefined) tally.agents.add(agent);
    for (const name of [model, ...requests.map((request) => request.model)]) {
      if (name !== undefined) tally.models.add(name);
    }
    tally.sessions.add(source.session);
    tally.transcripts++;
    tally.requests += requests.length;
    if (reward !== undefined) tally.rewards.push(reward);
    const distinct = new Set<Message>();
    for (const { messages, action } of requests) {
      for (const message of messages) distinct.add(message);
      if (action !== undefined) distinct.add(action);
    }
    tally.messages += distinct.size;
    for (const message of distinct) {
      const counting = { tokenizer: 'o200k_base', dialect, thinking: 'all' } as const;
      const { content, thinking } = messageTokens(message, counting);
      tally.tokens += content + thinking;
    }
  }

  #addProblem({ at, severity }: Problem): void {
    const tally = this.#of(at.file ?? '');
    if (severity === 'error') tally.errors++;
    else tally.notices++;
  }

  #of(file: string): Tally {
    const known = this.#files.get(file);
    if (known !== undefined) return known;
    const tally: Tally = {
      format: undefined,
      agents: new Set(),
      models: new Set(),
      sessions: new Set(),
      transcripts: 0,
      messages: 0,
      requests: 0,
      tokens: 0,
      rewards: [],
      errors: 0,
      notices: 0,
      loss: undefined,
    };
    this.#files.set(file, tally);
    return tally;
  }
}
