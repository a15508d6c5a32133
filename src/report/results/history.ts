import { type MarkdownColumn, markdownName, markdownTable, markdownText } from '../markdown.ts';
import { thousands, UNMEASURED } from '../numbers.ts';
import { type Headline, keptPercentOf, type Published } from './published.ts';

/** Every snapshot before this one, the newest first. */
export function earlierTable(earlier: readonly Published[]): string[] {
  const columns: MarkdownColumn<Published>[] = [
    {
      header: 'snapshot',
      align: 'left',
      cell: ({ stem }) => `[${markdownText(stem)}](${encodeURIComponent(stem)}.csv)`,
    },
    {
      header: 'of',
      align: 'left',
      cell: ({ kind }) => (kind === 'run' ? 'a run' : 'live rewards'),
    },
    { header: 'model', align: 'left', cell: ({ model }) => markdownName(model ?? UNMEASURED) },
    { header: 'configs', cell: ({ configs }) => thousands(configs.length) },
    {
      header: 'forced',
      align: 'left',
      cell: ({ forced }) => (forced.length === 0 ? '' : 'yes'),
    },
  ];
  return markdownTable(columns, earlier.toReversed());
}

interface Change {
  readonly config: string;
  readonly before: Headline | undefined;
  readonly after: Headline | undefined;
}

/**
 * What changed since the last snapshot that can be compared: of the same kind, under the same model, with a
 * config in common. On other recordings the figures differ for that alone, which is said.
 */
export function changeSection(published: Published, earlier: readonly Published[]): string[] {
  if (earlier.length === 0) return ['This is the first snapshot.'];
  const last = earlier.findLast(
    (one) =>
      one.kind === published.kind &&
      one.model === published.model &&
      one.configs.some(({ config }) =>
        published.configs.some((own) => own.config === config && config !== published.baseline),
      ),
  );
  if (last === undefined) {
    return [
      'No earlier snapshot is of the same kind, under the same model, with the same configs.',
    ];
  }
  const before = new Map(last.configs.map((headline) => [headline.config, headline]));
  const after = new Map(published.configs.map((headline) => [headline.config, headline]));
  const names = [...new Set([...after.keys(), ...before.keys()])];
  const changes = names.map(
    (config): Change => ({ config, before: before.get(config), after: after.get(config) }),
  );
  const columns: MarkdownColumn<Change>[] = [
    {
      header: 'config',
      align: 'left',
      cell: (change) => `${markdownName(change.config)}${standing(change)}`,
    },
    { header: 'resolved', cell: (change) => arrow(change, resolvedOf) },
    { header: 'verdict', align: 'left', cell: (change) => arrow(change, verdictOf) },
    { header: 'saved (net, of live runs gross)', cell: (change) => moved(change, netOf, whole) },
    { header: 'pooled %', cell: (change) => moved(change, ({ pooled_pct }) => pooled_pct, one) },
    { header: 'evidence kept %', cell: (change) => moved(change, keptPercentOf, one) },
  ];
  const other = last.recordings !== published.recordings;
  return [
    `Against ${markdownName(last.stem)}${other ? ', which is of **other recordings**: the figures differ for that alone' : ', on the same recordings'}.`,
    '',
    ...markdownTable(columns, changes),
  ];
}

function standing({ before, after }: Change): string {
  if (before === undefined) return ' (new)';
  if (after === undefined) return ' (gone)';
  return before.hash === after.hash ? '' : ' (other settings)';
}

const whole = (value: number): string => thousands(value);
const one = (value: number): string => value.toFixed(1);

/** Gross of a table that knows no more. */
function netOf({ net, unique, gross }: Headline): number | null {
  return net ?? unique ?? gross;
}

function resolvedOf({ resolved, outcomes }: Headline): string | undefined {
  return resolved === null || outcomes === null || outcomes === 0
    ? undefined
    : `${resolved}/${outcomes}`;
}

function verdictOf({ verdict }: Headline): string | undefined {
  return verdict === null ? undefined : markdownText(verdict);
}

function arrow(change: Change, value: (headline: Headline) => string | undefined): string {
  const [before, after] = [change.before, change.after].map((side) =>
    side === undefined ? undefined : value(side),
  );
  if (before === undefined || after === undefined) return after ?? before ?? UNMEASURED;
  return before === after ? after : `${before} → ${after}`;
}

function moved(
  change: Change,
  value: (headline: Headline) => number | null,
  spell: (value: number) => string,
): string {
  const after = change.after === undefined ? null : value(change.after);
  const before = change.before === undefined ? null : value(change.before);
  if (after === null) return before === null ? UNMEASURED : `was ${spell(before)}`;
  if (before === null || spell(before) === spell(after)) return spell(after);
  return `${spell(after)} (${after < before ? '−' : '+'}${spell(Math.abs(after - before))})`;
}
