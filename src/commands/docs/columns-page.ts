import { markdownTable } from '../../report/markdown.ts';
import { type Column, columnList } from '../../rows/columns.ts';
import { ownText } from './own-text.ts';

const types = {
  text: 'text',
  number: 'number',
  boolean: '`True` or `False`',
  counts: '`name:count`, joined by `;`',
} as const satisfies Record<Column['type'], string>;

/** `docs/columns.md`: every column of the CSV, in its order. */
export function columnsPage(): string[] {
  const groups = new Map<string, Column[]>();
  for (const column of columnList) {
    const known = groups.get(column.group);
    if (known === undefined) groups.set(column.group, [column]);
    else known.push(column);
  }
  return [
    '# Columns of the CSV',
    '',
    `One row for each transcript under each config, ${columnList.length} columns. A figure that was not measured is empty, never 0. Cells that a spreadsheet would take for a formula begin with an apostrophe.`,
    ...[...groups].flatMap(([group, columns]) => [
      '',
      `## ${group}`,
      '',
      ...markdownTable(
        [
          { header: 'column', align: 'left', cell: ({ header }: Column) => `\`${header}\`` },
          { header: 'unit', align: 'left', cell: ({ unit }) => unit },
          { header: 'type', align: 'left', cell: ({ type }) => types[type] },
          {
            header: 'meaning',
            align: 'left',
            cell: ({ description }) => ownText(description),
          },
        ],
        columns,
      ),
    ]),
  ];
}
