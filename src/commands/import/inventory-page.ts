import { describeLoss } from '../../recordings/loss.ts';
import { wrapped } from '../../report/figures-text.ts';
import { thousands, UNMEASURED } from '../../report/numbers.ts';
import type { Paint } from '../../report/paint.ts';
import { pushAll } from '../../text/long-lists.ts';
import { withoutSecrets } from '../../text/redact.ts';
import { visible } from '../../text/visible.ts';
import { fitWidth, textWidth } from '../../text/width.ts';
import type { FileInventory } from './inventory.ts';

/** Columns of a terminal that the page takes at most. */
const WIDTH = 80;
/** Before figures, and between names. */
const FIGURE_GAP = ' ';
const GAP = '  ';

interface Column {
  readonly header: string;
  readonly cells: readonly string[];
  readonly align: 'left' | 'right';
}

/** The table of `--list`: of each file its path, and what it holds in the line below. */
export function inventoryLines(
  files: readonly FileInventory[],
  paint: Paint,
  withLoss: boolean,
): readonly string[] {
  const shown = files.filter((file) => file.transcripts > 0 || file.errors > 0);
  const rows = [...shown, ...(shown.length > 1 ? [totalOf(shown)] : [])];
  const [header, ...lines] = table(columnsOf(rows));
  const page = [paint.dim('file'), paint.dim(header ?? '')];
  for (const [index, row] of rows.entries()) {
    const isTotal = index >= shown.length;
    page.push(paint.bold(isTotal ? row.file : tail(spelled(row.file), WIDTH)), lines[index] ?? '');
    const who = whoText(row);
    if (!isTotal && !lines[index]?.includes(who)) pushAll(page, indented(who));
    if (withLoss && row.loss !== undefined) pushAll(page, lossLines(row));
  }
  return [...page, ...rest(files, withLoss)];
}

function columnsOf(rows: readonly FileInventory[]): readonly Column[] {
  const figures: readonly Column[] = [
    figure('transcripts', rows, ({ transcripts }) => thousands(transcripts)),
    figure('messages', rows, ({ messages }) => thousands(messages)),
    figure('requests', rows, ({ requests }) => thousands(requests)),
    figure('tokens', rows, ({ tokens }) => short(tokens)),
    figure('reward', rows, ({ rewards }) => rewardText(rewards)),
    figure('problems', rows, ({ errors, notices }) => thousands(errors + notices)),
  ];
  const used = figures.reduce(
    (sum, column) => sum + widthOf(column) + FIGURE_GAP.length,
    GAP.length,
  );
  const who = rows.map((row) => whoText(row));
  const format = rows.map((row) => row.format ?? UNMEASURED);
  const formatWidth = Math.max(6, ...format.map(textWidth));
  // Most recordings need no more than this; a long name is cut.
  const room = Math.max(12, WIDTH - used);
  const narrow = Math.min(formatWidth, Math.max(6, room - GAP.length - 6));
  return [
    { header: 'format', cells: format.map((text) => fitWidth(text, narrow)), align: 'left' },
    {
      header: fitWidth('agent, model', Math.max(5, room - narrow - GAP.length)),
      cells: who.map((text) => fitWidth(text, Math.max(5, room - narrow - GAP.length))),
      align: 'left',
    },
    ...figures,
  ];
}

/** Names of columns that are wider than their figures. */
const SHORT: Readonly<Record<string, string>> = {
  transcripts: 'trans.',
  messages: 'msgs',
  requests: 'calls',
  problems: 'prob.',
};

function figure(
  name: string,
  rows: readonly FileInventory[],
  cell: (row: FileInventory) => string,
): Column {
  return { header: SHORT[name] ?? name, cells: rows.map(cell), align: 'right' };
}

function table(columns: readonly Column[]): readonly string[] {
  const count = Math.max(0, ...columns.map(({ cells }) => cells.length));
  const line = (textOf: (column: Column) => string) =>
    columns
      .map((column) => {
        const text = textOf(column);
        const space = ' '.repeat(Math.max(0, widthOf(column) - textWidth(text)));
        return column.align === 'left' ? GAP + text + space : FIGURE_GAP + space + text;
      })
      .join('')
      .trimEnd();
  return [
    line(({ header }) => header),
    ...Array.from({ length: count }, (_, row) => line(({ cells }) => cells[row] ?? '')),
  ];
}

