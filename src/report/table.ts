/** One column of a terminal table; the header may take several lines. */
export interface TableColumn {
  readonly header: readonly string[];
  readonly cells: readonly string[];
  readonly align: 'left' | 'right';
}

const GAP = '  ';

/** Characters that the columns need beside one another. */
export function tableWidth(columns: readonly TableColumn[]): number {
  const widths = columns.map(columnWidth);
  return widths.reduce((total, width) => total + width, 0) + GAP.length * (columns.length - 1);
}

/** Lines of a table: header lines (aligned at the bottom), a rule, one line a row. */
export function tableLines(columns: readonly TableColumn[]): {
  readonly header: readonly string[];
  readonly rows: readonly string[];
} {
  const height = Math.max(0, ...columns.map(({ header }) => header.length));
  const header: string[] = [];
  for (let line = 0; line < height; line++) {
    header.push(joined(columns, (column) => column.header[line - height + column.header.length]));
  }
  header.push(joined(columns, (column) => '─'.repeat(columnWidth(column))));
  const count = Math.max(0, ...columns.map(({ cells }) => cells.length));
  const rows = Array.from({ length: count }, (_, row) =>
    joined(columns, ({ cells }) => cells[row]),
  );
  return { header, rows };
}

function joined(
  columns: readonly TableColumn[],
  text: (column: TableColumn) => string | undefined,
): string {
  return columns
    .map((column) => {
      const width = columnWidth(column);
      const cell = text(column) ?? '';
      return column.align === 'left' ? cell.padEnd(width) : cell.padStart(width);
    })
    .join(GAP)
    .trimEnd();
}

function columnWidth({ header, cells }: TableColumn): number {
  return Math.max(0, ...header.map((line) => line.length), ...cells.map((cell) => cell.length));
}
