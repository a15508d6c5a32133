import { parse } from 'csv-parse/sync';
import { HarnessError, messageOf, nearestName } from '../errors.ts';
import type { Outcome } from './statistics/paired.ts';
import type { SavingsCell } from './statistics/savings.ts';

/** A row of a live run that somebody else recorded: its reward, and its token counts where it has them. */
export interface PublishedRow extends Outcome, SavingsCell {
  readonly requests?: number | undefined;
  /** Line of the file, from 1. */
  readonly line: number;
}

export interface PublishedTable {
  readonly rows: readonly PublishedRow[];
  /** Configs in the order of their first row. */
  readonly configs: readonly string[];
  /** Rows without a reward; the rule for missing outcomes decides about them. */
  readonly withoutReward: number;
  /** Rows that repeat a task and config in a table without trials, and so were read as further trials. */
  readonly impliedTrials: number;
}

/** Under which header a table has what; the defaults are those of our own CSV. */
export interface PublishedColumns {
  readonly task: string;
  readonly config: string;
  readonly reward: string;
  readonly trial: string;
  readonly requests: string;
  readonly before: string;
  readonly after: string;
}

export const PUBLISHED_COLUMNS: PublishedColumns = {
  task: 'task',
  config: 'config',
  reward: 'reward',
  trial: 'trial',
  requests: 'gw_requests',
  before: 'gw_before',
  after: 'gw_after',
};

const REQUIRED = ['task', 'config', 'reward'] as const;

/**
 * Reads the text of a CSV table with a header. Other columns are passed over. Throws `input.syntax` for what
 * is not CSV, `input.empty` without a row, `input.schema` for a column that is missing, a reward that is not
 * within 0 to 1, a count that is not a number of 0 or more, or a column or a trial that occurs twice.
 */
export function parsePublished(
  text: string,
  file: string,
  columns: Partial<PublishedColumns> = {},
): PublishedTable {
  const names = { ...PUBLISHED_COLUMNS, ...columns };
  const [header, ...records] = readRecords(text, file);
  if (header === undefined || records.length === 0) {
    const message = 'the table has no rows, expected a header and one row an outcome';
    throw new HarnessError('input.empty', message, { at: { file } });
  }
  const places = placesOf(header.record, names, file);
  const trials = new Map<string, number>();
  const seen = new Set<string>();
  let impliedTrials = 0;
  const rows = records.map(({ record, line }): PublishedRow => {
    const cell = (key: keyof PublishedColumns) => {
      const place = places[key];
      return place === -1 ? '' : (record[place] ?? '').trim();
    };
    const fail = (key: keyof PublishedColumns, expected: string): never => {
      const message = `${names[key]} is '${cell(key)}', expected ${expected}`;
      throw new HarnessError('input.schema', message, { at: { file, line, key: names[key] } });
    };
    const number = (key: keyof PublishedColumns, most: number, expected: string) => {
      const value = cell(key) === '' ? undefined : Number(cell(key));
      return value === undefined || (value >= 0 && value <= most) ? value : fail(key, expected);
    };
    const count = (key: keyof PublishedColumns) =>
      number(key, Number.MAX_SAFE_INTEGER, 'a count of 0 or more, or nothing');
    const task = cell('task') || fail('task', 'the name of a task');
    const config = cell('config') || fail('config', 'the name of a config');
    const pair = JSON.stringify([task, config]);
    const earlier = trials.get(pair) ?? 0;
    trials.set(pair, earlier + 1);
    if (places.trial === -1 && earlier > 0) impliedTrials++;
    const trial = places.trial === -1 ? String(earlier) : cell('trial');
    const identity = JSON.stringify([task, config, trial]);
    if (seen.has(identity))
      fail('trial', `a trial that '${task}' under '${config}' has not had yet`);
    seen.add(identity);
    return {
      task,
      config,
      trial,
      reward: number('reward', 1, 'a number from 0 to 1, or nothing'),
      requests: count('requests'),
      before: count('before'),
      after: count('after'),
      line,
    };
  });
  return {
    rows,
    configs: [...new Set(rows.map((row) => row.config))],
    withoutReward: rows.filter((row) => row.reward === undefined).length,
    impliedTrials,
  };
}

interface NumberedRecord {
  readonly record: readonly string[];
  readonly line: number;
}

/** Bytes of a row. Names are what is longest in it, and one of a million bytes is none. */
const LONGEST_RECORD = 2 ** 20;

function readRecords(text: string, file: string): NumberedRecord[] {
  try {
    const records: NumberedRecord[] = [];
    parse(text, {
      bom: true,
      skip_empty_lines: true,
      max_record_size: LONGEST_RECORD,
      on_record: (record: string[], { lines }) => {
        records.push({ record, line: lines });
        return null;
      },
    });
    return records;
  } catch (cause) {
    const message = `not a CSV table: ${messageOf(cause)}`;
    throw new HarnessError('input.syntax', message, { cause, at: { file } });
  }
}

/** Index of each column in the header, −1 for an optional one that is not there. */
function placesOf(
  header: readonly string[],
  names: PublishedColumns,
  file: string,
): Record<keyof PublishedColumns, number> {
  const place = (key: keyof PublishedColumns) => {
    const isNamed = (name: string) => name.trim() === names[key];
    const first = header.findIndex(isNamed);
    if (first === header.findLastIndex(isNamed)) return first;
    const message = `there are two columns '${names[key]}', expected one; rename the other, or name one with --columns`;
    throw new HarnessError('input.schema', message, { at: { file, line: 1, key: names[key] } });
  };
  for (const key of REQUIRED) {
    if (place(key) !== -1) continue;
    const nearest = nearestName(names[key], header);
    const advice = nearest === undefined ? '' : `; did you mean '${nearest}'?`;
    const message = `there is no column '${names[key]}' among ${header.join(', ')}${advice}`;
    throw new HarnessError('input.schema', message, { at: { file, line: 1, key: names[key] } });
  }
  return {
    task: place('task'),
    config: place('config'),
    reward: place('reward'),
    trial: place('trial'),
    requests: place('requests'),
    before: place('before'),
    after: place('after'),
  };
}
