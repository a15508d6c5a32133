import { type Child, element, type Markup } from './markup.ts';

export interface TableColumn<Row> {
  readonly header: string;
  /** What the figure is, in a sentence. */
  readonly about?: string;
  readonly align?: 'left';
  cell(row: Row): Child;
  /** What the column is sorted by, where that is not what the cell shows. */
  sort?(row: Row): number | string | undefined;
}

export interface TableOptions<Row> {
  readonly caption: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  /** Where the figures of a row lead that are no links already. */
  href?(row: Row): string;
  /** Class of a row. */
  rowClass?(row: Row): string | undefined;
}

/** A table that the page's script can sort; it scrolls sideways where it is too wide, its first column stays. */
export function table<Row>({ caption, columns, rows, href, rowClass }: TableOptions<Row>): Markup {
  const head = columns.map(({ header, about, align }) =>
    element(
      'th',
      { scope: 'col', class: align === 'left' ? 'left' : undefined },
      element('button', { type: 'button', class: 'sort', title: about }, header),
    ),
  );
  const body = rows.map((row) =>
    element(
      'tr',
      { class: rowClass?.(row) },
      columns.map(({ cell, sort, align }, index) =>
        element(
          index === 0 ? 'th' : 'td',
          {
            scope: index === 0 ? 'row' : undefined,
            class: align === 'left' ? 'left' : undefined,
            'data-value': sort === undefined ? undefined : (sort(row) ?? ''),
          },
          linked(cell(row), href?.(row)),
        ),
      ),
    ),
  );
  return element(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    element(
      'table',
      { class: 'sortable' },
      element('caption', { class: 'unseen' }, caption),
      element('thead', {}, element('tr', {}, head)),
      element('tbody', {}, body),
    ),
  );
}

/** A figure that stands alone as a link to its rows. */
function linked(content: Child, href: string | undefined): Child {
  const isFigure = typeof content === 'string' && /\d/.test(content);
  return href === undefined || !isFigure ? content : element('a', { href }, content);
}
