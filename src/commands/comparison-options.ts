import { HarnessError, nearestName } from '../errors.ts';
import { PUBLISHED_COLUMNS, type PublishedColumns } from '../report/published.ts';
import type { MissingRule } from '../report/statistics/missing.ts';

/** Options that `import-rewards` and `publish-results` share. */
export interface ComparisonOptions {
  /** Undefined: `baseline`. */
  readonly baseline: string | undefined;
  /** A share of 1; undefined: the design's two points. */
  readonly margin: number | undefined;
  readonly missing: MissingRule | undefined;
  /** Headers of a table that calls its columns otherwise. */
  readonly columns: Partial<PublishedColumns>;
}

/** Throws HarnessError `usage` for an option that is given twice or has a wrong value. */
export function comparisonOptions(parsed: Readonly<Record<string, unknown>>): ComparisonOptions {
  return {
    baseline: oneText('baseline', parsed.baseline),
    margin: marginOf(oneText('margin', parsed.margin)),
    missing: missingOf(oneText('missing', parsed.missing)),
    columns: columnsOf(parsed.columns),
  };
}

/** The text of an option; undefined where it was not given. */
function oneText(option: string, value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new HarnessError('usage', `--${option} was given more than once: give it once`);
}

function marginOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const points = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && points <= 100) return points / 100;
  const message = `--margin is '${text}', expected points of reward from 0 to 100, as 2`;
  throw new HarnessError('usage', message);
}

function missingOf(text: string | undefined): MissingRule | undefined {
  if (text === undefined || text === 'loss' || text === 'drop') return text;
  const nearest = nearestName(text, ['loss', 'drop']);
  const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  throw new HarnessError('usage', `--missing is '${text}', expected loss or drop${hint}`);
}

/** `task=instance_id,reward=outcome`. */
function columnsOf(value: unknown): Partial<PublishedColumns> {
  const columns = new Map<string, string>();
  const pairs = [value ?? []].flat().flatMap((text) => String(text).split(','));
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const [key, header] = [pair.slice(0, Math.max(0, equals)), pair.slice(equals + 1).trim()];
    const known = columnKeys.find((name) => name === key.trim() || PUBLISHED_COLUMNS[name] === key);
    if (known === undefined || header === '') {
      const nearest = nearestName(key || pair, columnKeys);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}=HEADER?`;
      const message = `--columns has '${pair}', expected COLUMN=HEADER with a column of ${columnKeys.join(', ')}${hint}`;
      throw new HarnessError('usage', message);
    }
    columns.set(known, header);
  }
  return Object.fromEntries(columns);
}

const columnKeys = [
  'task',
  'config',
  'reward',
  'trial',
  'requests',
  'before',
  'after',
] as const satisfies readonly (keyof PublishedColumns)[];