function widthOf({ header, cells }: Column): number {
  return Math.max(textWidth(header), ...cells.map(textWidth));
}

function whoText({ agents, models }: FileInventory): string {
  const some = (names: readonly string[]) =>
    names.length > 1 ? `${names[0]} +${names.length - 1}` : (names[0] ?? UNMEASURED);
  return spelled(`${some(agents)}, ${some(models)}`);
}

/** `950`, `12.3k`, `4.5M`. */
function short(tokens: number): string {
  if (tokens < 10_000) return thousands(tokens);
  return tokens < 1e6 ? `${(tokens / 1e3).toFixed(1)}k` : `${(tokens / 1e6).toFixed(1)}M`;
}

function rewardText(rewards: readonly number[]): string {
  if (rewards.length === 0) return UNMEASURED;
  return String(Number(meanOf(rewards).toFixed(3)));
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

function totalOf(files: readonly FileInventory[]): FileInventory {
  const sum = (figureOf: (file: FileInventory) => number) =>
    files.reduce((total, file) => total + figureOf(file), 0);
  const all = (namesOf: (file: FileInventory) => readonly string[]) => [
    ...new Set(files.flatMap(namesOf)),
  ];
  const formats = new Set(files.flatMap(({ format }) => format ?? []));
  return {
    file: `${thousands(files.length)} files`,
    format: `${formats.size} format${formats.size === 1 ? '' : 's'}`,
    agents: all(({ agents }) => agents),
    models: all(({ models }) => models),
    sessions: sum(({ sessions }) => sessions),
    transcripts: sum(({ transcripts }) => transcripts),
    messages: sum(({ messages }) => messages),
    requests: sum(({ requests }) => requests),
    tokens: sum(({ tokens }) => tokens),
    rewards: files.flatMap(({ rewards }) => rewards),
    errors: sum(({ errors }) => errors),
    notices: sum(({ notices }) => notices),
    loss: undefined,
  };
}

function lossLines({ loss }: FileInventory): readonly string[] {
  if (loss === undefined) return [];
  return indented(describeLoss(loss));
}

/** Lines below a file's own. */
function indented(text: string): readonly string[] {
  return wrapped(spelled(text), WIDTH - 4).map((line) => `    ${line}`);
}

/** Files without a transcript or an error of their own. */
function rest(files: readonly FileInventory[], withLoss: boolean): readonly string[] {
  const others = files.filter(({ transcripts, errors }) => transcripts === 0 && errors === 0);
  const parts = others.filter(({ loss }) => loss !== undefined);
  const foreign = others.length - parts.length;
  const lines: string[] = [];
  if (parts.length > 0) {
    lines.push(`${thousands(parts.length)} more files belong to these, or hold no request`);
    if (withLoss) {
      for (const part of parts) {
        lines.push(tail(spelled(part.file), WIDTH), ...lossLines(part));
      }
    }
  }
  if (foreign > 0) lines.push(`${thousands(foreign)} files are no recordings`);
  return lines.length === 0 ? [] : ['', ...lines];
}

/** A name of somebody else's, fit for a terminal. */
function spelled(text: string): string {
  return visible(withoutSecrets(text));
}

/** The end of a path says most. */
function tail(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const characters = [...text];
  let used = 1;
  let start = characters.length;
  while (start > 0) {
    const next = textWidth(characters[start - 1] ?? '');
    if (used + next > width) break;
    used += next;
    start--;
  }
  return `…${characters.slice(start).join('')}`;
}

/** A file of `--list --json`; a figure that is not known is null. */
export function inventoryJson(file: FileInventory): object {
  const { rewards, loss, format, agents, models } = file;
  return {
    file: withoutSecrets(file.file),
    format: format ?? null,
    agents: agents.map(withoutSecrets),
    models: models.map(withoutSecrets),
    sessions: file.sessions,
    transcripts: file.transcripts,
    messages: file.messages,
    requests: file.requests,
    tokens: file.tokens,
    rewards: rewards.length,
    reward: rewards.length === 0 ? null : meanOf(rewards),
    errors: file.errors,
    notices: file.notices,
    loss:
      loss === undefined
        ? null
        : {
            unit: loss.unit,
            found: loss.found,
            read: loss.read,
            merged: Object.fromEntries(loss.merged),
            skipped: Object.fromEntries(loss.skipped),
          },
  };
}
