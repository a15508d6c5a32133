/** Markdown that stays the page that was meant, whatever a task or config is called. */

/** One line of text that is no markup, no link, no mention and no HTML. */
export function markdownText(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')
    .replace(/[&<>@]|:(?=\/\/)|(?<=www)\./gi, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/(?<!&)#(?!\d+;)|[\\`*_{}[\]!|~$^]/g, '\\$&');
}

const PLAIN_NAME = /^[\w.:@=,/+-]{1,200}$/;

/** A name in code style; an unusual one as text, since nothing can be escaped inside a code span. */
export function markdownName(name: string): string {
  return PLAIN_NAME.test(name) ? `\`${name}\`` : markdownText(name);
}

/** A fenced block whose fence is longer than any run of backticks in it. */
export function fenced(text: string, language = ''): string[] {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return [`${fence}${language}`, ...text.replace(/\n+$/, '').split('\n'), fence];
}

export interface MarkdownColumn<Row> {
  readonly header: string;
  readonly align?: 'left';
  /** Markdown of the cell: texts from outside go through `markdownText` or `markdownName`. */
  cell(row: Row): string;
}

/** A table, figures to the right; nothing of no rows. */
export function markdownTable<Row>(
  columns: readonly MarkdownColumn<Row>[],
  rows: readonly Row[],
): string[] {
  if (rows.length === 0) return [];
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ header }) => header)),
    line(columns.map(({ align }) => (align === 'left' ? '---' : '---:'))),
    ...rows.map((row) => line(columns.map(({ cell }) => cell(row)))),
  ];
}
