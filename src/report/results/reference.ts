import { columnList } from '../../rows/columns.ts';
import type { Manifest } from '../../sweep/manifest.ts';
import {
  fenced,
  type MarkdownColumn,
  markdownName,
  markdownTable,
  markdownText,
} from '../markdown.ts';

/** What the columns of a snapshot's CSV mean; from the one table that also writes them. */
export function columnsTable(): string[] {
  const columns: MarkdownColumn<(typeof columnList)[number]>[] = [
    { header: 'column', align: 'left', cell: ({ header }) => `\`${header}\`` },
    { header: 'group', align: 'left', cell: ({ group }) => group },
    { header: 'unit', align: 'left', cell: ({ unit }) => unit },
    { header: 'meaning', align: 'left', cell: ({ description }) => markdownText(description) },
  ];
  return [
    'One row a cell: one transcript under one config. An empty cell was not measured; it is never 0.',
    '',
    ...markdownTable(columns, columnList),
  ];
}

/** What the columns of a table of live rewards mean. */
export const REWARD_COLUMNS = [
  ['task', 'What was worked on.'],
  ['config', 'Under which config.'],
  ['trial', 'Number of the repetition.'],
  ['reward', '0 to 1; empty where there is none.'],
  ['gw_requests', 'Requests that were sent; empty where it is not known.'],
  ['gw_before', 'Tokens of all requests before compaction; empty where it is not known.'],
  ['gw_after', 'The same after it.'],
] as const;

export function rewardColumnsTable(): string[] {
  const columns: MarkdownColumn<(typeof REWARD_COLUMNS)[number]>[] = [
    { header: 'column', align: 'left', cell: ([name]) => `\`${name}\`` },
    { header: 'meaning', align: 'left', cell: ([, meaning]) => meaning },
  ];
  return markdownTable(columns, REWARD_COLUMNS);
}

/** About and settings of every config, as the manifest has them. */
export function configSections({ configs }: Manifest): string[] {
  return configs.flatMap(({ name, about, text, hash }) => [
    `### ${markdownName(name)}`,
    '',
    markdownText(about),
    '',
    `Hash ${markdownName(hash)}.`,
    '',
    ...fenced(text, 'yaml'),
    '',
  ]);
}
