import { visible } from '../../text/visible.ts';
import { fitWidth, wrapWidth } from '../../text/width.ts';
import type { Paint } from '../paint.ts';
import { type TableColumn, tableLines, tableWidth } from '../table.ts';

/** Widest line of the pages, colour aside. */
export const PAGE_WIDTH = 80;

/** How texts of a recording come onto a page. */
export interface PageStyle {
  readonly paint: Paint;
  /** Takes secrets out of a text; leaves it as it is under `--no-redact`. */
  redact(text: string): string;
}

/** A text of the recording without secrets, as one line that no terminal acts on. */
export function shownLine(text: string, style: PageStyle): string {
  return escaped(style.redact(text).replace(/\s+/g, ' ').trim());
}

/** As `visible`; what has no width of its own, and halves of surrogate pairs, stand escaped too. */
export function escaped(text: string): string {
  return visible(text).replace(/[\p{Cf}\p{Cs}]/gu, (character) => {
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

const LABEL = 12;

/** `label       text`, the text wrapped under itself; it must be one visible line. */
export function labelled(label: string, text: string, { paint }: PageStyle): string[] {
  return wrapWords(text, PAGE_WIDTH - LABEL).map((line, index) =>
    index === 0 ? `${paint.bold(label.padEnd(LABEL))}${line}` : `${' '.repeat(LABEL)}${line}`,
  );
}

/** Lines of at most `width` columns, broken at spaces where there are any. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const joined = line === '' ? word : `${line} ${word}`;
    if (fitWidth(joined, width) === joined) {
      line = joined;
      continue;
    }
    if (line !== '') lines.push(line);
    const pieces = wrapWidth(word, width);
    line = pieces.pop() ?? '';
    for (const piece of pieces) lines.push(piece);
  }
  return [...lines, line];
}

/**
 * A table whose last column is free text, cut to what is left of the width. The other columns must hold
 * figures and words of our own, since a terminal may show other text wider than it is long.
 */
export function tableWithText(
  columns: readonly TableColumn[],
  last: { readonly header: string; readonly cells: readonly string[] },
  { paint }: PageStyle,
  paintRow: (row: number) => (text: string) => string = () => (text) => text,
): string[] {
  const room = PAGE_WIDTH - tableWidth(columns) - 2;
  const text: TableColumn = {
    header: [last.header],
    cells: last.cells.map((cell) => fitWidth(cell, room)),
    align: 'left',
  };
  const { header, rows } = tableLines([...columns, text]);
  return [...header.map((line) => paint.bold(line)), ...rows.map((row, at) => paintRow(at)(row))];
}

export function column(
  header: readonly string[],
  cells: readonly string[],
  align: TableColumn['align'] = 'right',
): TableColumn {
  return { header, cells, align };
}
